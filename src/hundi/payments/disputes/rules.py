"""Phases of a dispute: their answers, and what the bank's news changes; pure.

Each phase is a stage with an id of its own, which is the cause of its postings. Silence decides
nothing: only the bank ends a stage.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.acquirers.port.disputes import DECIDED, DisputeAnswer, DisputeWord, PhaseName
from hundi.acquirers.port.disputes import Standing as Bank
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.ids import dispute_reference, parse_reference
from hundi.kernel.money import RATE_ONE, Money, in_rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import DisputePhase, PaymentState
from hundi.kernel.states import DisputeState as S
from hundi.payments.orders.rules import Attempt, Disputed, Payment, PaymentView

DECISIONS = frozenset({S.WON, S.LOST, S.PARTLY_ACCEPTED, S.CLOSED})
DISPUTE_MOVES: Mapping[S, frozenset[S]] = {
    S.OPEN: frozenset({S.UNDER_REVIEW, S.ACCEPTING, S.EXPIRED}) | DECISIONS,
    S.UNDER_REVIEW: DECISIONS,
    S.ACCEPTING: DECISIONS | {S.ACCEPTED},
    S.EXPIRED: DECISIONS,
    S.WON: frozenset(),
    S.LOST: frozenset(),
    S.ACCEPTED: frozenset(),
    S.PARTLY_ACCEPTED: frozenset(),
    S.CLOSED: frozenset(),
}
"""The moves of docs/spec/states-and-codes.md#dispute-states."""
ENDED = frozenset(state for state, further in DISPUTE_MOVES.items() if not further)
RESPOND_WITHIN: Mapping[DisputePhase, timedelta] = {
    DisputePhase.RETRIEVAL: timedelta(days=7),
    DisputePhase.CHARGEBACK: timedelta(days=3),
    DisputePhase.PRE_ARBITRATION: timedelta(days=2),
    DisputePhase.ARBITRATION: timedelta(days=1),
}
"""The time to answer, where the bank gives none (docs/spec/domain.md#disputes).

7 days is our choice.
"""
REMIND_BEFORE: Mapping[DisputePhase, timedelta] = {
    DisputePhase.RETRIEVAL: timedelta(hours=24),
    DisputePhase.CHARGEBACK: timedelta(hours=24),
    DisputePhase.PRE_ARBITRATION: timedelta(hours=12),
    DisputePhase.ARBITRATION: timedelta(hours=6),
}
"""How long before its deadline a merchant is reminded of an unanswered phase."""
GST_PER_CENT = 18
"""GST on the fee of a dispute (docs/spec/domain.md#disputes)."""
NOTE_MAX = 1_000
"""Characters of a merchant's note to the bank."""
LATER_GAP = timedelta(hours=6)
"""The gap between inquiries after the connector's schedule: they never end."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One phase of a dispute. dispute_id: the stage_id of the dispute's first phase.

    amount: what the customer's bank demands. held_paise: the part of it that is held back, in the
    payment's currency; held_settled_paise: the same in rupees. taken_paise, taken_settled_paise:
    what the bank took. respond_by: the deadline of an answer, UTC. answered_at: when the merchant
    answered; sent_at: when the bank took the answer. accepted_paise: what the answer gives up.
    fee_paise, tax_paise: what the merchant is charged for the dispute. rate_micros: the attempt's.
    """

    merchant_id: int
    stage_id: int
    dispute_id: int
    payment_id: int
    attempt_id: int
    connector: str
    bank_case: str
    phase: DisputePhase
    amount: Money
    held_paise: int
    held_settled_paise: int
    rate_micros: int
    reason: str
    state: S
    opened_at: datetime
    respond_by: datetime
    due_at: datetime | None = None
    inquiries: int = 0
    reminded_at: datetime | None = None
    answered_at: datetime | None = None
    accepted_paise: int = 0
    note: str = ""
    sent_at: datetime | None = None
    expired_at: datetime | None = None
    taken_paise: int = 0
    taken_settled_paise: int = 0
    rrn: str = ""
    bank_message: str = ""
    settled_at: datetime | None = None
    fee_paise: int = 0
    tax_paise: int = 0

    @property
    def name(self) -> PhaseName:
        """Return the bank's name of it."""
        return PhaseName(self.bank_case, self.phase)

    @property
    def held(self) -> Money:
        """Return what is held back, in rupees."""
        return Money(self.held_settled_paise)

    @property
    def taken(self) -> Money:
        """Return what the bank took, in rupees."""
        return Money(self.taken_settled_paise)

    @property
    def reference(self) -> str:
        """Return the key of its answer at the bank."""
        return dispute_reference(self.merchant_id, self.stage_id)

    @property
    def unsent(self) -> bool:
        """Return whether an answer waits to be sent to the bank."""
        return (
            self.state in {S.UNDER_REVIEW, S.ACCEPTING}
            and self.answered_at is not None
            and self.sent_at is None
        )


