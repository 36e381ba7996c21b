package hundi;

import java.util.regex.Pattern;

/** Amounts: whole paise, and their decimal texts. */
public final class Money {
  private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,10})(?:\\.([0-9]{1,2}))?");

  private Money() {}

  /** Return whole paise as decimal text with two places: 149950 is 1499.50. */
  public static String text(long paise) {
    return String.format("%d.%02d", paise / 100, paise % 100);
  }

  /** Return decimal text in whole paise: plain decimals above zero, with at most two places. */
  public static long paise(String text) {
    long found = paiseIn(text);
    if (found <= 0) {
      throw HundiException.invalid(
          "amount",
          Writer.shown(text),
          "a decimal above zero: at most 10 digits, then at most two places, as in 1499.50");
    }
    return found;
  }

  /** Return the paise of decimal text, -1 for another text. */
  static long paiseIn(String text) {
    var parts = AMOUNT.matcher(text);
    if (!parts.matches()) return -1;
    String part = parts.group(2) == null ? "" : parts.group(2);
    return Long.parseLong(parts.group(1)) * 100 + Long.parseLong((part + "00").substring(0, 2));
  }
}
