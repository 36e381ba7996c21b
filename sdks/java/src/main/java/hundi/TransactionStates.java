package hundi;

import java.util.Set;

/** What a shop asks of a transaction. */
public interface TransactionStates {
  String merchantId();

  String orderId();

  long amountPaise();

  String currencyCode();

  long statusCode();

  String paymentStatus();

  long transactionType();

  String detailedStatus();

  /** It is about a refund: the amount is the refund's, not the order's. */
  default boolean isRefund() {
    return transactionType() == 340;
  }

  /** It is about a dispute: the amount is what the customer's bank demands. */
  default boolean isDispute() {
    return transactionType() == 350;
  }

  /** It is about money that the order cannot keep, and that goes back. */
  default boolean isExcess() {
    return detailedStatus().equals("EXCESS");
  }

  /** The money is captured: goods may be released. */
  default boolean isPaid() {
    boolean isCaptured = Set.of("SUCCESS", "CAPTURE", "Mandate Approved").contains(paymentStatus());
    return statusCode() == 200 && isCaptured && !isRefund();
  }

  /** The money is reserved and waits for capture or void. */
  default boolean isAuthorised() {
    return statusCode() == 200 && paymentStatus().equals("AUTHORIZE");
  }

  /** The authorisation was given up. */
  default boolean isVoided() {
    return paymentStatus().equals("VOIDED");
  }

  /** It may become paid without the customer: tell them to wait, then ask again. */
  default boolean isPending() {
    return (statusCode() == 211 || statusCode() == 403)
        && !(isRefund() || isExcess() || isDispute());
  }

  /** It ended unpaid. A late success is rare, and a notification reports it. */
  default boolean isFailed() {
    return !(statusCode() == 200 || isPending() || isRefund() || isExcess() || isDispute());
  }

  /** It is paid or failed: asking again soon brings nothing new. */
  default boolean isFinal() {
    return isPaid() || isFailed();
  }

  /** Throw unless the record has this merchant, order, amount and currency. */
  default void demand(String ownMerchantId, Expected expected) {
    String currency = Operations.CURRENCIES.getOrDefault(expected.currency(), expected.currency());
    compare("merchant_id", ownMerchantId, merchantId());
    compare("orderid", expected.orderId(), orderId());
    compare("amount", Money.text(expected.amountPaise()), Money.text(amountPaise()));
    compare("currency_code", currency, currencyCode());
  }

  private static void compare(String field, String expected, String received) {
    if (!expected.equals(received)) throw HundiException.mismatch(field, expected, received);
  }
}
