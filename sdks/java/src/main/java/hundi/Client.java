package hundi;

import hundi.HundiException.Kind;
import hundi.Messages.PaymentRequest;
import hundi.Messages.RefundItem;
import hundi.Messages.RefundRequest;
import hundi.Messages.RefundResult;
import hundi.Messages.RefundResults;
import hundi.Messages.Transaction;
import hundi.Messages.VerifyRequest;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A merchant's connection to the gateway. Keep one for the life of your process; threads may share
 * it.
 */
public final class Client extends Operations {
  private final Calls calls;

  /** What a token opens. A page's token passes through customers' browsers. */
  public enum Scope {
    PAGE,
    OPERATIONS
  }

  public Client(Credentials credentials, Gateway gateway) {
    this.calls = new Calls(credentials, gateway);
  }

  /**
   * Return the form that takes the customer to the payment page. Render it at once: its token is
   * valid for some minutes. The same order again reopens the same payment.
   */
  public PaymentForm paymentForm(PaymentRequest order) {
    var w = new Writer(calls.gateway.shopOrigin);
    order.write(w);
    String token = calls.token(Scope.PAGE, "");
    String action = Calls.withToken(calls.gateway.paymentPageUrl + PAYMENT_PAGE, token);
    return new PaymentForm(action, calls.envelope(w.fields));
  }

  /** Return an access token, for requests made without this client. */
  public String accessToken(Scope scope) {
    return calls.token(scope, "");
  }

  /**
   * Return the state of a payment. Order id, amount and currency are those of your own books, and
   * are always compared with the answer.
   */
  public Transaction verify(Expected expected) {
    return verify(new VerifyRequest().orderId(expected.orderId()), expected);
  }

  /** Look a payment up by other names, and compare it all the same. */
  public Transaction verify(VerifyRequest asked, Expected expected) {
    Transaction found = transaction(VERIFY, asked::write);
    found.demand(calls.credentials.merchantId, expected);
    return found;
  }

  /**
   * Give money back. requestId is an id of your own books: the same id with the same items never
   * refunds twice, so you may repeat this after {@code UNREACHABLE}. An accepted refund is begun.
   */
  public List<RefundResult> refund(List<RefundItem> items, String requestId) {
    if (requestId.isEmpty()) {
      String allowed = "an id of your own books: it makes a retry safe";
      throw HundiException.invalid("refund_request_id", "", allowed);
    }
    RefundRequest asked = new RefundRequest(items).requestId(requestId);
    List<RefundResult> results = perform(REFUND, asked::write, RefundResults::read).results();
    boolean isAnswered = results.size() == items.size();
    for (int place = 0; isAnswered && place < items.size(); place++) {
      String named = items.get(place).transactionId().replaceFirst("^0+", "");
      isAnswered = results.get(place).transactionId().equals(named);
    }
    if (!isAnswered) {
      throw HundiException.noAnswer(
          Kind.UNREADABLE_REPLY, "the reply to refund does not answer each item");
    }
    return results;
  }

  /** Return why an item of a refund was refused, or null when its refund is begun. */
  public static HundiException refundError(RefundResult result) {
    return result.accepted() ? null : HundiException.refusal(result.code(), result.message(), "");
  }

  @Override
  <Reply> Reply perform(Spec operation, Consumer<Writer> write, Function<Reader, Reply> read) {
    var w = new Writer(calls.gateway.shopOrigin);
    write.accept(w);
    Object data = calls.perform(operation, w.fields);
    return read.apply(
        Reader.of(
            operation.bare().isEmpty() || data == null ? data : Map.of(operation.bare(), data)));
  }

  @Override
  Transaction performForTransaction(Spec operation, Consumer<Writer> write) {
    Transaction found = transaction(operation, write);
    String own = calls.credentials.merchantId;
    if (!found.merchantId().equals(own))
      throw HundiException.mismatch("merchant_id", own, found.merchantId());
    return found;
  }

  @SuppressWarnings("unchecked")
  private Transaction transaction(Spec operation, Consumer<Writer> write) {
    var w = new Writer("");
    write.accept(w);
    if (calls.perform(operation, w.fields) instanceof Map<?, ?> record) {
      return Records.transaction((Map<String, Object>) record, calls.credentials.username);
    }
    throw HundiException.noAnswer(Kind.UNREADABLE_REPLY, "the reply holds no transaction record");
  }
}
