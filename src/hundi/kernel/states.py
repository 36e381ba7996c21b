"""The states of payments, attempts, completions and refunds, and the names of events.

docs/glossary.md lists them all.

Which moves payments and attempts may make is in `moves.py`; of refunds and captures, in their
`rules.py`.
"""

from enum import StrEnum


class PaymentKind(StrEnum):
    """What the merchant asked for when it started the payment."""

    SALE = "sale"
    """Paid in one step."""
    AUTHORISE = "authorise"
    """Authorised first, captured or voided by the merchant later."""
    MOTO = "moto"
    """Paid in one step by card details that the customer gave by mail or telephone."""
    SUBSCRIPTION = "subscription"
    """Paid in one step by a customer who approves a mandate for later debits with it."""


class PaymentState(StrEnum):
    """Where one order stands (docs/spec/states-and-codes.md#payment-states)."""

    OPEN = "open"
    """Page or QR open, also after a declined attempt; nothing is under way at a bank."""
    IN_PROCESS = "in_process"
    """The customer is at the bank, in an app or at an OTP; or the bank does not answer and is asked
    again.
    """
    AUTHORISED = "authorised"
    """The issuer holds the amount; not captured."""
    CAPTURED = "captured"
    """Captured after an authorisation."""
    PAID = "paid"
    """Paid in one step."""
    UNDER_REVIEW = "under_review"
    """Paid or authorised, and not released to the merchant until the risk review ends."""
    FAILED = "failed"
    """The last attempt was declined, and nothing can be paid any more."""
    NOT_REGISTERED = "not_registered"
    """The instrument is not registered or enrolled."""
    EXPIRED = "expired"
    """The session ended before anything was attempted."""
    UNKNOWN = "unknown"
    """The bank gave no answer until the schedule of inquiries ended."""
    ABANDONED = "abandoned"
    """The customer left the bank's page, nothing was paid, and nothing can be paid any more."""
    VOIDED = "voided"
    """The authorisation was voided: nothing was collected."""


class RefundState(StrEnum):
    """Where one refund stands (docs/spec/states-and-codes.md#refund-states)."""

    INITIATED = "initiated"
    """Recorded; the bank has not been called yet."""
    SENT = "sent"
    """Recorded as sent; the call to the bank may or may not have happened."""
    UNKNOWN = "unknown"
    """The bank gave no clear answer, and is asked again."""
    DONE = "done"
    """The bank refunded the money."""
    FAILED = "failed"
    """The bank refused the refund: nothing was refunded."""
    REVERSED = "reversed"
    """The bank had refunded the money, and it came back."""


class RefundCause(StrEnum):
    """Why a refund was made."""

    MERCHANT = "merchant"
    """The merchant asked for it."""
    OVERPAID = "overpaid"
    """The order could not keep the money: it was paid twice, or with another amount."""
    LATE = "late"
    """The payment came too late, and the merchant does not keep late payments."""


class CompletionKind(StrEnum):
    """How an authorisation is to end."""

    CAPTURE = "capture"
    """The amount, or a part of it, is collected; the rest is released."""
    VOID = "void"
    """The whole amount is released."""


class CompletionState(StrEnum):
    """State of a completion of an authorisation (docs/spec/states-and-codes.md#capture-states)."""

    SENT = "sent"
    """Recorded as sent; the call to the bank may or may not have happened."""
    UNKNOWN = "unknown"
    """The bank gave no clear answer, and is asked again."""
    DONE = "done"
    """The bank captured or voided the authorisation as asked."""
    FAILED = "failed"
    """The bank did not do it: the authorisation stands, or was completed in the other way."""


class SubscriptionPeriod(StrEnum):
    """The unit in which the periods of a subscription are counted."""

    DAY = "day"
    """Every so many days."""
    WEEK = "week"
    """Every so many weeks."""
    MONTH = "month"
    """Every so many months, on the same day or the month's last one."""
    YEAR = "year"
    """Every so many years, on the same day or on 28 February."""
    AS_PRESENTED = "as_presented"
    """Whenever the merchant asks for a debit."""


class SubscriptionState(StrEnum):
    """Where one subscription stands (docs/spec/states-and-codes.md#subscription-states)."""

    CREATED = "created"
    """Its order is open; the customer has not approved the mandate yet."""
    ACTIVE = "active"
    """The customer approved the mandate; debits are announced and made."""
    PAUSED = "paused"
    """No debit is announced or made until it is resumed."""
    CANCELLED = "cancelled"
    """Merchant, customer or bank ended it; no debit is made any more."""
    COMPLETED = "completed"
    """Its last period, or the mandate's validity, is over."""
    FAILED = "failed"
    """The customer never approved the mandate."""


class DebitState(StrEnum):
    """Where the debit of one period stands (docs/spec/states-and-codes.md#debit-states)."""

    ANNOUNCED = "announced"
    """The customer is told of it, at least 24 hours before."""
    SENT = "sent"
    """Its order is open, and the bank is asked for the money."""
    RETRYING = "retrying"
    """The bank declined; another try is due."""
    DONE = "done"
    """Its order is paid."""
    FAILED = "failed"
    """The bank declined the last try: nothing was paid for this period."""
    SKIPPED = "skipped"
    """It was announced and then not made: the subscription was paused, cancelled or over."""
    MISSED = "missed"
    """Its time went by without a notice: it is never made."""


