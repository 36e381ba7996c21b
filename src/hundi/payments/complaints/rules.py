"""What a complaint is, by when it is answered, and how it ends; pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

ANSWER_WITHIN = timedelta(days=5)
"""How long a merchant may take: as long as a bank may keep an unconfirmed debit.

docs/spec/domain.md#turn-around
"""
WORDS_LENGTH_MAX = 1000
COMPLAINTS_MAX = 20
"""Complaints about one payment: its payer closes one and writes the next."""


class ComplaintKind(StrEnum):
    """What a payer says is wrong."""

    NOT_DELIVERED = "not_delivered"
    """Paid, and nothing came."""
    ORDER_FAILED = "order_failed"
    """Debited, and the order failed."""
    REFUND_MISSING = "refund_missing"
    """A refund did not arrive."""
    NOT_ME = "not_me"
    """The payer did not make this payment."""
    OTHER = "other"
    """Something else."""


class ComplaintState(StrEnum):
    """The state of a complaint."""

    OPEN = "open"
    """It waits for the merchant's answer."""
    ANSWERED = "answered"
    """The merchant answered; the payer may write again."""
    CLOSED = "closed"
    """The payer says that it is solved."""


MOVES: Mapping[ComplaintState, frozenset[ComplaintState]] = {
    ComplaintState.OPEN: frozenset({ComplaintState.ANSWERED, ComplaintState.CLOSED}),
    ComplaintState.ANSWERED: frozenset({ComplaintState.CLOSED}),
    ComplaintState.CLOSED: frozenset(),
}
"""What may follow. A payer whose complaint is answered may write another one."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A complaint about one payment. Times in UTC. answer_by: the end of the merchant's time.

    words, answer: masked. answered_by: for the merchant's own people. language: of the payer's
    page, for the letter with the answer.
    """

    merchant_id: int
    complaint_id: int
    payment_id: int
    kind: ComplaintKind
    words: str = field(repr=False)
    language: str
    state: ComplaintState
    made_at: datetime
    answer_by: datetime
    answer: str = field(default="", repr=False)
    answered_at: datetime | None = None
    answered_by: str = ""
    closed_at: datetime | None = None

    def is_late(self, now: datetime) -> bool:
        """Return whether it waits longer than the merchant may take."""
        return self.state is ComplaintState.OPEN and now > self.answer_by


def states_before(after: ComplaintState) -> list[ComplaintState]:
    """Return the states that a state may follow."""
    return [state for state, following in MOVES.items() if after in following]


def may_complain(known: Collection[Complaint]) -> bool:
    """Return whether a payment's payer may write one more. known: all complaints about it."""
    waits = any(each.state is ComplaintState.OPEN for each in known)
    return not waits and len(known) < COMPLAINTS_MAX


def words_of(text: str) -> str:
    """Return typed words as they are kept, "" for none or too many: line ends count as one.

    No column holds a zero byte: words with one are none.
    """
    words = text.replace("\r\n", "\n").strip()
    return words if len(words) <= WORDS_LENGTH_MAX and "\0" not in words else ""
