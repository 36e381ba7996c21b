package hundi;

import hundi.HundiException.Kind;
import hundi.Messages.Transaction;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Checks what the gateway tells one merchant: the browser's return and the notification. */
public final class Callbacks {
  private static final int BODY_BYTES_MAX = 256 * 1024;
  private static final int FORM_FIELDS_MAX = 100;
  private final Credentials credentials;
  private final Duration tolerance;
  private final Duration returnTolerance;
  private final InstantSource clock;

  /** A checked return. The transaction may be older than what {@code verify} knows. */
  public record Return(String webhookId, Transaction transaction) {}

  /**
   * A checked notification. It is delivered at least once: store the ids that you have handled. The
   * event is "" in the form notification; a newer gateway may have further words.
   */
  public record Notification(
      String webhookId, Instant sentAt, String event, Transaction transaction) {
    /** Return whether this happened. */
    public boolean is(Event asked) {
      return asked.word().equals(event);
    }
  }

  public Callbacks(Credentials credentials) {
    this(credentials, Duration.ofMinutes(5), Duration.ofMinutes(15), InstantSource.system());
  }

  /** tolerance, returnTolerance: how old a signature may be, of a notification and of a return. */
  public Callbacks(
      Credentials credentials, Duration tolerance, Duration returnTolerance, InstantSource clock) {
    this.credentials = credentials;
    this.tolerance = tolerance;
    this.returnTolerance = returnTolerance;
    this.clock = clock;
  }

  /** Return the order id that a return names, unchecked: use it only to find your own order. */
  public String claimedOrderId(Map<String, String> form) {
    return Json.textOf(recordIn(opened(responseIn(form))).get("orderid"));
  }

  /**
   * Return what the browser brought back, once everything about it is checked. Order, amount and
   * currency are those of your own books.
   */
  public Return readReturn(Map<String, String> form, Expected expected) {
    String response = responseIn(form);
    String id = form.getOrDefault("webhook_id", "");
    String timestamp = form.getOrDefault("webhook_timestamp", "");
    check(
        new Signature(id, timestamp, form.getOrDefault("webhook_signature", ""), response),
        returnTolerance);
    Transaction found = transaction(recordIn(opened(response)));
    found.demand(credentials.merchantId, expected);
    return new Return(id, found);
  }

  /**
   * Return a notification of any of the three forms. headers: names in any case. body: exactly what
   * came. Answer 2xx when this returns, 4xx when it throws.
   */
  public Notification readNotification(Map<String, String> headers, byte[] body) {
    if (body.length > BODY_BYTES_MAX)
      throw unreadable("the body is longer than " + BODY_BYTES_MAX + " bytes");
    Map<String, String> named = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    named.putAll(headers);
    String content = utf8(body);
    String id = named.getOrDefault("webhook-id", "");
    String timestamp = named.getOrDefault("webhook-timestamp", "");
    var signature =
        new Signature(id, timestamp, named.getOrDefault("webhook-signature", ""), content);
    Instant sentAt = Instant.ofEpochSecond(check(signature, tolerance));
    if (!content.stripLeading().startsWith("{")) {
      return new Notification(id, sentAt, "", transaction(formRecord(content)));
    }
    Map<String, Object> envelope = envelopeIn(body);
    String event = Json.textOf(envelope.get("event"));
    return new Notification(id, sentAt, event, transaction(recordIn(envelope)));
  }

  private long check(Signature signature, Duration tolerance) {
    long at = signature.signedAt(credentials.webhookKeys);
    Signature.checkAge(at, clock.millis() / 1000.0, tolerance.toSeconds());
    return at;
  }

  private Map<String, Object> envelopeIn(byte[] body) {
    try {
      Map<String, Object> envelope = Json.parse(body, Json.VALUES_MAX);
      return envelope.get("response") instanceof String response ? opened(response) : envelope;
    } catch (Json.Unreadable error) {
      throw unreadable("the notification is no JSON object");
    }
  }

  private Map<String, Object> opened(String response) {
    try {
      return Envelope.openJson(credentials.encryptionKey, response, Json.VALUES_MAX);
    } catch (Envelope.Unreadable error) {
      throw unreadable("response cannot be decrypted with this merchant's encryption key");
    }
  }

  private Transaction transaction(Map<String, Object> record) {
    Transaction found;
    try {
      found = Records.transaction(record, credentials.username);
    } catch (HundiException error) {
      throw error.kind() == Kind.UNREADABLE_REPLY ? unreadable(error.getMessage()) : error;
    }
    if (!found.merchantId().equals(credentials.merchantId)) {
      throw HundiException.mismatch("merchant_id", credentials.merchantId, found.merchantId());
    }
    return found;
  }

  private static String responseIn(Map<String, String> form) {
    // A "+" that a form parser turned into a space would spoil the signature.
    String response = form.getOrDefault("response", "").replace(' ', '+');
    if (response.isEmpty() || response.length() > BODY_BYTES_MAX) {
      throw unreadable("the form holds no field response, or one that is too long");
    }
    return response;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> recordIn(Map<String, Object> envelope) {
    if (envelope.get("data") instanceof Map<?, ?> record) return (Map<String, Object>) record;
    throw unreadable("the envelope holds no transaction record");
  }

  private static Map<String, Object> formRecord(String content) {
    Map<String, Object> record = new LinkedHashMap<>();
    String[] parts = content.isEmpty() ? new String[0] : content.split("&", -1);
    if (parts.length > FORM_FIELDS_MAX) throw unreadable("the form has too many fields");
    for (String part : parts) {
      int place = part.indexOf('=');
      if (place < 0) throw unreadable("the notification is neither JSON nor a form");
      String name = decoded(part.substring(0, place));
      record.put(
          Operations.FORM_NAMES.getOrDefault(name, name), decoded(part.substring(place + 1)));
    }
    return record;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException error) {
      throw unreadable("the notification is neither JSON nor a form");
    }
  }

  private static String utf8(byte[] body) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException error) {
      throw unreadable("the body is not UTF-8");
    }
  }

  private static HundiException unreadable(String message) {
    return HundiException.untrusted(Kind.UNREADABLE_CALLBACK, message);
  }
}
