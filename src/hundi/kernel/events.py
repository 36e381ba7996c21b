"""The events of notifications to merchants, and those that every shop can book.

See docs/spec/states-and-codes.md#events.
"""

from enum import StrEnum


class Kind(StrEnum):
    """The events that a merchant's server is notified of: each comes with a delivery."""

    PAID = "paid"
    """The order is paid."""
    FAILED = "failed"
    """The order is unpaid after a declined or abandoned attempt, and nothing can be paid any more.
    """
    ATTEMPT_FAILED = "attempt_failed"
    """An attempt was declined; the order can still be paid."""
    EXPIRED = "expired"
    """The session ended, and nothing was attempted."""
    UNKNOWN = "unknown"
    """The bank never answered, and is not asked any more."""
    AUTHORISED = "authorised"
    """The issuer holds the amount."""
    CAPTURED = "captured"
    """An authorised amount, or a part of it, was collected."""
    VOIDED = "voided"
    """The authorisation was voided: nothing was collected."""
    UNDER_REVIEW = "under_review"
    """The order is paid or authorised, and held until the risk review ends: do not deliver yet."""
    LATE_SUCCESS = "late_success"
    """The order is paid after it had failed or expired."""
    REFUND_DONE = "refund_done"
    """Money was refunded to the customer."""
    REFUND_FAILED = "refund_failed"
    """The bank refused a refund; the merchant has the money again."""
    REFUND_REVERSED = "refund_reversed"
    """Money that was refunded to the customer came back; the merchant has it again."""
    EXCESS_PAYMENT = "excess_payment"
    """The bank moved money that the order cannot keep: a refund is owed."""
    MANDATE_APPROVED = "mandate_approved"
    """The order of a subscription is paid, and with it the customer approved the mandate."""
    MANDATE_FAILED = "mandate_failed"
    """The customer never approved the mandate of a subscription."""
    MANDATE_PAUSED = "mandate_paused"
    """A subscription was paused."""
    MANDATE_RESUMED = "mandate_resumed"
    """A subscription was resumed."""
    MANDATE_CHANGED = "mandate_changed"
    """The terms of a subscription were changed."""
    MANDATE_CANCELLED = "mandate_cancelled"
    """A subscription was cancelled."""
    MANDATE_COMPLETED = "mandate_completed"
    """The last period of a subscription is over."""
    DEBIT_ANNOUNCED = "debit_announced"
    """The customer was told of the next debit of a subscription."""
    DEBIT_FAILED = "debit_failed"
    """The bank declined the last try of one period's debit."""
    DEBIT_SKIPPED = "debit_skipped"
    """An announced debit is not made."""
    DEBIT_MISSED = "debit_missed"
    """The time of one period's debit went by without a notice: it is never made."""
    EXCESS_REFUNDED = "excess_refunded"
    """Money that the order could not keep was refunded to the customer."""
    EXCESS_REFUND_FAILED = "excess_refund_failed"
    """Money that the order cannot keep could not be refunded, or came back after it was; it is
    still owed.
    """
    DISPUTE_OPENED = "dispute_opened"
    """The customer's bank disputes the payment, or takes its dispute to the next phase: answer
    before the deadline.
    """
    DISPUTE_DUE_SOON = "dispute_due_soon"
    """The deadline of a dispute that was not answered is near."""
    DISPUTE_CONTESTED = "dispute_contested"
    """A dispute was contested, wholly or in part."""
    DISPUTE_ACCEPTED = "dispute_accepted"
    """A dispute was accepted."""
    DISPUTE_EXPIRED = "dispute_expired"
    """The deadline of a dispute went by without an answer: the bank takes the money."""
    DISPUTE_WON = "dispute_won"
    """The bank decided a dispute for the merchant."""
    DISPUTE_LOST = "dispute_lost"
    """The bank took all that was disputed."""
    DISPUTE_PARTLY_LOST = "dispute_partly_lost"
    """The bank took a part of what was disputed."""
    DISPUTE_CLOSED = "dispute_closed"
    """A dispute ended without a decision about money."""


SAFE = (
    Kind.PAID,
    Kind.FAILED,
    Kind.LATE_SUCCESS,
    Kind.AUTHORISED,
    Kind.CAPTURED,
    Kind.VOIDED,
    Kind.UNDER_REVIEW,
    Kind.MANDATE_APPROVED,
    Kind.MANDATE_FAILED,
)
"""The events for a merchant who chose none: those about the order itself.

Shops book notifications by order and status alone. News of a refund, a dispute, an excess or a
mandate is not about the order, and such a shop took paid orders back on it
(docs/clients.md#events).
"""
BOOKED_BY_OLD_CLIENTS = tuple(each for each in SAFE if each is not Kind.UNDER_REVIEW)
"""The events for the formats of older clients, none of which knows a review."""
WRITTEN_WHEN_WANTED = frozenset({Kind.ATTEMPT_FAILED, Kind.EXPIRED, Kind.UNKNOWN})
"""Events as frequent as customers who leave; written only for merchants who hear of them."""
