"""The words for where a payment and an attempt stand; the moves between them are in `payments.rules`."""

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
    """Where one refund stands."""

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
    """Where one ending of an authorisation stands."""

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
    """Where one try at paying an order stands."""

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
