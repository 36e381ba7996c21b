"""Disputes, their deadlines and their decisions; pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
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
ENDED = frozenset({PhaseStanding.WON, PhaseStanding.LOST, PhaseStanding.CLOSED})


class ContestVerdict(StrEnum):
    """The bank's decision about a contest: the words in the note of an answer that ask for it."""

    UNDECIDED = "undecided"
    """The merchant never hears a decision."""
    LOSES_HALF = "lose half"
    LOSES = "lose"
    """The merchant loses all."""
    WINS = ""
    """The merchant keeps what it did not accept: the decision with any other note."""


@dataclass(frozen=True, slots=True)
class DisputeClaim:
    """A customer's claim for money back, in one phase."""

    phase: Phase
    original: str
    amount_paise: int
    currency: str
    reason: str


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


def raised(
    claim: DisputeClaim,
    before: BankDispute | None,
    new_case_no: str,
    now: datetime,
    until: datetime,
) -> BankDispute:
    """Return a phase that was raised: the next one of a case, or the first of a new one.

    before: the payment's newest phase. until: the deadline of an answer.
    """
    phases = list(Phase)
    goes_on = before is not None and phases.index(before.phase) < phases.index(claim.phase)
    return BankDispute(
        case_no=before.case_no if before is not None and goes_on else new_case_no,
        phase=claim.phase,
        original=claim.original,
        amount_paise=claim.amount_paise,
        currency=claim.currency,
        reason=claim.reason,
        standing=PhaseStanding.OPEN,
        opened_at=now,
        changed_at=now,
        respond_by=until,
        due_at=until,
    )


def verdict_of(note: str) -> ContestVerdict:
    """Return the verdict that the note of an answer asks for."""
    return next(verdict for verdict in ContestVerdict if verdict in note.lower())


def _takes(dispute: BankDispute, accepted_paise: int, verdict: ContestVerdict) -> int | None:
    """Return the amount that the bank takes after an answer, in paise; None for never decided."""
    if verdict is ContestVerdict.UNDECIDED:
        return None
    if dispute.phase is Phase.RETRIEVAL:
        return 0
    if verdict is ContestVerdict.LOSES_HALF:
        return max(accepted_paise, (dispute.amount_paise + 1) // 2)
    return dispute.amount_paise if verdict is ContestVerdict.LOSES else accepted_paise


def answered(
    dispute: BankDispute,
    reference: str,
    accepted_paise: int,
    verdict: ContestVerdict,
    now: datetime,
    review_s: float,
) -> BankDispute:
    """Return an open phase with its answer; what was accepted whole is due at once."""
    takes_paise = _takes(dispute, accepted_paise, verdict)
    wait_s = 0.0 if accepted_paise == dispute.amount_paise else review_s
    return replace(
        dispute,
        standing=PhaseStanding.UNDER_REVIEW,
        answer=reference,
        accepted_paise=accepted_paise,
        takes_paise=takes_paise,
        due_at=None if takes_paise is None else now + timedelta(seconds=wait_s),
        changed_at=now,
    )


def taken_at_end(dispute: BankDispute) -> int:
    """Return the amount that the bank takes when a phase ends.

    Without an answer in time it takes everything.
    """
    if dispute.phase is Phase.RETRIEVAL:
        return 0
    return (
        dispute.amount_paise if dispute.standing is PhaseStanding.OPEN else dispute.takes_paise or 0
    )


def ended(dispute: BankDispute, rrn: str, now: datetime) -> BankDispute:
    """Return a phase that has ended. rrn: of the chargeback, if there is one."""
    taken_paise = taken_at_end(dispute)
    decided = PhaseStanding.LOST if taken_paise else PhaseStanding.WON
    return replace(
        dispute,
        standing=PhaseStanding.CLOSED if dispute.phase is Phase.RETRIEVAL else decided,
        taken_paise=taken_paise,
        rrn=rrn if taken_paise else "",
        due_at=None,
        changed_at=now,
    )


def held_paise(phases: Iterable[BankDispute]) -> int:
    """Return the amount of a payment that its disputes claim or took."""
    return sum(
        each.taken_paise if each.standing in ENDED else each.amount_paise
        for each in phases
        if each.phase is not Phase.RETRIEVAL
    )