def disputable_paise(
    payment: Payment, attempt: Attempt, disputed: Disputed, *, goes_back: bool
) -> int:
    """Return how much of a payment a new stage may hold: nothing that is gone or owed back already.

    goes_back: the gateway refunds the payment itself, as it came too late.
    """
    if attempt.state not in {A.PAID, A.AUTHORISED} or goes_back:
        return 0
    # A surcharge on top of the order's amount is captured with it.
    surcharge = (
        attempt.received_paise - payment.captured_paise if payment.state is PaymentState.PAID else 0
    )
    return max(payment.captured_paise + surcharge - payment.refunded_paise - disputed.paise, 0)


def may_open(view: PaymentView, attempt: Attempt) -> bool:
    """Return whether the disputed money is known here.

    The news of a capture may come after it.
    """
    if attempt.state is A.OVERPAID:
        return True
    return attempt.state in {A.PAID, A.AUTHORISED} and view.payment.state in {
        PaymentState.PAID,
        PaymentState.CAPTURED,
    }


def tax_on(fee_paise: int) -> int:
    """Return the GST on a fee in paise, half up."""
    return (fee_paise * GST_PER_CENT + 50) // 100


def new_stage(
    stage_id: int,
    word: DisputeWord,
    attempt: Attempt,
    before: Stage | None,
    disputable: int,
    fee_paise: int,
    now: datetime,
) -> Stage:
    """Return the stage for the bank's first news of a phase.

    before: the dispute's last stage. disputable: the most that may be held. fee_paise: the fee of a
    dispute, charged once, with the first stage that puts money at stake.
    """
    phase, at_stake = word.name.phase, word.name.phase is not DisputePhase.RETRIEVAL
    held_paise = min(word.amount.paise, disputable) if at_stake else 0
    respond_by = word.respond_by or now + RESPOND_WITHIN[phase]
    first_at_stake = at_stake and (before is None or before.phase is DisputePhase.RETRIEVAL)
    fee = fee_paise if first_at_stake else 0
    new = Stage(
        merchant_id=attempt.merchant_id,
        stage_id=stage_id,
        dispute_id=before.dispute_id if before else stage_id,
        payment_id=attempt.payment_id,
        attempt_id=attempt.attempt_id,
        connector=attempt.connector,
        bank_case=word.name.case,
        phase=phase,
        amount=word.amount,
        held_paise=held_paise,
        held_settled_paise=_rupees(held_paise, attempt.amount.currency, attempt.rate_micros),
        rate_micros=attempt.rate_micros,
        reason=word.reason,
        state=S.OPEN,
        opened_at=now,
        respond_by=respond_by,
        fee_paise=fee,
        tax_paise=tax_on(fee),
    )
    return replace(new, due_at=open_due(new))


def _rupees(paise: int, currency: str, rate_micros: int) -> int:
    if not paise:
        return 0
    return (
        paise
        if rate_micros == RATE_ONE
        else max(in_rupees(Money(paise, currency), rate_micros).paise, 1)
    )


def remind_at(stage: Stage) -> datetime | None:
    """Return when a merchant is reminded of an open stage; None after that, or if too late."""
    at = stage.respond_by - REMIND_BEFORE[stage.phase]
    return at if stage.reminded_at is None and at > stage.opened_at else None


def open_due(stage: Stage) -> datetime:
    """Return when an open stage is due next: for its reminder, or at its deadline."""
    return remind_at(stage) or stage.respond_by


def asked_again(stage: Stage, gaps_s: tuple[int, ...], now: datetime) -> datetime:
    """Return when the answer is sent again, or the bank asked again."""
    gap = timedelta(seconds=gaps_s[stage.inquiries]) if stage.inquiries < len(gaps_s) else LATER_GAP
    return now + gap


def moved(stage: Stage, state: S, **changes: object) -> Stage:
    """Return the stage in another state; a move that the table lacks is our bug."""
    if state is not stage.state and state not in DISPUTE_MOVES[stage.state]:
        message = f"stage {stage.stage_id}: {stage.state} may not become {state}"
        raise AssertionError(message)
    return replace(stage, state=state, **changes)  # type: ignore[arg-type]


