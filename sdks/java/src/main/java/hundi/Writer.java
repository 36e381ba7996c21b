package hundi;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the fields of requests, within the bounds that the gateway has. */
final class Writer {
  /** Whether a field has to be there, and whether a refusal may repeat it. */
  enum Rule {
    OPTIONAL,
    REQUIRED,
    SECRET,
    OPTIONAL_SECRET
  }

  private static final int RECEIVED_MAX = 64;
  private static final long PAISE_MAX = 999_999_999_999L;
  private static final Pattern CONTROL =
      Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]");
  private static final Pattern MANY_DIGITS =
      Pattern.compile("[0-9](?:[\\s.+_*/,|~-]{0,3}[0-9]){11,}");
  private static final Pattern EMAIL = Pattern.compile("[^\\s@]+@[^\\s@.]+(?:\\.[^\\s@.]+)+");
  private static final Pattern VPA =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,252}@[A-Za-z][A-Za-z0-9]{1,63}");
  private static final Set<String> CHANNELS =
      new TreeSet<>(
          List.of(
              "pg pgcc pgdc nb ppc pp upi btqr emi payltr va enach cash rtgs remit".split(" ")));
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("MM/dd/yyyy");

  final Map<String, Object> fields = new LinkedHashMap<>();
  private final String shopOrigin;

  Writer(String shopOrigin) {
    this.shopOrigin = shopOrigin;
  }

  /** Return a refused value as errors may show it: short, without controls or numbers of cards. */
  static String shown(String text) {
    String masked = first(MANY_DIGITS.matcher(text).replaceAll("[digits]"));
    return first(CONTROL.matcher(masked).replaceAll(Writer::escaped));
  }

  private static String escaped(MatchResult sign) {
    return Matcher.quoteReplacement(String.format("\\u%04x", (int) sign.group().charAt(0)));
  }

  private static String first(String text) {
    int count = text.codePointCount(0, text.length());
    return count <= RECEIVED_MAX
        ? text
        : text.substring(0, text.offsetByCodePoints(0, RECEIVED_MAX));
  }

  private static HundiException refused(String name, String received, String allowed) {
    return HundiException.invalid(name, shown(received), allowed);
  }

  private void checked(
      String name, String value, Rule rule, String allowed, Predicate<String> isRight) {
    boolean isSecret = rule == Rule.SECRET || rule == Rule.OPTIONAL_SECRET;
    if (value == null || value.isEmpty()) {
      if (rule == Rule.OPTIONAL || rule == Rule.OPTIONAL_SECRET) return;
      throw refused(name, "", "a value: this field is required");
    }
    if (!isRight.test(value)) throw refused(name, isSecret ? "(not shown)" : value, allowed);
    fields.put(name, value);
  }

  void constant(String name, String value) {
    fields.put(name, value);
  }

  /** Write the shop's origin, for merchants that have registered their domains. */
  void shop(String name) {
    if (!shopOrigin.isEmpty())
      fields.put(name, Base64.getEncoder().encodeToString(Envelope.utf8(shopOrigin)));
  }

  void text(String name, String value, Rule rule, int lengthMax) {
    String allowed = "at most " + lengthMax + " characters, no control characters";
    checked(name, value, rule, allowed, text -> isFree(text, lengthMax));
  }

  void matching(
      String name,
      String value,
      Rule rule,
      Pattern pattern,
      List<String> beginnings,
      String allowed) {
    checked(
        name,
        value,
        rule,
        allowed,
        text -> pattern.matcher(text).matches() && beginnings.stream().noneMatch(text::startsWith));
  }

  void oneOf(String name, String value, Rule rule, List<String> words) {
    checked(name, value, rule, "one of " + String.join(" ", words), words::contains);
  }

  void email(String name, String value, Rule rule) {
    String allowed = "an e-mail address of at most 254 characters";
    checked(name, value, rule, allowed, text -> EMAIL.matcher(text).matches() && isFree(text, 254));
  }

  void phone(String name, String value, Rule rule) {
    String allowed = "8 to 15 digits; + - ( ) and spaces may stand between them";
    checked(
        name,
        value,
        rule,
        allowed,
        text -> text.replaceAll("[+\\-() ]", "").matches("[0-9]{8,15}"));
  }

  void customer(String name, String value, Rule rule) {
    text(name, value, rule, 255);
  }

  void vpa(String name, String value, Rule rule) {
    String plain = value == null ? null : value.strip();
    Predicate<String> isVpa = text -> text.length() < 256 && VPA.matcher(text).matches();
    checked(name, plain, rule, "a UPI address like name@bank", isVpa);
  }

  void currency(String name, String value) {
    String letters = value == null || value.isEmpty() ? "INR" : value;
    String number = Operations.CURRENCIES.get(letters);
    if (number == null)
      throw refused(name, letters, "an ISO 4217 code: INR, or one enabled for the merchant");
    fields.put("currency_code", number);
    fields.put(name, letters);
  }

  void channels(String name, List<String> codes) {
    if (codes == null || codes.isEmpty()) return;
    if (!CHANNELS.containsAll(codes)) {
      String allowed = "channel codes joined by _ , each one of " + String.join(" ", CHANNELS);
      throw refused(name, String.join("_", codes), allowed);
    }
    fields.put(name, String.join("_", codes));
  }

  void amount(String name, Long value, Rule rule) {
    if (value == null && rule == Rule.OPTIONAL) return;
    if (value == null || value <= 0 || value > PAISE_MAX) {
      throw refused(
          name,
          value == null ? "" : value.toString(),
          "whole paise above zero, of at most 12 digits");
    }
    fields.put(name, Money.text(value));
  }

  void amountOrZero(String name, long value, Rule rule) {
    if (value == 0) fields.put(name, "0.00");
    else amount(name, value, rule);
  }

  void amountUnlessZero(String name, long value, Rule rule) {
    if (value != 0) amount(name, value, rule);
  }

  void count(String name, Long value, Rule rule, long low, long high) {
    if (value == null && rule == Rule.OPTIONAL) return;
    if (value == null || value < low || value > high) {
      String received = value == null ? "" : value.toString();
      throw refused(name, received, "a whole number from " + low + " to " + high);
    }
    fields.put(name, value.toString());
  }

  void countUnlessZero(String name, long value, Rule rule, long low, long high) {
    if (value != 0) count(name, value, rule, low, high);
  }

  /** Write the number of debits; without one a subscription with a calendar has no end. */
  void debits(String name, Long value, Rule rule, long endless, String asPresented) {
    if (value != null) count(name, value, rule, 1, endless - 1);
    else if (!asPresented.equals(fields.get("sb_period"))) fields.put(name, Long.toString(endless));
  }

  void day(String name, LocalDate value, Rule rule) {
    if (value != null) fields.put(name, DAY.format(value));
  }

  void document(String name, byte[] content, Rule rule, int lengthMax) {
    String text = Base64.getEncoder().encodeToString(content);
    if (text.isEmpty() || text.length() > lengthMax) {
      throw refused(name, "", "a file of at most " + lengthMax / 4 * 3 + " bytes");
    }
    fields.put(name, text);
  }

  <Item> void objects(String name, List<Item> items, BiConsumer<Item, Writer> write) {
    if (items.isEmpty()) throw refused(name, "", "at least one");
    fields.put(name, listOf(items, write));
  }

  <Item> void objectsUnlessEmpty(String name, List<Item> items, BiConsumer<Item, Writer> write) {
    if (items != null && !items.isEmpty()) objects(name, items, write);
  }

  /** Write an array in base64. */
  <Item> void batch(String name, List<Item> items, int itemsMax, BiConsumer<Item, Writer> write) {
    if (items.isEmpty() || items.size() > itemsMax) {
      throw refused(name, items.size() + " items", "1 to " + itemsMax + " items");
    }
    byte[] array = Envelope.utf8(Json.compact(listOf(items, write)));
    fields.put(name, Base64.getEncoder().encodeToString(array));
  }

  void atLeastOne(String... names) {
    for (String name : names) if (fields.containsKey(name)) return;
    throw refused(names[0], "", "at least one of " + String.join(", ", names));
  }

  private <Item> List<Object> listOf(List<Item> items, BiConsumer<Item, Writer> write) {
    List<Object> list = new ArrayList<>();
    for (Item item : items) {
      var inner = new Writer(shopOrigin);
      write.accept(item, inner);
      list.add(inner.fields);
    }
    return list;
  }

  private static boolean isFree(String text, int lengthMax) {
    return text.codePointCount(0, text.length()) <= lengthMax
        && !CONTROL.matcher(text).find()
        && !Json.hasLoneSurrogate(text);
  }
}
