"""The words for where a payment stands and what happened to it; the moves are in `payments.orders.rules`."""

from enum import StrEnum


class PaymentKind(StrEnum):
    """What the merchant asked for when it started the payment."""

    SALE = "sale"
    """Paid in one step."""
    AUTHORISE = "authorise"
    """Authorised first, captured or voided by the merchant later."""
    MOTO = "moto"
    """Paid in one step by a card whose holder is not there: mail order, telephone order."""


class PaymentState(StrEnum):
    """Where one order stands (docs/spec/states-and-codes.md#payment-states)."""

    OPEN = "open"
    """Page or QR open; nothing is under way at a bank."""
    IN_PROCESS = "in_process"
    """The customer is at the bank, in an app or at an OTP; or the bank is silent and still being asked."""
    AUTHORISED = "authorised"
    """The issuer holds the amount; not captured."""
    CAPTURED = "captured"
    """Captured after an authorisation."""
    PAID = "paid"
    """Paid in one step."""
    UNDER_REVIEW = "under_review"
    """Paid or authorised, and held back until somebody has reviewed it."""
    FAILED = "failed"
    """Declined; another attempt of the same order may follow."""
    NOT_REGISTERED = "not_registered"
    """The instrument is not registered or enrolled."""
    EXPIRED = "expired"
    """The session has ended and nothing was attempted."""
    UNKNOWN = "unknown"
    """Asked until the schedule ended; the bank never said."""
    ABANDONED = "abandoned"
    """Left at the bank's page, and the bank confirms that nothing was paid."""
    VOIDED = "voided"
    """An authorisation that was given back."""


class RefundState(StrEnum):
    """Where one refund stands (docs/spec/states-and-codes.md#refund-states)."""

    INITIATED = "initiated"
    """Written down; the bank has not been asked yet."""
    SENT = "sent"
    """The call to the bank may or may not have happened."""
    UNKNOWN = "unknown"
    """The bank did not say, and is asked again."""
    DONE = "done"
    """The bank gave the money back."""
    FAILED = "failed"
    """The bank refused: nothing was given back."""


class RefundCause(StrEnum):
    """Why money goes back."""

    MERCHANT = "merchant"
    """The merchant asked for it."""
    OVERPAID = "overpaid"
    """An order could not keep it."""
    LATE = "late"
    """It came too late, and the merchant does not keep late payments."""


class CompletionKind(StrEnum):
    """How an authorisation is to end."""

    CAPTURE = "capture"
    """The amount, or a part of it, is collected; what is left is released."""
    VOID = "void"
    """All of it is given back."""


class CompletionState(StrEnum):
    """Where one ending of an authorisation stands (docs/spec/states-and-codes.md#capture-states)."""

    SENT = "sent"
    """The intention is written and the call to the bank may or may not have happened."""
    UNKNOWN = "unknown"
    """The bank did not say, and is asked again."""
    DONE = "done"
    """The authorisation ended so."""
    FAILED = "failed"
    """It did not end so; it stands, or ended otherwise."""


class SplitKind(StrEnum):
    """What the values of a split are."""

    PERCENTAGE = "percentage"
    """Hundredths of a per cent."""
    ABSOLUTE = "absolute"
    """Paise."""


class AttemptState(StrEnum):
    """Where one try at paying an order stands (docs/spec/states-and-codes.md#attempt-states)."""

    OFFERED = "offered"
    """A QR or link is shown; nobody has acted on it yet."""
    SENT = "sent"
    """The intention is written and the call to the bank may or may not have happened."""
    AUTHENTICATING = "authenticating"
    """The customer is at the issuer's authentication page."""
    AUTHORISING = "authorising"
    """Authenticated; the authorisation call may or may not have happened."""
    PENDING = "pending"
    """The bank has it and has not decided."""
    PAID = "paid"
    """The bank moved the money for this order."""
    AUTHORISED = "authorised"
    """The bank holds the money for this order."""
    OVERPAID = "overpaid"
    """The bank moved money this order cannot keep (already paid, or another amount): owed back."""
    FAILED = "failed"
    """The bank said no."""
    EXPIRED = "expired"
    """Nobody acted in time, and the bank confirms that nothing was paid."""
    UNKNOWN = "unknown"
    """The bank never said, though asked to the end of the schedule."""


