// What the pages of partners' interfaces show in Java, from the JDK alone.

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

class Partner {
  // [ask]
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static final Map<String, String> ENV = System.getenv();
  static final Map<String, String> OWN =
      Map.of(
          "affiliate", ENV.get("AFFILIATE"),
          "api-key", ENV.get("API_KEY"),
          "processor-key", ENV.get("PROCESSOR_KEY"));

  static String hash(String algorithm, String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
  }

  /** Return the reply of one call, which is JSON. */
  static String post(String path, String body, Map<String, String> headers) throws Exception {
    var call =
        HttpRequest.newBuilder(URI.create(ENV.get("BASE_URL") + "/gateway/ms" + path))
            .POST(BodyPublishers.ofString(body))
            .timeout(Duration.ofSeconds(30));
    headers.forEach(call::setHeader);
    return HTTP.send(call.build(), BodyHandlers.ofString()).body();
  }

  static String form(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Call an interface with the checksum of its values. parameters: in their order. */
  static String ask(String path, LinkedHashMap<String, String> parameters, Map<String, String> keys)
      throws Exception {
    var headers = new TreeMap<>(keys);
    String values = String.join("", parameters.values());
    headers.put("checksum", hash("SHA-256", values + ENV.get("PARTNER_SECRET")));
    headers.put("content-type", "application/x-www-form-urlencoded");
    return post(path, form(parameters), headers);
  }

  /** Return parameters from names and values, in their order. */
  static LinkedHashMap<String, String> of(String... pairs) {
    var parameters = new LinkedHashMap<String, String>();
    for (int at = 0; at < pairs.length; at += 2) parameters.put(pairs[at], pairs[at + 1]);
    return parameters;
  }

  // [end]

  static void lead() throws Exception {
    // [lead]
    String named = hash("MD5", ENV.get("AFFILIATE") + "~:~" + ENV.get("PARTNER_SECRET"));
    var key = new SecretKeySpec(named.getBytes(), "AES");
    var random = new byte[8];
    new SecureRandom().nextBytes(random);
    String iv = HexFormat.of().formatHex(random);
    var cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
    cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(iv.getBytes()));
    byte[] encrypted = cipher.doFinal(ENV.get("LEAD").getBytes(StandardCharsets.UTF_8));
    String query = iv + Base64.getEncoder().encodeToString(encrypted);
    String signed = query + ENV.get("AFFILIATE") + ENV.get("PARTNER_SECRET");
    var headers =
        Map.of(
            "affiliate", ENV.get("AFFILIATE"),
            "processor-key", ENV.get("PROCESSOR_KEY"),
            "checksum", hash("SHA-256", signed),
            "content-type", "application/json");
    String reply = post("/leads/api/createlead", "{\"query\": \"" + query + "\"}", headers);
    var found = Pattern.compile("\"query\": *\"([^\"]*)\"").matcher(reply);
    if (!found.find()) throw new IllegalStateException(reply);
    String sealed = found.group(1).replace("\\/", "/");
    cipher.init(
        Cipher.DECRYPT_MODE, key, new IvParameterSpec(sealed.substring(0, 16).getBytes()));
    byte[] opened = cipher.doFinal(Base64.getDecoder().decode(sealed.substring(16)));
    System.out.println(new String(opened, StandardCharsets.UTF_8));
    // [end]
  }

  static void entries() throws Exception {
    // [entries]
    String body =
        """
        {"mercid": "%s", "entries": [
          {"terminalid": "%s", "reference": "%s", "amount": "149.50", "table": "7"}]}
        """
            .formatted(ENV.get("MERCID"), ENV.get("TERMINALID"), ENV.get("REFERENCE"));
    String timestamp = String.valueOf(System.currentTimeMillis() / 1000);
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(ENV.get("PARTNER_SECRET").getBytes(), "HmacSHA256"));
    byte[] signature = mac.doFinal((timestamp + "." + body).getBytes(StandardCharsets.UTF_8));
    var headers =
        Map.of(
            "affiliate", ENV.get("AFFILIATE"),
            "timestamp", timestamp,
            "signature", HexFormat.of().formatHex(signature),
            "content-type", "application/json");
    System.out.println(post("/pos/api/transaction-entries", body, headers));
    // [end]
  }

  public static void main(String[] arguments) throws Exception {
    // [calculator]
    var asked = of("cost", "10000", "profit", "500", "gst", "100.50", "same_state", "Y");
    System.out.println(ask("/baas/api/gst-calculator", asked, OWN));
    // [end]

    // [registration]
    System.out.println(ask("/baas/api/gst-verification", of("gstin", ENV.get("GSTIN")), OWN));
    // [end]

    // [holder]
    String consent = "I agree that my number is checked for opening an account.";
    var holder =
        of("name", ENV.get("NAME"), "consentText", consent, "aadhaarNo", ENV.get("AADHAAR"));
    System.out.println(ask("/baas/api/aadhaar-verification", holder, OWN));
    // [end]

    // [document]
    var begun = of("type", "otp", "aadhaarNo", ENV.get("AADHAAR"));
    System.out.println(ask("/baas/api/aadhaar-xml", begun, OWN));
    // [end]

    // [cards]
    var token = Map.of("token", ENV.get("CARD_TOKEN"));
    System.out.println(ask("/cards/api/card-details", of("entity_id", ENV.get("ENTITY_ID")), token));
    // [end]

    lead();

    // [sales]
    var terminal =
        of(
            "mercid", ENV.get("MERCID"),
            "terminalid", ENV.get("TERMINALID"),
            "uniqueid", ENV.get("UNIQUEID"));
    var kind = Map.of("content-type", "application/x-www-form-urlencoded");
    System.out.println(post("/pos/api/transaction-detail-bulk", form(terminal), kind));
    // [end]

    entries();
  }
}
