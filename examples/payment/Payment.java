// What docs/payment.md, callbacks.md and seamless.md show in Java.

import hundi.Callbacks;
import hundi.Client;
import hundi.Credentials;
import hundi.Expected;
import hundi.Gateway;
import hundi.HundiException;
import hundi.Messages.Buyer;
import hundi.Messages.PaymentRequest;
import hundi.Messages.SeamlessRequest;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class Payment {
  static final Map<String, String> ENV = System.getenv();

  static Map<String, String> posted() {
    var fields = new HashMap<String, String>();
    for (String pair : ENV.get("POSTED").split("&")) {
      String[] parts = pair.split("=", 2);
      fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return fields;
  }

  static Map<String, String> headers() {
    var headers = new HashMap<String, String>();
    for (String name : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
      headers.put(name, ENV.get("HTTP_" + name.toUpperCase().replace('-', '_')));
    }
    return headers;
  }

  public static void main(String[] arguments) throws IOException {
    var credentials =
        new Credentials(
            ENV.get("MERCHANT_ID"),
            ENV.get("USERNAME"),
            ENV.get("PASSWORD"),
            ENV.get("API_SECRET"),
            ENV.get("OAUTH_CLIENT_ID"),
            ENV.get("OAUTH_CLIENT_SECRET"),
            List.of(ENV.get("WEBHOOK_KEY")));
    var gateway = new Gateway(ENV.get("BASE_URL")).paymentPageUrl(ENV.get("PAYMENT_PAGE_URL"));
    var client = new Client(credentials, gateway);
    var posted = posted();
    var headers = headers();
    byte[] body = System.in.readAllBytes();

    // [form]
    var buyer = new Buyer("asha@example.in", "9876543210", "Asha", "Rao");
    var form = client.paymentForm(new PaymentRequest(ENV.get("NEW_ORDER_ID"), 149950, buyer));
    System.out.println(form.html()); // answer the customer's request with this document
    // [end]

    // [return]
    var callbacks = new Callbacks(credentials);
    try {
      // the fields that the browser brought; the order's id and amount are those of your own books
      var back = callbacks.readReturn(posted, new Expected(ENV.get("ORDER_ID"), 149950));
      System.out.println(back.transaction().isPaid() ? "paid" : "not paid yet");
    } catch (HundiException error) {
      if (!error.isUntrusted()) throw error;
      System.out.println("not believed"); // money may still have moved: verify tells
    }
    // [end]

    // [notification]
    try {
      var news = callbacks.readNotification(headers, body); // the raw bytes, as they came
      var about = news.transaction();
      System.out.println(news.event() + " " + about.orderId() + " " + about.amountPaise());
    } catch (HundiException error) {
      if (!error.isUntrusted()) throw error;
      System.out.println("not believed"); // answer 4xx
    }
    // [end]

    // [seamless]
    String direct = ENV.get("NEW_ORDER_ID") + "-S";
    var step =
        client.beginPayment(new SeamlessRequest(direct, 149950, buyer, "nb").bankCode("HDFC"));
    System.out.println(step.action()); // redirect: send the customer's browser to step.redirectUrl()
    // [end]
  }
}