class SplitKind(StrEnum):
    """The unit of a split's values."""

    PERCENTAGE = "percentage"
    """Hundredths of a per cent."""
    ABSOLUTE = "absolute"
    """Paise."""


class DisputePhase(StrEnum):
    """How far a dispute has gone (docs/spec/states-and-codes.md#dispute-states)."""

    RETRIEVAL = "retrieval"
    """The customer's bank asks for papers about the payment; no money is at stake yet."""
    CHARGEBACK = "chargeback"
    """The customer's bank wants the money back."""
    PRE_ARBITRATION = "pre_arbitration"
    """The customer's bank does not accept that the merchant won the chargeback."""
    ARBITRATION = "arbitration"
    """The network decides."""


class DisputeState(StrEnum):
    """Where one phase of a dispute stands (docs/spec/states-and-codes.md#dispute-states)."""

    OPEN = "open"
    """It waits for the merchant's answer, until its deadline."""
    UNDER_REVIEW = "under_review"
    """The merchant contested it, wholly or in part; the bank decides."""
    ACCEPTING = "accepting"
    """The merchant accepted it; the bank has not taken the money yet."""
    EXPIRED = "expired"
    """The deadline went by without an answer: the bank takes the money."""
    WON = "won"
    """The merchant keeps the money."""
    LOST = "lost"
    """The bank took all that was disputed."""
    ACCEPTED = "accepted"
    """The merchant accepted it, and the bank took all that was disputed."""
    PARTLY_ACCEPTED = "partly_accepted"
    """The bank took a part; the merchant keeps the rest."""
    CLOSED = "closed"
    """It ended without a decision about money."""


class AttemptState(StrEnum):
    """Where one try at paying an order stands (docs/spec/states-and-codes.md#attempt-states)."""

    OFFERED = "offered"
    """A QR or link is shown; nobody has acted on it yet."""
    SENT = "sent"
    """Recorded as sent; the call to the bank may or may not have happened."""
    AUTHENTICATING = "authenticating"
    """The customer is at the issuer's authentication page."""
    AUTHORISING = "authorising"
    """Authenticated; the call for the authorisation may or may not have happened."""
    PENDING = "pending"
    """The bank received it and has not decided."""
    PAID = "paid"
    """The bank moved the money for this order."""
    AUTHORISED = "authorised"
    """The bank holds the money for this order."""
    OVERPAID = "overpaid"
    """The bank moved money that the order cannot keep (already paid, or another amount): a refund
    is owed.
    """
    FAILED = "failed"
    """The bank declined."""
    NOT_REGISTERED = "not_registered"
    """The bank declined, because the instrument is not registered or enrolled."""
    EXPIRED = "expired"
    """Nobody acted in time, and the bank confirms that nothing was paid."""
    UNKNOWN = "unknown"
    """The bank gave no answer until the schedule of inquiries ended."""


class Actor(StrEnum):
    """Who caused a change of a payment."""

    CUSTOMER = "customer"
    """The customer, at the payment page."""
    MERCHANT = "merchant"
    """The merchant, by a request."""
    OPERATOR = "operator"
    """The person who runs the gateway, at the command line."""
    BANK = "bank"
    """The bank's answer or callback."""
    INQUIRY = "inquiry"
    """Our inquiry, which the bank answered with nothing or not at all."""
    CLOCK = "clock"
    """The end of a session, of a QR or of a schedule."""
    GATEWAY = "gateway"
    """A rule of the gateway, such as the void of an authorisation that was not captured in time."""


