package hundi;

/**
 * What happened, in a notification. A newer gateway may have further words.
 *
 * <p>Written from the table of operations by `make sdks-written`: change the table, not this file.
 */
public enum Event {
  /** The order is paid. */
  PAID("paid"),
  /** The order is unpaid after a declined attempt, and nothing can be paid any more. */
  FAILED("failed"),
  /** An attempt was declined; the order can still be paid. Sent to merchants who ask for it. */
  ATTEMPT_FAILED("attempt_failed"),
  /** The session ended, and nothing was attempted. Sent to merchants who ask for it. */
  EXPIRED("expired"),
  /** The bank never answered, and is not asked any more. Sent to merchants who ask for it. */
  UNKNOWN("unknown"),
  /** The money is reserved and waits for capture or void. */
  AUTHORISED("authorised"),
  /** The reserved money, or a part of it, is taken. */
  CAPTURED("captured"),
  /** The reserved money is given up, because you asked or because nobody captured it in time. */
  VOIDED("voided"),
  /**
   * The money came in, and the operator reviews the payment: paid or failed follows. Do not deliver
   * yet.
   */
  UNDER_REVIEW("under_review"),
  /** The order is paid after it had failed or was over. */
  LATE_SUCCESS("late_success"),
  /** Money came in that the order cannot keep; it goes back by itself. */
  EXCESS_PAYMENT("excess_payment"),
  /** Money that the order could not keep went back to the customer. */
  EXCESS_REFUNDED("excess_refunded"),
  /**
   * Money that the order cannot keep could not be given back, or came back after it was. It is
   * tried again.
   */
  EXCESS_REFUND_FAILED("excess_refund_failed"),
  /** Money went back to the customer; the amount is the refund's. */
  REFUND_DONE("refund_done"),
  /** The bank refused to give money back; it is with you again. The amount is the refund's. */
  REFUND_FAILED("refund_failed"),
  /**
   * Money that went back to the customer came back to you: give it back another way. The amount is
   * the refund's.
   */
  REFUND_REVERSED("refund_reversed"),
  /** The order of a subscription is paid, and with it the customer approved the mandate. */
  MANDATE_APPROVED("mandate_approved"),
  /** The customer never approved the mandate of a subscription. */
  MANDATE_FAILED("mandate_failed"),
  /** A subscription was paused. */
  MANDATE_PAUSED("mandate_paused"),
  /** A subscription was resumed. */
  MANDATE_RESUMED("mandate_resumed"),
  /** The terms of a subscription were changed. */
  MANDATE_CHANGED("mandate_changed"),
  /** A subscription was cancelled. */
  MANDATE_CANCELLED("mandate_cancelled"),
  /** The last period of a subscription is over. */
  MANDATE_COMPLETED("mandate_completed"),
  /** The customer was told of the next debit of a subscription. */
  DEBIT_ANNOUNCED("debit_announced"),
  /** The bank declined the last try of one period's debit. */
  DEBIT_FAILED("debit_failed"),
  /** An announced debit is not made. */
  DEBIT_SKIPPED("debit_skipped"),
  /** The time of one period's debit went by without a notice: it is never made. */
  DEBIT_MISSED("debit_missed"),
  /**
   * The customer's bank disputes a payment, or takes its dispute to the next phase. Answer before
   * the deadline.
   */
  DISPUTE_OPENED("dispute_opened"),
  /** The deadline of a dispute that was not answered is near. */
  DISPUTE_DUE_SOON("dispute_due_soon"),
  /** A dispute was contested, wholly or in part. */
  DISPUTE_CONTESTED("dispute_contested"),
  /** A dispute was accepted. */
  DISPUTE_ACCEPTED("dispute_accepted"),
  /** The deadline of a dispute went by without an answer: the bank takes the money. */
  DISPUTE_EXPIRED("dispute_expired"),
  /** The bank decided a dispute for you. */
  DISPUTE_WON("dispute_won"),
  /** The bank took all that was disputed. */
  DISPUTE_LOST("dispute_lost"),
  /** The bank took a part of what was disputed. */
  DISPUTE_PARTLY_LOST("dispute_partly_lost"),
  /** A dispute ended without a decision about money. */
  DISPUTE_CLOSED("dispute_closed");

  private final String word;

  Event(String word) {
    this.word = word;
  }

  /** Return the word of the notification. */
  public String word() {
    return word;
  }
}
