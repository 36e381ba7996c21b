package hundi;

import hundi.Messages.Buyer;
import hundi.Messages.CaptureRequest;
import hundi.Messages.GenerateOrderRequest;
import hundi.Messages.LinkName;
import hundi.Messages.NewPaymentLink;
import hundi.Messages.PaymentRequest;
import hundi.Messages.RefundItem;
import hundi.Messages.SplitPart;
import hundi.Messages.SplitRequest;
import hundi.Messages.Transaction;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Answers requests, one a line: what vectors, random messages and a shop's life ask of an SDK. */
public final class Peer {
  private static Client client;
  private final Map<String, Object> given;

  private Peer(Map<String, Object> given) {
    this.given = given;
  }

  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line; (line = lines.readLine()) != null; ) {
      Map<String, Object> asked = Json.parse(Envelope.utf8(line), Json.REPLY_VALUES_MAX);
      out.println(
          Json.compact(answer((String) asked.get("do"), new Peer(object(asked.get("with"))))));
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private static Map<String, Object> answer(String asked, Peer peer) throws Exception {
    try {
      return of("gives", peer.perform(asked));
    } catch (Json.Unreadable | Envelope.Unreadable error) {
      return of("refused", of("kind", "unreadable"));
    } catch (HundiException error) {
      return of("refused", refused(error));
    }
  }

  private static Map<String, Object> refused(HundiException error) {
    Map<String, Object> told = of("kind", error.kind().name().toLowerCase());
    if (error.kind() != HundiException.Kind.INVALID_REQUEST) {
      told.put("code", error.code());
      told.put("retry", error.retry().name().toLowerCase());
    }
    if (!error.field().isEmpty()) {
      told.put("field", error.field());
      told.put("received", error.received());
      told.put("allowed", error.allowed());
    }
    return told;
  }

  private static Map<String, Object> of(Object... pairs) {
    Map<String, Object> found = new LinkedHashMap<>();
    for (int place = 0; place < pairs.length; place += 2)
      found.put((String) pairs[place], canonical(pairs[place + 1]));
    return found;
  }

  private static Object canonical(Object value) {
    if (value == null) return "";
    if (value instanceof Map) return value;
    if (value instanceof OffsetDateTime moment) return Long.toString(moment.toEpochSecond());
    if (value instanceof Instant moment) return Long.toString(moment.getEpochSecond());
    return value.toString();
  }

  private static Map<String, Object> summary(Transaction t) {
    return of(
        "transaction_id",
        t.transactionId(),
        "order_id",
        t.orderId(),
        "merchant_id",
        t.merchantId(),
        "amount_paise",
        t.amountPaise(),
        "status_code",
        t.statusCode(),
        "channel",
        t.channel(),
        "customer_name",
        t.customerName(),
        "message",
        t.message(),
        "custom_var",
        t.customVar(),
        "rrn",
        t.rrn(),
        "refunded_paise",
        t.refundedPaise(),
        "created_at",
        t.createdAt(),
        "at_risk",
        t.atRisk(),
        "is_paid",
        t.isPaid(),
        "is_pending",
        t.isPending(),
        "is_failed",
        t.isFailed(),
        "is_authorised",
        t.isAuthorised(),
        "is_voided",
        t.isVoided(),
        "is_refund",
        t.isRefund(),
        "is_final",
        t.isFinal());
  }

  private String text(String name) {
    return Json.textOf(given.get(name));
  }

  private long number(String name) {
    return Long.parseLong(text(name));
  }

  private byte[] bytes(String name) {
    return Base64.getDecoder().decode(text(name));
  }

  private static List<String> texts(Object value) {
    return ((List<?>) value).stream().map(Json::textOf).toList();
  }

  private Map<String, String> pairs(String name) {
    Map<String, String> found = new LinkedHashMap<>();
    object(given.get(name)).forEach((key, each) -> found.put(key, Json.textOf(each)));
    return found;
  }

  private byte[] key() {
    return Envelope.key(text("username"), text("password"));
  }

  private Credentials credentials() {
    var own = new Peer(object(given.get("credentials")));
    return new Credentials(
        own.text("merchant_id"),
        own.text("username"),
        own.text("password"),
        own.text("api_secret"),
        own.text("oauth_client_id"),
        own.text("oauth_client_secret"),
        texts(own.given.get("webhook_keys")));
  }

  private Callbacks callbacks() {
    Instant now = Instant.ofEpochSecond(number("now"));
    return new Callbacks(credentials(), Duration.ofMinutes(5), Duration.ofMinutes(15), () -> now);
  }

  private Expected expected() {
    return new Expected(
        text("order_id"),
        number("amount_paise"),
        given.containsKey("currency") ? text("currency") : "INR");
  }

  private Object read(String kind) {
    Reader r = Reader.of(Map.of("field", text("text")));
    return canonical(
        switch (kind) {
          case "money" -> r.money("field");
          case "balance" -> r.balance("field");
          case "money_or_none" -> r.moneyOrNone("field");
          case "limit" -> r.limit("field");
          case "moment" -> r.moment("field");
          case "day" -> r.day("field");
          case "whole" -> r.whole("field");
          case "number" -> r.number("field");
          case "record_time" -> r.recordTime("field");
          default -> r.yesOrNo("field");
        });
  }

  private Object perform(String asked) throws Exception {
    return switch (asked) {
      case "key" -> new String(key(), StandardCharsets.US_ASCII);
      case "seal" -> Envelope.seal(key(), Envelope.utf8(text("text")), text("iv"));
      case "open" -> Base64.getEncoder().encodeToString(Envelope.open(key(), text("encdata")));
      case "open_json" -> Json.compact(Envelope.openJson(key(), text("encdata"), Json.VALUES_MAX));
      case "json" -> Json.compact(Json.parse(bytes("base64"), Json.VALUES_MAX));
      case "checksum" -> {
        Map<String, Object> forms =
            of("v4", Envelope.checksum(object(given.get("fields")), text("day")));
        forms.putAll(Envelope.crc32Forms(object(given.get("fields"))));
        yield forms;
      }
      case "privatekey" -> Envelope.privatekey(text("secret"), text("username"), text("password"));
      case "secure_hash" -> Envelope.secureHash(texts(given.get("values")), text("payer_vpa"));
      case "envelope" ->
          Calls.sealed(credentials(), object(given.get("fields")), text("day"), text("iv"));
      case "signature" -> {
        var signature =
            new Signature(text("id"), text("timestamp"), text("signatures"), text("content"));
        long at = signature.signedAt(texts(given.get("keys")));
        Signature.checkAge(at, number("now"), number("tolerance"));
        yield Long.toString(at);
      }
      case "paise" -> canonical(Money.paise(text("text")));
      case "amount_text" -> Money.text(number("paise"));
      case "read" -> read(text("kind"));
      case "record_time" -> read("record_time");
      case "return" -> {
        var told = callbacks().readReturn(pairs("form"), expected());
        Map<String, Object> about = of("webhook_id", told.webhookId());
        about.putAll(summary(told.transaction()));
        yield about;
      }
      case "notification" -> {
        var told = callbacks().readNotification(pairs("headers"), bytes("body"));
        Map<String, Object> about =
            of("webhook_id", told.webhookId(), "event", told.event(), "sent_at", told.sentAt());
        about.putAll(summary(told.transaction()));
        yield about;
      }
      case "reply" -> Json.compact(Calls.readReply(credentials(), bytes("body"), false));
      case "speed" -> {
        byte[] key = Envelope.key("demo-user", "demo-pass");
        byte[] text = new byte[1024];
        long started = System.nanoTime();
        for (long round = 0; round < number("rounds"); round++)
          Envelope.open(key, Envelope.seal(key, text, null));
        yield String.format("%.1f", (System.nanoTime() - started) / 1000.0 / number("rounds"));
      }
      default -> live(asked);
    };
  }

  /** A shop's life at a running gateway. */
  private Object live(String asked) {
    return switch (asked) {
      case "connect" -> {
        var pause = Duration.ofMillis(1);
        var gateway = new Gateway(text("base_url")).paymentPageUrl(text("payment_page_url"));
        client =
            new Client(
                credentials(),
                gateway.pauses(List.of(pause, pause)).timeout(Duration.ofSeconds(20)));
        yield "";
      }
      case "payment_form" -> {
        var buyer = new Buyer("asha@example.in", "+91 98765-43210", "आशा", "O'Brien");
        var order = new PaymentRequest(text("order_id"), number("amount_paise"), buyer);
        var form = client.paymentForm(order.txnsubtype(text("txnsubtype")));
        yield of("action", form.actionUrl(), "fields", form.fields(), "html", form.html());
      }
      case "verify" -> summary(client.verify(expected()));
      case "refund" -> {
        var item = new RefundItem(text("transaction_id")).amountPaise(number("amount_paise"));
        var result = client.refund(List.of(item), text("request_id")).get(0);
        yield of(
            "accepted",
            result.accepted(),
            "code",
            result.code(),
            "amount_paise",
            result.amountPaise());
      }
      case "generate_qr" -> {
        var qr =
            client.generateQr(new GenerateOrderRequest(text("order_id"), number("amount_paise")));
        String png = new String(qr.png(), 1, 3, StandardCharsets.US_ASCII);
        yield of("text", qr.text(), "order_id", qr.orderId(), "png", png);
      }
      case "validate_vpa" -> {
        var found = client.validateVpa(text("address"));
        yield of("address", found.address(), "is_registered", found.isRegistered());
      }
      case "split" -> {
        long share = number("share");
        var parts = List.of(new SplitPart(text("identifier"), share));
        var split =
            new SplitRequest(
                text("transaction_id"), text("request_id"), "percentage", 10000 - share, parts);
        var made = client.split(split.rrn(text("rrn")));
        yield of("status", made.status(), "primary_paise", made.primaryPaise());
      }
      case "capture" -> summary(client.capture(new CaptureRequest(text("transaction_id"))));
      case "banks" ->
          client.banks(new Messages.BanksRequest()).stream()
              .map(Messages.Bank::channel)
              .distinct()
              .sorted()
              .collect(Collectors.joining(" "));
      default -> {
        var link = client.createLink(new NewPaymentLink(text("reference"), 5000, "Tea"));
        var again = client.link(new LinkName().reference(text("reference")));
        yield of("state", link.state(), "same", link.linkId().equals(again.linkId()));
      }
    };
  }
}