def answer_refusal(
    stage: Stage, accepted_paise: int, note: str, evidence: int, now: datetime
) -> Refusal | None:
    """Return why an answer is refused, or None.

    accepted_paise: 0 contests, the whole amount accepts.
    """
    if stage.state is not S.OPEN:
        return Refusal(
            RefusalCode.DISPUTE_OVER, field="dispute", received=str(stage.state), allowed="open"
        )
    if now >= stage.respond_by:
        return Refusal(
            RefusalCode.DISPUTE_OVER,
            field="dispute",
            received="open",
            allowed=f"until {stage.respond_by:%d/%m %H:%M} UTC",
        )
    if not 0 <= accepted_paise <= stage.amount.paise:
        allowed = f"from 1 to {stage.amount.paise} paise"
        return Refusal(
            RefusalCode.FIELD_INVALID, field="amount", received=str(accepted_paise), allowed=allowed
        )
    if len(note) > NOTE_MAX:
        allowed = f"at most {NOTE_MAX} characters"
        return Refusal(
            RefusalCode.FIELD_INVALID,
            field="note",
            received=f"{len(note)} characters",
            allowed=allowed,
        )
    if accepted_paise < stage.amount.paise and not note and not evidence:
        allowed = "a note or a document: nobody decides for a merchant who says nothing"
        return Refusal(
            RefusalCode.FIELD_INVALID, field="evidence", received="none", allowed=allowed
        )
    return None


def answered(stage: Stage, accepted_paise: int, note: str, now: datetime) -> Stage:
    """Return the stage with the merchant's answer, to be sent at once."""
    state = S.ACCEPTING if accepted_paise == stage.amount.paise else S.UNDER_REVIEW
    return moved(
        stage,
        state,
        answered_at=now,
        accepted_paise=accepted_paise,
        note=note,
        due_at=now,
        inquiries=0,
    )


def answer_of(stage: Stage) -> DisputeAnswer:
    """Return the answer as the bank gets it."""
    accepted = Money(stage.accepted_paise, stage.amount.currency)
    return DisputeAnswer(stage.name, stage.reference, accepted, stage.note)


def disputed_attempt(view: PaymentView, attempt_id: int, word: DisputeWord) -> Attempt | None:
    """Return the disputed attempt; for an account or voucher, the transfer's."""
    attempt = view.attempt(attempt_id)
    if attempt is None or METHODS[attempt.method].flow is not Flow.CREDITED or not word.receipt:
        return attempt
    return next((attempt for attempt in view.attempts if attempt.rrn == word.receipt), None)


def is_of(word: DisputeWord, view: PaymentView) -> bool:
    """Return whether the bank's news is about this payment.

    A bank may give one number to two disputes.
    """
    key = parse_reference(word.original)
    return (
        key is not None and key[0] == view.payment.merchant_id and view.attempt(key[1]) is not None
    )


def after_word(stage: Stage, word: DisputeWord, now: datetime) -> Stage:
    """Return the stage after the bank's news; an ended one never changes.

    An open one that the bank reviews was contested in the acquirer's own dashboard. If the bank
    took more than is held, operators must look: nothing is settled automatically.
    """
    if stage.state in ENDED:
        return stage
    if word.standing not in DECIDED:
        return _answered_there(stage, now) if word.standing is Bank.UNDER_REVIEW else stage
    if takes_more(stage, word):
        words = (
            f"the bank took {word.taken_paise} {word.amount.currency}, and "
            f"{stage.held_paise} is held"
        )
        return replace(stage, bank_message=words)
    return moved(
        stage,
        _ending(stage, word),
        taken_paise=word.taken_paise,
        taken_settled_paise=_taken_rupees(stage, word.taken_paise),
        rrn=word.rrn,
        bank_message="",
        settled_at=now,
        due_at=None,
    )


def takes_more(stage: Stage, word: DisputeWord) -> bool:
    """Return whether the bank decided to take more than an unfinished stage holds."""
    return (
        stage.state not in ENDED
        and word.standing in DECIDED
        and (word.amount.currency != stage.amount.currency or word.taken_paise > stage.held_paise)
    )


def _answered_there(stage: Stage, now: datetime) -> Stage:
    """Return an open stage after it was contested in the acquirer's own dashboard.

    The bank's word may come with the deadline: what it reviews was contested in time.
    """
    if stage.state is not S.OPEN:
        return stage
    return moved(stage, S.UNDER_REVIEW, answered_at=now, sent_at=now, due_at=now, inquiries=0)


def _ending(stage: Stage, word: DisputeWord) -> S:
    if word.standing is Bank.WON and stage.phase is not DisputePhase.RETRIEVAL:
        return S.WON
    if word.taken_paise == 0:
        return S.CLOSED
    if word.taken_paise < stage.held_paise:
        return S.PARTLY_ACCEPTED
    return S.ACCEPTED if stage.state is S.ACCEPTING else S.LOST


def _taken_rupees(stage: Stage, paise: int) -> int:
    if paise == stage.held_paise:
        return stage.held_settled_paise
    return min(_rupees(paise, stage.amount.currency, stage.rate_micros), stage.held_settled_paise)
