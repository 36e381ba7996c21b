package hundi;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The cipher and the checksums. The cipher has no authentication tag, and a checksum has no key:
 * none of them proves anything by itself.
 */
final class Envelope {
  private static final int BLOCK = 16;
  private static final Pattern IV = Pattern.compile("[ -~]{16}");
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final HexFormat HEX = HexFormat.of();
  private static final Comparator<String> BY_CODE_POINT =
      (one, other) -> compareBytes(utf8(one), utf8(other));

  /** The message cannot be opened. No reason is given: it would help an attacker. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private Envelope() {}

  /** Return the key: the 32 hex characters of md5(username~:~password), as bytes. */
  static byte[] key(String username, String password) {
    return utf8(digest("MD5", username + "~:~" + password));
  }

  /**
   * Return IV and base64 of the ciphertext. iv: 16 printable ASCII characters, null for random
   * ones.
   */
  static String seal(byte[] key, byte[] plaintext, String iv) {
    if (iv == null) {
      byte[] random = new byte[BLOCK / 2];
      RANDOM.nextBytes(random);
      iv = HEX.formatHex(random);
    }
    if (!IV.matcher(iv).matches())
      throw new IllegalArgumentException("an IV is 16 printable ASCII characters");
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, iv).doFinal(plaintext);
      return iv + Base64.getEncoder().encodeToString(sealed);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Return the plaintext of a sealed message; a + that arrived as a space is repaired. */
  static byte[] open(byte[] key, String encdata) throws Unreadable {
    if (!isSealed(encdata)) encdata = encdata.replace(' ', '+').replace("\r", "").replace("\n", "");
    if (!isSealed(encdata)) throw new Unreadable();
    try {
      byte[] ciphertext = Base64.getDecoder().decode(encdata.substring(BLOCK));
      return cipher(Cipher.DECRYPT_MODE, key, encdata.substring(0, BLOCK)).doFinal(ciphertext);
    } catch (GeneralSecurityException | IllegalArgumentException error) {
      throw new Unreadable();
    }
  }

  static Map<String, Object> openJson(byte[] key, String encdata, int valuesMax) throws Unreadable {
    try {
      return Json.parse(open(key, encdata), valuesMax);
    } catch (Json.Unreadable error) {
      throw new Unreadable();
    }
  }

  private static boolean isSealed(String encdata) {
    // The decoder refuses every other sign that is none of base64, but accepts a missing padding.
    if (encdata.length() <= BLOCK || encdata.length() % 4 != 0) return false;
    boolean isRepaired = encdata.indexOf(' ', BLOCK) < 0 && encdata.indexOf('\n', BLOCK) < 0;
    isRepaired &= encdata.indexOf('\r', BLOCK) < 0;
    return isRepaired && IV.matcher(encdata.substring(0, BLOCK)).matches();
  }

  private static Cipher cipher(int mode, byte[] key, String iv) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
    cipher.init(mode, new SecretKeySpec(key, "AES"), new IvParameterSpec(utf8(iv)));
    return cipher;
  }

  /** Return the checksum that requests carry. day: YYYY-MM-DD, in India. */
  static String checksum(Map<String, Object> fields, String day) {
    return digest("SHA-256", valuesByName(fields).collect(Collectors.joining()) + day);
  }

  /** Return the CRC32 of older clients: by name and by value, as decimal and as hex. */
  static Map<String, String> crc32Forms(Map<String, Object> fields) {
    long byName = crc32(valuesByName(fields).collect(Collectors.joining()));
    long byValue = crc32(valuesByName(fields).sorted(BY_CODE_POINT).collect(Collectors.joining()));
    Map<String, String> forms = new LinkedHashMap<>();
    forms.put("crc32-by-key-decimal", Long.toString(byName));
    forms.put("crc32-by-key-hex", String.format("%08x", byName));
    forms.put("crc32-by-value-decimal", Long.toString(byValue));
    forms.put("crc32-by-value-hex", String.format("%08x", byValue));
    return forms;
  }

  /** Return the proof of the API secret. */
  static String privatekey(String secret, String username, String password) {
    return digest("SHA-256", secret + "@" + username + ":|:" + password);
  }

  /** Return the CRC32 of the values joined with colons. */
  static String secureHash(List<String> values, String payerVpa) {
    String payer = payerVpa.isEmpty() ? "" : ":" + payerVpa;
    return Long.toString(crc32(String.join(":", values) + payer));
  }

  static byte[] hmac(byte[] key, String content) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(utf8(content));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  static String hex(byte[] bytes) {
    return HEX.formatHex(bytes);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Stream<String> valuesByName(Map<String, Object> fields) {
    return fields.keySet().stream()
        .sorted(BY_CODE_POINT)
        .map(name -> Json.textOf(fields.get(name)));
  }

  /** Compare as the gateway does, by code points: Java compares halves of characters. */
  private static int compareBytes(byte[] one, byte[] other) {
    return java.util.Arrays.compareUnsigned(one, other);
  }

  private static long crc32(String text) {
    var sum = new CRC32();
    sum.update(utf8(text));
    return sum.getValue();
  }

  private static String digest(String algorithm, String text) {
    try {
      return HEX.formatHex(MessageDigest.getInstance(algorithm).digest(utf8(text)));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }
}
