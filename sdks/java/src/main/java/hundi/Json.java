package hundi;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Strict JSON: no repeated key, bounded depth and values, numbers kept as they were written. */
final class Json {
  static final int DEPTH_MAX = 16;
  static final int VALUES_MAX = 512;
  static final int REPLY_VALUES_MAX = 100_000;
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?");
  private static final String SIGNS = "\"\\/bfnrt";
  private static final String SPELLED = "\"\\/\b\f\n\r\t";

  /** A number as it was written: checksums cover its text. */
  record Number(String text) {}

  /** The text is not one JSON object that is accepted. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private final String text;
  private final int valuesMax;
  private int at;
  private int depth;
  private int values;

  private Json(String text, int valuesMax) {
    this.text = text;
    this.valuesMax = valuesMax;
  }

  /** Return the object in UTF-8 text; its names keep their order. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> parse(byte[] raw, int valuesMax) throws Unreadable {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(raw)).toString();
    } catch (CharacterCodingException error) {
      throw new Unreadable();
    }
    var parser = new Json(text, valuesMax);
    Object value = parser.value();
    parser.space();
    if (parser.at < text.length() || !(value instanceof Map)) throw new Unreadable();
    return (Map<String, Object>) value;
  }

  private Object value() throws Unreadable {
    space();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return word("true", true);
      case 'f':
        return word("false", false);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object() throws Unreadable {
    Map<String, Object> found = new LinkedHashMap<>();
    open();
    if (!takes('}')) {
      do {
        space();
        if (peek() != '"') throw new Unreadable();
        String name = string();
        if (!takes(':') || found.containsKey(name)) throw new Unreadable();
        found.put(name, value());
      } while (comma());
      if (!takes('}')) throw new Unreadable();
    }
    depth--;
    return found;
  }

  private List<Object> array() throws Unreadable {
    List<Object> found = new ArrayList<>();
    open();
    if (!takes(']')) {
      do {
        found.add(value());
      } while (comma());
      if (!takes(']')) throw new Unreadable();
    }
    depth--;
    return found;
  }

  private String string() throws Unreadable {
    var found = new StringBuilder();
    boolean escaped = false;
    at++;
    for (int start = at; at < text.length(); ) {
      char sign = text.charAt(at);
      if (sign < ' ') break;
      if (sign != '"' && sign != '\\') {
        at++;
        continue;
      }
      found.append(text, start, at++);
      if (sign == '"') {
        if (escaped && hasLoneSurrogate(found)) throw new Unreadable();
        return found.toString();
      }
      escaped |= escape(found);
      start = at;
    }
    throw new Unreadable();
  }

  /** Read what follows a backslash; return whether it was a code. */
  private boolean escape(StringBuilder found) throws Unreadable {
    char sign = peek();
    at++;
    int place = SIGNS.indexOf(sign);
    if (place >= 0) {
      found.append(SPELLED.charAt(place));
      return false;
    }
    if (sign != 'u' || at + 4 > text.length()) throw new Unreadable();
    int code = 0;
    for (int end = at + 4; at < end; at++) {
      char sixteenth = text.charAt(at);
      int digit = sixteenth < 128 ? Character.digit(sixteenth, 16) : -1;
      if (digit < 0) throw new Unreadable();
      code = code * 16 + digit;
    }
    found.append((char) code);
    return true;
  }

  static boolean hasLoneSurrogate(CharSequence text) {
    return text.codePoints().anyMatch(code -> code >= 0xd800 && code <= 0xdfff);
  }

  private Number number() throws Unreadable {
    Matcher found = NUMBER.matcher(text).region(at, text.length());
    if (!found.lookingAt()) throw new Unreadable();
    at = found.end();
    return new Number(found.group());
  }

  private Object word(String word, Object value) throws Unreadable {
    if (!text.startsWith(word, at)) throw new Unreadable();
    at += word.length();
    return value;
  }

  private void open() throws Unreadable {
    at++;
    depth++;
    count();
    if (depth > DEPTH_MAX) throw new Unreadable();
  }

  private boolean comma() throws Unreadable {
    if (!takes(',')) return false;
    count();
    return true;
  }

  private void count() throws Unreadable {
    values++;
    if (values > valuesMax) throw new Unreadable();
  }

  private boolean takes(char sign) {
    space();
    if (peek() != sign) return false;
    at++;
    return true;
  }

  private void space() {
    while (" \t\n\r".indexOf(peek()) >= 0) at++;
  }

  /** Return the next character; at the end one that JSON never has there. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : '\uffff';
  }

  /** Return JSON without spaces, in the order of the names, numbers as they were written. */
  static String compact(Object value) {
    var built = new StringBuilder();
    write(built, value);
    return built.toString();
  }

  private static void write(StringBuilder built, Object value) {
    if (value instanceof Number number) built.append(number.text());
    else if (value instanceof String text) quote(built, text);
    else if (value instanceof Map<?, ?> fields) {
      built.append('{');
      String separator = "";
      for (var each : fields.entrySet()) {
        built.append(separator);
        quote(built, (String) each.getKey());
        write(built.append(':'), each.getValue());
        separator = ",";
      }
      built.append('}');
    } else if (value instanceof List<?> list) {
      built.append('[');
      String separator = "";
      for (Object each : list) {
        write(built.append(separator), each);
        separator = ",";
      }
      built.append(']');
    } else built.append(value);
  }

  private static void quote(StringBuilder built, String text) {
    built.append('"');
    for (int place = 0; place < text.length(); place++) {
      char sign = text.charAt(place);
      int known = sign == '/' ? -1 : SPELLED.indexOf(sign);
      if (known >= 0) built.append('\\').append(SIGNS.charAt(known));
      else if (sign < ' ') built.append(String.format("\\u%04x", (int) sign));
      else built.append(sign);
    }
    built.append('"');
  }

  /** Return a value as the text that a field counts as: a number is its text, null is empty. */
  static String textOf(Object value) {
    if (value == null) return "";
    return value instanceof String text ? text : compact(value);
  }
}