class Actor(StrEnum):
    """Who caused a change of a payment."""

    CUSTOMER = "customer"
    MERCHANT = "merchant"
    OPERATOR = "operator"
    """Whoever runs the gateway, at the command line."""
    BANK = "bank"
    """The bank's answer or callback."""
    INQUIRY = "inquiry"
    """A question of ours that the bank answered with nothing, or not at all."""
    CLOCK = "clock"
    """A time that was over."""
    GATEWAY = "gateway"
    """A rule of the gateway, such as the void of what nobody captured in time."""


class EventKind(StrEnum):
    """What happened to a payment: the name of each of its events, as it is stored."""

    CREATED = "created"
    """The merchant opened the order."""
    REOPENED = "reopened"
    """The merchant sent the same unpaid order again."""
    EXPIRED = "expired"
    """The session ended and nothing can be paid any more."""
    QR_OFFERED = "qr_offered"
    """A new QR is shown."""
    QR_EXPIRED = "qr_expired"
    """The time of a QR is over and nobody paid it."""
    ATTEMPT_STARTED = "attempt_started"
    """The customer chose a method; the bank is about to be called."""
    AUTHENTICATING = "authenticating"
    """The customer is sent to the bank's page."""
    AUTHENTICATED = "authenticated"
    """The card's bank confirmed its holder; the charge is about to be asked for."""
    PENDING = "pending"
    """The bank has an attempt and has not decided; the payment waits for it."""
    ATTEMPT_PENDING = "attempt_pending"
    """The same of an attempt that the payment does not wait for."""
    UNKNOWN = "unknown"
    """The schedule of questions ended and the bank never said."""
    FAILED = "failed"
    """The bank declined, and the payment failed with it."""
    ATTEMPT_FAILED = "attempt_failed"
    """The bank declined an attempt that the payment does not depend on."""
    ABANDONED = "abandoned"
    """The customer left the bank's page; nothing was paid."""
    ATTEMPT_EXPIRED = "attempt_expired"
    """An attempt that the payment does not depend on came to nothing."""
    PAID = "paid"
    """The bank moved the money."""
    LATE_SUCCESS = "late_success"
    """The same, after the payment had failed or expired."""
    AUTHORISED = "authorised"
    """The bank holds the money."""
    LATE_HOLD = "late_hold"
    """The same, too late for a merchant who keeps no late payment: the gateway voids it."""
    EXCESS_PAYMENT = "excess_payment"
    """The bank moved money that the order cannot keep; it is owed back."""
    SURPLUS_HOLD = "surplus_hold"
    """The bank holds money that the order cannot keep; it has to be voided."""
    HOLD_RELEASED = "hold_released"
    """The bank gave such a hold back."""
    CAPTURE_ASKED = "capture_asked"
    """The bank is about to be asked for a capture."""
    CAPTURE_FAILED = "capture_failed"
    """The bank did not capture; the authorisation stands."""
    CAPTURED = "captured"
    """The bank collected what it held, or a part of it."""
    VOID_ASKED = "void_asked"
    """The bank is about to be asked for a void."""
    VOID_FAILED = "void_failed"
    """The bank did not void; the authorisation stands."""
    VOIDED = "voided"
    """The bank gave all it held back."""
    REFUND_BEGUN = "refund_begun"
    """A refund is written down; the bank has not been asked yet."""
    REFUND_DONE = "refund_done"
    """The bank gave the money back."""
    REFUND_FAILED = "refund_failed"
    """The bank refused to give the money back."""
    SPLIT_CONFIGURED = "split_configured"
    """The merchant said how the payment is shared."""
