// A whole shop in one file: one thing to buy, paid through a Hundi gateway.
//
//     make -C sdks java
//     java -cp sdks/java/target/classes examples/Shop.java merchant.json http://127.0.0.1:8080 9000
//
// `merchant.json` is what `hundi merchant add --json` printed; the merchant's addresses are `/return`
// and `/notifications` of this shop. Orders are kept in memory: keep yours in a database.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import hundi.Callbacks;
import hundi.Client;
import hundi.Credentials;
import hundi.Expected;
import hundi.Gateway;
import hundi.HundiException;
import hundi.Messages.Buyer;
import hundi.Messages.PaymentRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class Shop {
  static final long PRICE_PAISE = 149_950;
  static final Buyer BUYER = new Buyer("asha@example.in", "9876543210", "Asha", "Rao");

  /** Our own books: order id and how it stands. */
  final Map<String, String> orders = new ConcurrentHashMap<>();

  final Client client;
  final Callbacks callbacks;

  Shop(Credentials credentials, String gateway) {
    client = new Client(credentials, new Gateway(gateway));
    callbacks = new Callbacks(credentials);
  }

  void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    try {
      switch (exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath()) {
        case "GET /" -> answer(exchange, 200, page());
        case "POST /buy" -> answer(exchange, 200, buy());
        case "POST /return" -> {
          // What the browser brings is a claim: ask the gateway before goods are released.
          ask(callbacks.claimedOrderId(form(body)));
          exchange.getResponseHeaders().set("location", "/"); // a reload sends nothing twice
          answer(exchange, 303, "");
        }
        case "POST /notifications" -> {
          // The gateway's server tells us, also when the customer never comes back; it signs.
          var headers =
              exchange.getRequestHeaders().entrySet().stream()
                  .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().get(0)));
          ask(callbacks.readNotification(headers, body).transaction().orderId());
          answer(exchange, 200, "Written down.");
        }
        default -> answer(exchange, 404, "There is nothing here.");
      }
    } catch (HundiException error) {
      boolean isForged = error.isUntrusted();
      String words = isForged ? "Not believed: " : "The gateway said: ";
      answer(exchange, isForged ? 400 : 502, words + escaped(error.getMessage()));
    }
  }

  String page() {
    String lines =
        orders.entrySet().stream()
            .map(each -> "<li>" + each.getKey() + ": <b>" + escaped(each.getValue()) + "</b></li>")
            .collect(Collectors.joining());
    return "<!doctype html><title>My shop</title><h1>My shop</h1><form method=post action=/buy>"
        + "<button>Buy a handloom sari for ₹1,499.50</button></form><ul>"
        + lines
        + "</ul>";
  }

  String buy() {
    String orderId = "order-" + System.nanoTime();
    orders.put(orderId, "waiting");
    return client.paymentForm(new PaymentRequest(orderId, PRICE_PAISE, BUYER)).html();
  }

  /** Ask the gateway how an order stands; it must name our order id and our amount. */
  void ask(String orderId) {
    if (!orders.containsKey(orderId)) return;
    var told = client.verify(new Expected(orderId, PRICE_PAISE));
    String open = told.isPending() ? "waiting" : "not paid: " + told.message();
    orders.put(orderId, told.isPaid() ? "paid" : open);
  }

  static Map<String, String> form(byte[] body) {
    return List.of(new String(body, StandardCharsets.UTF_8).split("&")).stream()
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(
            Collectors.toMap(
                pair -> URLDecoder.decode(pair[0], StandardCharsets.UTF_8),
                pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8),
                (first, second) -> second));
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "text/html; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Return a text of merchant.json; the JDK reads no JSON, and these texts have no escapes. */
  static String key(String json, String name) {
    var found = Pattern.compile('"' + name + "\":\\s*\\[?\\s*\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new IllegalArgumentException("merchant.json has no " + name);
    return found.group(1);
  }

  public static void main(String[] arguments) throws IOException {
    String json = Files.readString(Path.of(arguments[0]));
    String gateway = arguments.length > 1 ? arguments[1] : "http://127.0.0.1:8080";
    int port = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 9000;
    var credentials =
        new Credentials(
            key(json, "merchant_id"),
            key(json, "username"),
            key(json, "password"),
            key(json, "secret"),
            key(json, "client_id"),
            key(json, "client_secret"),
            List.of(key(json, "webhook_keys")));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", new Shop(credentials, gateway)::handle);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("Open http://127.0.0.1:" + port + "/");
  }
}
