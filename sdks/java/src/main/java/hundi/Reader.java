package hundi;

import hundi.HundiException.Kind;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reads the fields of replies; a later gateway may send more of them. */
final class Reader {
  static final ZoneOffset INDIA = ZoneOffset.ofHoursMinutes(5, 30);
  private static final DateTimeFormatter RECORD_TIME =
      DateTimeFormatter.ofPattern("dd-MM-uuuu HH:mm:ss").withResolverStyle(ResolverStyle.STRICT);

  private final Map<String, Object> values;

  private Reader(Map<String, Object> values) {
    this.values = values;
  }

  @SuppressWarnings("unchecked")
  static Reader of(Object value) {
    if (value instanceof Map) return new Reader((Map<String, Object>) value);
    throw unreadable("data", "an object");
  }

  private static HundiException unreadable(String name, String allowed) {
    String message = "the reply's " + name + " cannot be read: it is not " + allowed;
    return HundiException.noAnswer(Kind.UNREADABLE_REPLY, message);
  }

  String words(String name) {
    Object value = values.get(name);
    if (value == null) return "";
    if (value instanceof String text) return text;
    if (value instanceof Json.Number number) return number.text();
    throw unreadable(name, "text or a number");
  }

  String wordsOr(String name, String usual) {
    String text = words(name);
    return text.isEmpty() ? usual : text;
  }

  String name(String name) {
    String text = words(name);
    if (text.isEmpty()) throw unreadable(name, "a value");
    return text;
  }

  String nameOr(String name, String usual) {
    return wordsOr(name, usual);
  }

  String number(String name) {
    String text = words(name);
    return text.equals("0") ? "" : text;
  }

  private long amountIn(String name, String text, long least) {
    long found = Money.paiseIn(text);
    if (found < least) throw unreadable(name, "an amount with two places at most");
    return found;
  }

  long money(String name) {
    return amountIn(name, words(name), 0);
  }

  long moneyOr(String name, long usual) {
    return words(name).isEmpty() ? usual : money(name);
  }

  long moneyOrNone(String name) {
    return moneyOr(name, 0);
  }

  long balance(String name) {
    String text = words(name);
    return text.startsWith("-") ? -amountIn(name, text.substring(1), 0) : amountIn(name, text, 0);
  }

  Long limit(String name) {
    return words(name).isEmpty() ? null : (Long) money(name);
  }

  /** Read an amount above zero. */
  long amount(String name) {
    return amountIn(name, words(name), 1);
  }

  /** Read an amount of a transaction record, where a missing one is zero. */
  long sum(String name) {
    return moneyOr(name, 0);
  }

  long whole(String name) {
    String text = words(name);
    if (!text.matches("[0-9]{1,18}"))
      throw unreadable(name, "a whole number that is not below zero");
    return Long.parseLong(text);
  }

  Long wholeOrNone(String name, long none) {
    long found = whole(name);
    return found == none ? null : (Long) found;
  }

  /** Read a whole number of a transaction record, where a missing one is zero. */
  long integer(String name) {
    return words(name).isEmpty() ? 0 : whole(name);
  }

  boolean isOne(String name) {
    return words(name).equals("1");
  }

  boolean yesOrNo(String name) {
    return name(name).equalsIgnoreCase("true");
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(values.get(name));
  }

  OffsetDateTime moment(String name) {
    return timeOf(name, "a time with its offset, ISO 8601", OffsetDateTime::parse);
  }

  /** Read a time of a transaction record, on the Indian clock. */
  OffsetDateTime recordTime(String name) {
    String form = "a time written DD-MM-YYYY HH:MM:SS";
    return timeOf(name, form, text -> LocalDateTime.parse(text, RECORD_TIME).atOffset(INDIA));
  }

  LocalDate day(String name) {
    return timeOf(name, "a day, ISO 8601", LocalDate::parse);
  }

  private <Time> Time timeOf(String name, String allowed, Function<String, Time> read) {
    String text = words(name);
    try {
      return text.isEmpty() ? null : read.apply(text);
    } catch (DateTimeException error) {
      throw unreadable(name, allowed);
    }
  }

  List<String> texts(String name) {
    Object value = values.get(name);
    if (value == null) return List.of();
    if (!(value instanceof List<?> list)) throw unreadable(name, "an array of texts");
    return list.stream().map(Json::textOf).toList();
  }

  /** Read an object of texts, in its order. */
  Map<String, String> pairs(String name) {
    Object value = values.get(name);
    Map<String, String> found = new LinkedHashMap<>();
    if (value == null || value.equals("")) return found;
    if (!(value instanceof Map<?, ?> pairs)) throw unreadable(name, "an object of texts");
    pairs.forEach((key, each) -> found.put((String) key, Json.textOf(each)));
    return found;
  }

  byte[] bytes(String name) {
    try {
      return Base64.getDecoder().decode(name(name));
    } catch (IllegalArgumentException error) {
      throw unreadable(name, "base64");
    }
  }

  <Item> List<Item> objects(String name, Function<Reader, Item> read) {
    if (!(values.get(name) instanceof List<?> list)) throw unreadable(name, "an array of objects");
    List<Item> found = new ArrayList<>();
    for (Object each : list) found.add(read.apply(of(each)));
    return found;
  }

  <Item> List<Item> objectsOrNone(String name, Function<Reader, Item> read) {
    return values.containsKey(name) ? objects(name, read) : List.of();
  }
}
