"""Disputes, their deadlines and their decisions; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Phase(StrEnum):
    """The phases of a dispute, in order."""

    RETRIEVAL = "retrieval"
    CHARGEBACK = "chargeback"
    PRE_ARBITRATION = "pre_arbitration"
    ARBITRATION = "arbitration"


class PhaseStanding(StrEnum):
    """The state of one phase."""

    OPEN = "open"
    """The merchant has not answered."""
    UNDER_REVIEW = "under_review"
    """The merchant has answered; the bank has not decided."""
    WON = "won"
    """The merchant keeps the money."""
    LOST = "lost"
    """The bank took the money, or a part of it."""
    CLOSED = "closed"
    """It ended without a decision about money."""


DAYS = {Phase.RETRIEVAL: 7, Phase.CHARGEBACK: 3, Phase.PRE_ARBITRATION: 2, Phase.ARBITRATION: 1}
"""Days for an answer."""
LOSES, LOSES_HALF, NEVER_DECIDED = "lose", "lose half", "undecided"
"""Words in the note of an answer that decide a contest.

The merchant loses all, loses half, or never hears a decision. With any other note the merchant
wins.
"""


@dataclass(frozen=True, slots=True)
class BankDispute:
    """One phase of a dispute, as stored; schema_2.sql explains the columns."""

    case_no: str
    phase: Phase
    original: str
    amount_paise: int
    currency: str
    reason: str
    standing: PhaseStanding
    opened_at: datetime
    changed_at: datetime
    respond_by: datetime
    answer: str = ""
    accepted_paise: int = 0
    takes_paise: int | None = None
    taken_paise: int = 0
    rrn: str = ""
    due_at: datetime | None = None


def respond_by(phase: Phase, now: datetime) -> datetime:
    """Return the deadline of an answer."""
    return now + timedelta(days=DAYS[phase])


def takes(dispute: BankDispute, accepted_paise: int, note: str) -> int | None:
    """Return the amount that the bank takes after an answer, in paise; None for never decided."""
    words = note.lower()
    if NEVER_DECIDED in words:
        return None
    if dispute.phase is Phase.RETRIEVAL:
        return 0
    if LOSES_HALF in words:
        return max(accepted_paise, (dispute.amount_paise + 1) // 2)
    return dispute.amount_paise if LOSES in words else accepted_paise


def ending(dispute: BankDispute) -> tuple[PhaseStanding, int]:
    """Return the end of a due phase, and the amount that the bank takes.

    Without an answer in time it takes everything.
    """
    if dispute.phase is Phase.RETRIEVAL:
        return PhaseStanding.CLOSED, 0
    taken_paise = (
        dispute.amount_paise if dispute.standing is PhaseStanding.OPEN else dispute.takes_paise or 0
    )
    return (PhaseStanding.LOST if taken_paise else PhaseStanding.WON), taken_paise
