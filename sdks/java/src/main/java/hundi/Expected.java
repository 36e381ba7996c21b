package hundi;

/** What your own books have of an order. currency: ISO 4217 letters. */
public record Expected(String orderId, long amountPaise, String currency) {
  public Expected(String orderId, long amountPaise) {
    this(orderId, amountPaise, "INR");
  }
}
