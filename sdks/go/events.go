// Code generated from the table of operations; DO NOT EDIT.

package hundi

// Written from the table of operations by `make sdks-written`: change the table, not this file.

// What happened, in a notification. A newer gateway may have further words.
const (
	// EventPaid : The order is paid.
	EventPaid = "paid"
	// EventFailed : The order is unpaid after a declined attempt, and nothing can be paid any more.
	EventFailed = "failed"
	// EventAttemptFailed : An attempt was declined; the order can still be paid. Sent to merchants who
	// ask for it.
	EventAttemptFailed = "attempt_failed"
	// EventExpired : The session ended, and nothing was attempted. Sent to merchants who ask for it.
	EventExpired = "expired"
	// EventUnknown : The bank never answered, and is not asked any more. Sent to merchants who ask for
	// it.
	EventUnknown = "unknown"
	// EventAuthorised : The money is reserved and waits for capture or void.
	EventAuthorised = "authorised"
	// EventCaptured : The reserved money, or a part of it, is taken.
	EventCaptured = "captured"
	// EventVoided : The reserved money is given up, because you asked or because nobody captured it in
	// time.
	EventVoided = "voided"
	// EventUnderReview : The money came in, and the operator reviews the payment: paid or failed
	// follows. Do not deliver yet.
	EventUnderReview = "under_review"
	// EventLateSuccess : The order is paid after it had failed or was over.
	EventLateSuccess = "late_success"
	// EventExcessPayment : Money came in that the order cannot keep; it goes back by itself.
	EventExcessPayment = "excess_payment"
	// EventExcessRefunded : Money that the order could not keep went back to the customer.
	EventExcessRefunded = "excess_refunded"
	// EventExcessRefundFailed : Money that the order cannot keep could not be given back, or came back
	// after it was. It is tried again.
	EventExcessRefundFailed = "excess_refund_failed"
	// EventRefundDone : Money went back to the customer; the amount is the refund's.
	EventRefundDone = "refund_done"
	// EventRefundFailed : The bank refused to give money back; it is with you again. The amount is the
	// refund's.
	EventRefundFailed = "refund_failed"
	// EventRefundReversed : Money that went back to the customer came back to you: give it back
	// another way. The amount is the refund's.
	EventRefundReversed = "refund_reversed"
	// EventMandateApproved : The order of a subscription is paid, and with it the customer approved
	// the mandate.
	EventMandateApproved = "mandate_approved"
	// EventMandateFailed : The customer never approved the mandate of a subscription.
	EventMandateFailed = "mandate_failed"
	// EventMandatePaused : A subscription was paused.
	EventMandatePaused = "mandate_paused"
	// EventMandateResumed : A subscription was resumed.
	EventMandateResumed = "mandate_resumed"
	// EventMandateChanged : The terms of a subscription were changed.
	EventMandateChanged = "mandate_changed"
	// EventMandateCancelled : A subscription was cancelled.
	EventMandateCancelled = "mandate_cancelled"
	// EventMandateCompleted : The last period of a subscription is over.
	EventMandateCompleted = "mandate_completed"
	// EventDebitAnnounced : The customer was told of the next debit of a subscription.
	EventDebitAnnounced = "debit_announced"
	// EventDebitFailed : The bank declined the last try of one period's debit.
	EventDebitFailed = "debit_failed"
	// EventDebitSkipped : An announced debit is not made.
	EventDebitSkipped = "debit_skipped"
	// EventDebitMissed : The time of one period's debit went by without a notice: it is never made.
	EventDebitMissed = "debit_missed"
	// EventDisputeOpened : The customer's bank disputes a payment, or takes its dispute to the next
	// phase. Answer before the deadline.
	EventDisputeOpened = "dispute_opened"
	// EventDisputeDueSoon : The deadline of a dispute that was not answered is near.
	EventDisputeDueSoon = "dispute_due_soon"
	// EventDisputeContested : A dispute was contested, wholly or in part.
	EventDisputeContested = "dispute_contested"
	// EventDisputeAccepted : A dispute was accepted.
	EventDisputeAccepted = "dispute_accepted"
	// EventDisputeExpired : The deadline of a dispute went by without an answer: the bank takes the
	// money.
	EventDisputeExpired = "dispute_expired"
	// EventDisputeWon : The bank decided a dispute for you.
	EventDisputeWon = "dispute_won"
	// EventDisputeLost : The bank took all that was disputed.
	EventDisputeLost = "dispute_lost"
	// EventDisputePartlyLost : The bank took a part of what was disputed.
	EventDisputePartlyLost = "dispute_partly_lost"
	// EventDisputeClosed : A dispute ended without a decision about money.
	EventDisputeClosed = "dispute_closed"
)
