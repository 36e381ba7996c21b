// The plain interface from the JDK alone: what docs/v1.md shows, one call after another.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Plain {
  // [ask]
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static final Map<String, String> ENV = System.getenv();

  /** Return the answer of one call. body: JSON, or null. */
  static HttpResponse<String> ask(String method, String path, String body, String... headers)
      throws Exception {
    var sent =
        HttpRequest.newBuilder(URI.create(ENV.get("BASE_URL") + "/v1/" + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("authorization", "Bearer " + ENV.get("BEARER_KEY"))
            .header("content-type", "application/json")
            .timeout(Duration.ofSeconds(30));
    if (headers.length > 0) sent.headers(headers);
    return HTTP.send(sent.build(), BodyHandlers.ofString());
  }

  /** Return a value of an answer. The JDK reads no JSON: take the library that you have. */
  static String value(HttpResponse<String> answer, String name) {
    var found = Pattern.compile('"' + name + "\":\"?([^\",}]*)").matcher(answer.body());
    return found.find() ? found.group(1) : "";
  }

  // [end]

  // [webhook]
  /** Return whether the gateway signed a webhook within the past five minutes. */
  static boolean isOurs(Map<String, String> headers, byte[] body) throws Exception {
    byte[] key = Base64.getDecoder().decode(ENV.get("WEBHOOK_KEY").substring("whsec_".length()));
    if (key.length < 24) return false;
    String stamp = headers.get("webhook-timestamp");
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((headers.get("webhook-id") + "." + stamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    boolean isSigned = false;
    for (String given : headers.get("webhook-signature").split(" ")) {
      isSigned |= MessageDigest.isEqual(given.getBytes(), expected.getBytes());
    }
    long age = System.currentTimeMillis() / 1000 - Long.parseLong(stamp);
    return isSigned && Math.abs(age) <= 300;
  }

  // [end]

  static void create() throws Exception {
    // [create]
    var created =
        ask(
            "POST",
            "orders",
            """
            {"order_id": "%s", "amount_paise": 149950,
             "buyer": {"email": "asha@example.in", "phone": "9876543210",
                       "firstname": "Asha", "lastname": "Rao"}}
            """
                .formatted(ENV.get("NEW_ORDER_ID")));
    System.out.println(value(created, "page_url")); // send the customer's browser there
    // [end]
  }

  static void show() throws Exception {
    // [show]
    var order = ask("GET", "orders/" + ENV.get("ORDER_ID"), null);
    String state = value(order, "state");
    String amount = value(order, "amount_paise");
    boolean deliver = state.equals("paid") && amount.equals("149950"); // of your own books
    System.out.println(state + " " + amount);
    // [end]
  }

  static void refusal() throws Exception {
    // [refusal]
    var wrong =
        "{\"transaction_id\": \"%s\", \"amount_paise\": \"1499.50\"}"
            .formatted(ENV.get("TRANSACTION_ID"));
    var problem = ask("POST", "refunds", wrong, "idempotency-key", "wrong");
    System.out.println(problem.statusCode() + " " + value(problem, "field"));
    // [end]
  }

  static void refund() throws Exception {
    // [refund]
    var part =
        "{\"transaction_id\": \"%s\", \"amount_paise\": 100}".formatted(ENV.get("TRANSACTION_ID"));
    String name = ENV.get("NEW_ORDER_ID") + "-R"; // of your own books: sent again, it refunds once
    var refund = ask("POST", "refunds", part, "idempotency-key", name);
    System.out.println(refund.statusCode() + " " + value(refund, "amount_paise"));
    // [end]
  }

  static void events() throws Exception {
    // [events]
    var events = ask("GET", "events", null);
    System.out.println(events.body().split("\"type\":").length - 1);
    String later = "events?cursor=" + value(events, "next_cursor"); // keep it for the next time
    // [end]
  }

  public static void main(String[] arguments) throws Exception {
    create();
    show();
    refusal();
    refund();
    events();
    var received = new HashMap<String, String>();
    for (String name : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
      received.put(name, ENV.get("HTTP_" + name.toUpperCase().replace('-', '_')));
    }
    System.out.println(isOurs(received, System.in.readAllBytes()) ? "believed" : "not believed");
  }
}
