package hundi;

import hundi.HundiException.Kind;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;

/** A message with its signature (Standard Webhooks). */
record Signature(String id, String timestamp, String signatures, String content) {
  /** Return when the message was signed with one of the keys, in seconds since 1970. */
  long signedAt(List<String> keys) {
    if (id.isEmpty() || signatures.isEmpty() || !timestamp.matches("[0-9]{1,11}")) {
      throw HundiException.untrusted(Kind.SIGNATURE, "the webhook signature is missing");
    }
    long seconds = Long.parseLong(timestamp);
    for (String key : keys) {
      byte[] secret = Base64.getDecoder().decode(key.replaceFirst("^whsec_", ""));
      byte[] mac = Envelope.hmac(secret, id + "." + seconds + "." + content);
      byte[] expected = Envelope.utf8("v1," + Base64.getEncoder().encodeToString(mac));
      for (String received : signatures.split(" ", -1)) {
        if (MessageDigest.isEqual(expected, Envelope.utf8(received))) return seconds;
      }
    }
    String message = "the webhook signature was made with none of the keys";
    throw HundiException.untrusted(Kind.SIGNATURE, message);
  }

  /** Throw for a message that was signed too long ago, or too far ahead of our clock. */
  static void checkAge(long signedAtS, double nowS, double toleranceS) {
    double ageS = nowS - signedAtS;
    if (Math.abs(ageS) > toleranceS) {
      String message =
          String.format("signed %.0f seconds ago; %.0f either way are accepted", ageS, toleranceS);
      throw HundiException.untrusted(Kind.STALE, message);
    }
  }
}
