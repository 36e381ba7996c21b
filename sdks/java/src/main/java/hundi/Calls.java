package hundi;

import hundi.HundiException.Kind;
import hundi.Messages.AccessToken;
import hundi.Messages.TokenRequest;
import hundi.Operations.Echo;
import hundi.Operations.Spec;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Sends requests and reads replies: token, envelope, tries that never move money twice. */
final class Calls {
  private static final int REPLY_BYTES_MAX = 2 * 1024 * 1024;
  private static final long TOKEN_SPARE_S = 60;

  private record Token(String text, long renewAtNanos) {}

  final Credentials credentials;
  final Gateway gateway;
  private final HttpClient http;
  private final Map<Client.Scope, Token> tokens = new EnumMap<>(Client.Scope.class);

  Calls(Credentials credentials, Gateway gateway) {
    gateway.check();
    this.credentials = credentials;
    this.gateway = gateway;
    // A redirect would carry the token to another host.
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(gateway.timeout)
            .build();
  }

  /** Return the data of an operation's reply, compared with the request. */
  Object perform(Spec operation, Map<String, Object> payload) {
    Object data = ask(operation, payload).get("data");
    for (Map<?, ?> record : subjects(operation, data)) {
      for (Echo echo : operation.echoes()) compare(echo, payload, record);
    }
    return data;
  }

  private static List<Map<?, ?>> subjects(Spec operation, Object data) {
    if (!operation.list().isEmpty() && data instanceof Map<?, ?> whole)
      data = whole.get(operation.list());
    List<Map<?, ?>> found = new ArrayList<>();
    for (Object each : data instanceof List<?> list ? list : List.of(data == null ? "" : data)) {
      if (each instanceof Map<?, ?> record) found.add(record);
    }
    return found;
  }

  private static void compare(Echo echo, Map<String, Object> payload, Map<?, ?> record) {
    String expected = Json.textOf(payload.get(echo.name()));
    String received = Json.textOf(record.get(echo.name()));
    if (echo.isNumber()) {
      expected = expected.replaceFirst("^0+", "");
      received = received.replaceFirst("^0+", "");
    }
    if (expected.isEmpty() || expected.equals(received)) return;
    if (echo.isSecret()) throw HundiException.mismatch(echo.name(), "the one asked for", "another");
    throw HundiException.mismatch(echo.name(), expected, received);
  }

  /** Return a usable token; while one is fetched, others wait for it. rejected: a refused one. */
  synchronized String token(Client.Scope scope, String rejected) {
    Token held = tokens.get(scope);
    if (held != null
        && !held.text().equals(rejected)
        && System.nanoTime() - held.renewAtNanos() < 0) {
      return held.text();
    }
    var w = new Writer("");
    new TokenRequest(
            credentials.oauthClientId, credentials.oauthClientSecret, credentials.merchantId)
        .scope(scope.name().toLowerCase())
        .write(w);
    Map<String, String> form = envelope(w.fields);
    form.remove("privatekey");
    long askedAtNanos = System.nanoTime();
    Spec operation = Operations.ACCESS_TOKEN;
    AccessToken issued =
        AccessToken.read(Reader.of(exchange(operation, operation.address(), form).get("data")));
    // Half of a very short life: a longer spare would make every token old at once.
    long lifeS = issued.lifeS() - Math.min(TOKEN_SPARE_S, issued.lifeS() / 2);
    tokens.put(scope, new Token(issued.token(), askedAtNanos + TimeUnit.SECONDS.toNanos(lifeS)));
    return issued.token();
  }

  /** Return the outer fields of a request. */
  Map<String, String> envelope(Map<String, Object> fields) {
    return sealed(
        credentials, fields, OffsetDateTime.now(Reader.INDIA).toLocalDate().toString(), null);
  }

  /** Return the outer fields of a request whose business fields are sealed. */
  static Map<String, String> sealed(
      Credentials credentials, Map<String, Object> fields, String day, String iv) {
    // Whoever holds a message can change its first 16 bytes: they hold the name of a field that
    // nobody reads. Its value keeps them from computing the checksum.
    List<Object> pairs = new ArrayList<>();
    for (var each : fields.entrySet()) pairs.add(pair(each.getKey(), each.getValue()));
    byte[] mac = Envelope.hmac(Envelope.utf8(credentials.apiSecret), Json.compact(pairs));
    Map<String, Object> whole = new LinkedHashMap<>();
    whole.put("request_seal", Envelope.hex(mac));
    whole.putAll(fields);
    Map<String, String> form = new LinkedHashMap<>();
    form.put("merchant_id", credentials.merchantId);
    form.put("privatekey", credentials.privatekey);
    form.put(
        "encdata",
        Envelope.seal(credentials.encryptionKey, Envelope.utf8(Json.compact(whole)), iv));
    form.put("checksum", Envelope.checksum(whole, day));
    return form;
  }

  private static List<Object> pair(String name, Object value) {
    List<Object> pair = new ArrayList<>();
    pair.add(name);
    pair.add(value);
    return pair;
  }

