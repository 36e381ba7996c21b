<?php

declare(strict_types=1);

namespace Hundi;

/**
 * What happened, in a notification. A newer gateway may have further words.
 *
 * Written from the table of operations by `make sdks-written`: change the table, not this file.
 */
enum Event: string
{
    /** The order is paid. */
    case Paid = 'paid';
    /** The order is unpaid after a declined attempt, and nothing can be paid any more. */
    case Failed = 'failed';
    /** An attempt was declined; the order can still be paid. Sent to merchants who ask for it. */
    case AttemptFailed = 'attempt_failed';
    /** The session ended, and nothing was attempted. Sent to merchants who ask for it. */
    case Expired = 'expired';
    /** The bank never answered, and is not asked any more. Sent to merchants who ask for it. */
    case Unknown = 'unknown';
    /** The money is reserved and waits for capture or void. */
    case Authorised = 'authorised';
    /** The reserved money, or a part of it, is taken. */
    case Captured = 'captured';
    /** The reserved money is given up, because you asked or because nobody captured it in time. */
    case Voided = 'voided';
    /**
     * The money came in, and the operator reviews the payment: paid or failed follows. Do not
     * deliver yet.
     */
    case UnderReview = 'under_review';
    /** The order is paid after it had failed or was over. */
    case LateSuccess = 'late_success';
    /** Money came in that the order cannot keep; it goes back by itself. */
    case ExcessPayment = 'excess_payment';
    /** Money that the order could not keep went back to the customer. */
    case ExcessRefunded = 'excess_refunded';
    /**
     * Money that the order cannot keep could not be given back, or came back after it was. It is
     * tried again.
     */
    case ExcessRefundFailed = 'excess_refund_failed';
    /** Money went back to the customer; the amount is the refund's. */
    case RefundDone = 'refund_done';
    /** The bank refused to give money back; it is with you again. The amount is the refund's. */
    case RefundFailed = 'refund_failed';
    /**
     * Money that went back to the customer came back to you: give it back another way. The amount
     * is the refund's.
     */
    case RefundReversed = 'refund_reversed';
    /** The order of a subscription is paid, and with it the customer approved the mandate. */
    case MandateApproved = 'mandate_approved';
    /** The customer never approved the mandate of a subscription. */
    case MandateFailed = 'mandate_failed';
    /** A subscription was paused. */
    case MandatePaused = 'mandate_paused';
    /** A subscription was resumed. */
    case MandateResumed = 'mandate_resumed';
    /** The terms of a subscription were changed. */
    case MandateChanged = 'mandate_changed';
    /** A subscription was cancelled. */
    case MandateCancelled = 'mandate_cancelled';
    /** The last period of a subscription is over. */
    case MandateCompleted = 'mandate_completed';
    /** The customer was told of the next debit of a subscription. */
    case DebitAnnounced = 'debit_announced';
    /** The bank declined the last try of one period's debit. */
    case DebitFailed = 'debit_failed';
    /** An announced debit is not made. */
    case DebitSkipped = 'debit_skipped';
    /** The time of one period's debit went by without a notice: it is never made. */
    case DebitMissed = 'debit_missed';
    /**
     * The customer's bank disputes a payment, or takes its dispute to the next phase. Answer before
     * the deadline.
     */
    case DisputeOpened = 'dispute_opened';
    /** The deadline of a dispute that was not answered is near. */
    case DisputeDueSoon = 'dispute_due_soon';
    /** A dispute was contested, wholly or in part. */
    case DisputeContested = 'dispute_contested';
    /** A dispute was accepted. */
    case DisputeAccepted = 'dispute_accepted';
    /** The deadline of a dispute went by without an answer: the bank takes the money. */
    case DisputeExpired = 'dispute_expired';
    /** The bank decided a dispute for you. */
    case DisputeWon = 'dispute_won';
    /** The bank took all that was disputed. */
    case DisputeLost = 'dispute_lost';
    /** The bank took a part of what was disputed. */
    case DisputePartlyLost = 'dispute_partly_lost';
    /** A dispute ended without a decision about money. */
    case DisputeClosed = 'dispute_closed';
}
