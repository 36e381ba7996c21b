package hundi.spring;

import hundi.Callbacks;
import hundi.Callbacks.Notification;
import hundi.HundiException;
import hundi.HundiException.Kind;
import hundi.Messages.PaymentRequest;
import hundi.Messages.Transaction;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The two addresses that the gateway knows. Spring Security has to let both in without a token. */
@RestController
@RequestMapping("${hundi.path:/hundi}")
public class HundiController {
  /** A longer body is refused. */
  private static final int BODY_BYTES_MAX = 256 * 1024;

  /** How the payment status of news about a subscription begins; its amount is the debit's. */
  private static final String MANDATE_NEWS = "MANDATE ";

  private final Callbacks callbacks;
  private final EventStore store;
  private final ShopBooks books;

  HundiController(Callbacks callbacks, EventStore store, ShopBooks books) {
    this.callbacks = callbacks;
    this.store = store;
    this.books = books;
  }

  /** Hand an event over, once. */
  @PostMapping("/notification")
  ResponseEntity<String> notification(
      @RequestHeader Map<String, String> headers, HttpServletRequest request) throws IOException {
    // Spring would make a form anew from its fields, and the signature is over the bytes.
    byte[] body = request.getInputStream().readNBytes(BODY_BYTES_MAX + 1);
    Notification news;
    try {
      news = callbacks.readNotification(headers, body);
      Transaction told = news.transaction();
      Optional<PaymentRequest> order = books.order(told.orderId());
      if (order.isEmpty()) return text(HttpStatus.NOT_FOUND, "the shop has no such order");
      if (hasAmountOfOrder(told)) told.demand(told.merchantId(), books.expected(order.get()));
    } catch (HundiException error) {
      if (!error.isUntrusted()) throw error;
      boolean isMismatch = error.kind() == Kind.MISMATCH;
      return text(isMismatch ? HttpStatus.CONFLICT : HttpStatus.BAD_REQUEST, error.getMessage());
    }
    boolean isNew = store.handOver(news, () -> books.handle(news));
    return text(HttpStatus.OK, isNew ? "handled" : "handled before");
  }

  /** Send a customer who comes back to the shop's page. */
  @PostMapping("/return")
  ResponseEntity<String> returned(@RequestParam Map<String, String> form) {
    String orderId;
    try {
      orderId = callbacks.claimedOrderId(form);
    } catch (HundiException error) {
      return text(HttpStatus.BAD_REQUEST, error.getMessage());
    }
    Optional<PaymentRequest> order = books.order(orderId);
    if (order.isEmpty()) return text(HttpStatus.NOT_FOUND, "no such order");
    String page = books.afterReturn(orderId, believed(form, order.get()));
    return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create(page)).build();
  }

  private Optional<Transaction> believed(Map<String, String> form, PaymentRequest order) {
    try {
      return Optional.of(callbacks.readReturn(form, books.expected(order)).transaction());
    } catch (HundiException error) {
      return Optional.empty();
    }
  }

  /** In news of a refund, a dispute, an excess or a subscription the amount is of that. */
  private static boolean hasAmountOfOrder(Transaction told) {
    boolean isOther = told.isRefund() || told.isDispute() || told.isExcess();
    return !(isOther || told.paymentStatus().startsWith(MANDATE_NEWS));
  }

  private static ResponseEntity<String> text(HttpStatus status, String words) {
    return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).body(words);
  }
}
