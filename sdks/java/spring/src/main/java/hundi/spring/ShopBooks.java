package hundi.spring;

import hundi.Callbacks.Notification;
import hundi.Expected;
import hundi.Messages.PaymentRequest;
import hundi.Messages.Transaction;
import java.util.Optional;

/** What your own code gives: a bean of this type. */
public interface ShopBooks {
  /** Return an order of your own books. Amount and currency are compared with it. */
  Optional<PaymentRequest> order(String orderId);

  /** Return what is demanded of a record about that order. For another currency, override this. */
  default Expected expected(PaymentRequest order) {
    return new Expected(order.orderId(), order.amountPaise());
  }

  /**
   * Do what an event asks for. It runs in the transaction of the event's mark: when this throws,
   * both are undone, and the gateway sends the event again.
   */
  void handle(Notification news);

  /**
   * Return the address of your page for a customer who comes back. told: empty when the return is
   * not believed. Deliver on the notification, not on this.
   */
  String afterReturn(String orderId, Optional<Transaction> told);
}