class EventKind(StrEnum):
    """What happened to a payment: the stored name of each event."""

    CREATED = "created"
    """The merchant opened the order."""
    REOPENED = "reopened"
    """The merchant sent the same unpaid order again."""
    EXPIRED = "expired"
    """The session ended; nothing can be paid any more."""
    EXTENDED = "extended"
    """The customer asked for more time: the session ends later."""
    LEFT_PAGE = "left_page"
    """The customer went back to the merchant after a declined attempt: the payment ended."""
    QR_OFFERED = "qr_offered"
    """A new QR is shown."""
    QR_EXPIRED = "qr_expired"
    """A QR expired unpaid."""
    ATTEMPT_STARTED = "attempt_started"
    """The customer chose a method; the call to the bank follows."""
    AUTHENTICATING = "authenticating"
    """The customer is sent to the bank's page."""
    AUTHENTICATED = "authenticated"
    """The issuer authenticated the cardholder; the charge follows."""
    PENDING = "pending"
    """The bank has not decided an attempt, and the payment waits for it."""
    ATTEMPT_PENDING = "attempt_pending"
    """The bank has not decided an attempt, and the payment does not wait for it."""
    UNKNOWN = "unknown"
    """The schedule of inquiries ended without an answer of the bank."""
    FAILED = "failed"
    """The bank declined, and the payment failed."""
    ATTEMPT_FAILED = "attempt_failed"
    """The bank declined an attempt, and the payment did not end by it."""
    ABANDONED = "abandoned"
    """The customer left the bank's page; nothing was paid."""
    ATTEMPT_EXPIRED = "attempt_expired"
    """An attempt expired, and the payment's state did not change."""
    PAID = "paid"
    """The bank moved the money."""
    LATE_SUCCESS = "late_success"
    """The bank moved the money after the payment had failed or expired."""
    LATE_REFUND_DUE = "late_refund_due"
    """The bank moved the money too late, for a merchant that keeps no late payments: a refund is
    owed.
    """
    AUTHORISED = "authorised"
    """The bank holds the money."""
    LATE_HOLD = "late_hold"
    """The bank holds the money too late, for a merchant that keeps no late payments: the gateway
    voids it.
    """
    EXCESS_PAYMENT = "excess_payment"
    """The bank moved money that the order cannot keep: a refund is owed."""
    VOUCHER_ISSUED = "voucher_issued"
    """The network issued the voucher that the customer asked for: it can be paid at a counter."""
    SURPLUS_HOLD = "surplus_hold"
    """The bank holds money that the order cannot keep: the gateway voids it."""
    HOLD_RELEASED = "hold_released"
    """The bank voided an authorisation that the order could not keep."""
    CAPTURE_ASKED = "capture_asked"
    """A capture was requested; the call to the bank follows."""
    CAPTURE_FAILED = "capture_failed"
    """The bank did not capture; the authorisation stands."""
    CAPTURED = "captured"
    """The bank collected the authorised amount, or a part of it."""
    VOID_ASKED = "void_asked"
    """A void was requested; the call to the bank follows."""
    VOID_FAILED = "void_failed"
    """The bank did not void; the authorisation stands."""
    VOIDED = "voided"
    """The bank released the whole authorised amount."""
    REFUND_BEGUN = "refund_begun"
    """A refund was recorded; the bank has not been called yet."""
    REFUND_DONE = "refund_done"
    """The bank refunded the money."""
    REFUND_FAILED = "refund_failed"
    """The bank refused the refund."""
    REFUND_REVERSED = "refund_reversed"
    """Money that the bank had refunded came back."""
    RISK_BLOCKED = "risk_blocked"
    """A risk rule blocked a try to pay; no acquirer was called."""
    HELD = "held"
    """The bank moved or holds the money, and a risk rule holds the payment for review."""
    REVIEW_RELEASED = "review_released"
    """An operator released a payment that was held for review."""
    REVIEW_REJECTED = "review_rejected"
    """An operator rejected a payment that was held for review: a refund is owed, or a void follows.
    """
    SPLIT_CONFIGURED = "split_configured"
    """The merchant configured how the payment is split."""
    MANDATE_APPROVED = "mandate_approved"
    """The subscription of this order became active."""
    MANDATE_FAILED = "mandate_failed"
    """The customer never approved the mandate of this order."""
    MANDATE_PAUSED = "mandate_paused"
    """The subscription was paused."""
    MANDATE_RESUMED = "mandate_resumed"
    """The subscription was resumed."""
    MANDATE_CHANGED = "mandate_changed"
    """The merchant changed the terms of the subscription, within what the customer approved."""
    MANDATE_CANCELLED = "mandate_cancelled"
    """The subscription was cancelled."""
    MANDATE_COMPLETED = "mandate_completed"
    """The last period of the subscription is over."""
    DEBIT_ANNOUNCED = "debit_announced"
    """The customer was told of the next debit of the subscription."""
    DEBIT_DONE = "debit_done"
    """The debit of one period was paid."""
    DEBIT_FAILED = "debit_failed"
    """The bank declined the last try of one period's debit."""
    DEBIT_SKIPPED = "debit_skipped"
    """An announced debit is not made."""
    DEBIT_MISSED = "debit_missed"
    """The time of one period's debit went by without a notice."""
    DISPUTE_OPENED = "dispute_opened"
    """The customer's bank opened a dispute of the payment, or its next phase."""
    DISPUTE_DUE_SOON = "dispute_due_soon"
    """The deadline of an unanswered dispute is near."""
    DISPUTE_CONTESTED = "dispute_contested"
    """A dispute was contested, wholly or in part; the answer to the bank follows."""
    DISPUTE_ACCEPTED = "dispute_accepted"
    """A dispute was accepted; the answer to the bank follows."""
    DISPUTE_EXPIRED = "dispute_expired"
    """The deadline of a dispute went by without an answer."""
    DISPUTE_WON = "dispute_won"
    """The bank decided a dispute for the merchant."""
    DISPUTE_LOST = "dispute_lost"
    """The bank took all that was disputed."""
    DISPUTE_PARTLY_LOST = "dispute_partly_lost"
    """The bank took a part of what was disputed."""
    DISPUTE_CLOSED = "dispute_closed"
    """A dispute ended without a decision about money."""
