package hundi;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A merchant's credentials. apiSecret proves who is calling; the OAuth client obtains access tokens
 * and nothing else; webhookKeys sign what the gateway tells, newest first.
 */
public final class Credentials {
  /** Eight groups of four letters are 24 bytes: with an empty key, everybody could sign. */
  private static final Pattern WEBHOOK_KEY =
      Pattern.compile(
          "whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?");

  final String merchantId;
  final String username;
  final String apiSecret;
  final String oauthClientId;
  final String oauthClientSecret;
  final List<String> webhookKeys;
  final byte[] encryptionKey;
  final String privatekey;

  public Credentials(
      String merchantId,
      String username,
      String password,
      String apiSecret,
      String oauthClientId,
      String oauthClientSecret,
      List<String> webhookKeys) {
    Map.of(
            "merchantId",
            merchantId,
            "username",
            username,
            "password",
            password,
            "apiSecret",
            apiSecret,
            "oauthClientId",
            oauthClientId,
            "oauthClientSecret",
            oauthClientSecret)
        .forEach(
            (name, value) -> {
              if (value.isEmpty())
                throw HundiException.configuration("the credential " + name + " is empty");
            });
    if (webhookKeys.isEmpty()
        || !webhookKeys.stream().allMatch(key -> WEBHOOK_KEY.matcher(key).matches())) {
      throw HundiException.configuration(
          "webhookKeys are none, or one is not whsec_ and the base64 of 24 bytes or more");
    }
    if (!merchantId.matches("[0-9]+"))
      throw HundiException.configuration("merchantId consists of digits");
    this.merchantId = merchantId;
    this.username = username;
    this.apiSecret = apiSecret;
    this.oauthClientId = oauthClientId;
    this.oauthClientSecret = oauthClientSecret;
    this.webhookKeys = List.copyOf(webhookKeys);
    this.encryptionKey = Envelope.key(username, password);
    this.privatekey = Envelope.privatekey(apiSecret, username, password);
  }

  /** Return the merchant id alone, so that no log line has a secret. */
  @Override
  public String toString() {
    return "Credentials[merchantId=" + merchantId + "]";
  }
}
