package hundi.spring;

import hundi.Client;
import hundi.Messages.PaymentRequest;
import java.nio.charset.StandardCharsets;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Makes the document that takes a customer to the payment page. */
public final class PaymentPages {
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);
  private final Client client;

  public PaymentPages(Client client) {
    this.client = client;
  }

  /** Show it only to the customer whose order it is: it names the buyer. */
  public ResponseEntity<String> pageOf(PaymentRequest order) {
    return ResponseEntity.ok()
        .contentType(HTML)
        .cacheControl(CacheControl.noStore())
        .body(client.paymentForm(order).html());
  }
}