  private Map<String, Object> ask(Spec operation, Map<String, Object> payload) {
    Map<String, String> form = envelope(payload);
    if (!operation.withToken()) return exchange(operation, operation.address(), form);
    String held = token(Client.Scope.OPERATIONS, "");
    try {
      return exchange(operation, withToken(operation.address(), held), form);
    } catch (HundiException error) {
      if (error.kind() != Kind.TOKEN_REFUSED) throw error;
      // Once: the gateway may have forgotten tokens. A refused fresh one is a real refusal.
      String fresh = token(Client.Scope.OPERATIONS, held);
      return exchange(operation, withToken(operation.address(), fresh), form);
    }
  }

  private Map<String, Object> exchange(Spec operation, String address, Map<String, String> form) {
    for (int tries = 0; ; tries++) {
      try {
        return readReply(credentials, send(operation, address, form), gateway.allowPlainReplies);
      } catch (HundiException error) {
        if (!error.hasNoAnswer()) throw error;
        if (!operation.repeats()) throw HundiException.outcomeUnknown(operation.name(), error);
        if (tries == gateway.pauses.size()) throw error;
        pause(tries, error);
      }
    }
  }

  private void pause(int tries, HundiException error) {
    try {
      Thread.sleep(gateway.pauses.get(tries).toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw error;
    }
  }

  private byte[] send(Spec operation, String address, Map<String, String> form) {
    String body = operation.asJson() ? Json.compact(form) : urlEncoded(form);
    String type = operation.asJson() ? "application/json" : "application/x-www-form-urlencoded";
    var request =
        HttpRequest.newBuilder(URI.create(gateway.baseUrl + address))
            .header("content-type", type)
            .header("user-agent", "hundi-java/0.1.0")
            .timeout(gateway.timeout)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    var sent = CompletableFuture.supplyAsync(() -> received(request));
    try {
      return sent.get(gateway.timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException error) {
      if (error.getCause() instanceof HundiException known) throw known;
      throw unreachable(error.getCause());
    } catch (TimeoutException error) {
      sent.cancel(true);
      throw unreachable(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw unreachable(error);
    }
  }

  private byte[] received(HttpRequest request) {
    try (InputStream body = http.send(request, BodyHandlers.ofInputStream()).body()) {
      byte[] found = body.readNBytes(REPLY_BYTES_MAX + 1);
      if (found.length <= REPLY_BYTES_MAX) return found;
      String message = "the reply is longer than " + REPLY_BYTES_MAX + " bytes";
      throw HundiException.noAnswer(Kind.UNREADABLE_REPLY, message);
    } catch (IOException error) {
      throw unreachable(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw unreachable(error);
    }
  }

  private HundiException unreachable(Throwable error) {
    // The text of an error may name the address, and with it the token.
    String reason = error.getClass().getSimpleName();
    return HundiException.noAnswer(
        Kind.UNREACHABLE, "no answer from " + gateway.baseUrl + ": " + reason);
  }

  /** Return the opened envelope of a reply; throw the error of a refusal. */
  static Map<String, Object> readReply(Credentials credentials, byte[] body, boolean allowPlain) {
    Map<String, Object> envelope;
    try {
      envelope = Json.parse(body, Json.REPLY_VALUES_MAX);
    } catch (Json.Unreadable error) {
      throw HundiException.noAnswer(Kind.UNREADABLE_REPLY, "an answer that is not the gateway's");
    }
    boolean isSealed = envelope.get("response") instanceof String;
    if (isSealed) envelope = opened(credentials, envelope);
    if (!"200".equals(envelope.get("status_code"))) throw refusal(envelope);
    if (!isSealed && !allowPlain) {
      String message = "the reply is not encrypted; set reply_format to both, or allowPlainReplies";
      throw HundiException.configuration(message);
    }
    return envelope;
  }

  private static Map<String, Object> opened(Credentials credentials, Map<String, Object> plain) {
    try {
      return Envelope.openJson(
          credentials.encryptionKey, (String) plain.get("response"), Json.REPLY_VALUES_MAX);
    } catch (Envelope.Unreadable error) {
      // The plain part beside it proves nothing, but it is the hint a developer needs.
      HundiException hint = "400".equals(plain.get("status_code")) ? refusal(plain) : null;
      String message = "the reply is encrypted under another key: username or password is wrong";
      throw HundiException.wrongKey(message, hint);
    }
  }

  private static HundiException refusal(Map<String, Object> envelope) {
    String code = Json.textOf(envelope.get("error_code"));
    if (code.isEmpty()) code = Json.textOf(envelope.get("response_code"));
    String message = Json.textOf(envelope.get("message"));
    return HundiException.refusal(code, message, Json.textOf(envelope.get("request_id")));
  }

  private static String urlEncoded(Map<String, String> form) {
    return form.entrySet().stream()
        .map(
            each ->
                each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  static String withToken(String address, String token) {
    return address + "?token=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
  }
}
