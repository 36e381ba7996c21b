"""What a stage of a dispute does to its payment, the books and the merchant; pure."""

from collections.abc import Mapping
from datetime import datetime

from hundi.kernel.events import Kind
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, EventKind
from hundi.kernel.states import DisputeState as S
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.news.rules import DisputeFacts
from hundi.payments.orders.rules import Payment, Step

_NEWS: Mapping[S, tuple[EventKind, Kind]] = {
    S.WON: (EventKind.DISPUTE_WON, Kind.DISPUTE_WON),
    S.LOST: (EventKind.DISPUTE_LOST, Kind.DISPUTE_LOST),
    S.ACCEPTED: (EventKind.DISPUTE_LOST, Kind.DISPUTE_LOST),
    S.PARTLY_ACCEPTED: (EventKind.DISPUTE_PARTLY_LOST, Kind.DISPUTE_PARTLY_LOST),
    S.CLOSED: (EventKind.DISPUTE_CLOSED, Kind.DISPUTE_CLOSED),
}


def postings_of_opening(stage: Stage) -> tuple[Posting, ...]:
    """Return the postings when a stage opens: what is held, and the fee with its tax."""
    payable = chart.PAYABLE.code
    postings = (
        (PostingKind.DISPUTE_HELD, payable, chart.DISPUTED.code, stage.held_settled_paise),
        (PostingKind.DISPUTE_FEE, payable, chart.FEE_INCOME.code, stage.fee_paise),
        (PostingKind.DISPUTE_TAX, payable, chart.TAX_PAYABLE.code, stage.tax_paise),
    )
    return tuple(_posting(stage, *posting, stage.opened_at) for posting in postings if posting[-1])


def postings_of_ending(stage: Stage, now: datetime) -> tuple[Posting, ...]:
    """Return the postings when a stage ends: what the bank took, and what is held no more."""
    disputed, receivable = chart.DISPUTED.code, chart.receivable_from(stage.connector)
    released = stage.held_settled_paise - stage.taken_settled_paise
    postings = (
        (PostingKind.DISPUTE_LOST, disputed, receivable, stage.taken_settled_paise),
        (PostingKind.DISPUTE_WON, disputed, chart.PAYABLE.code, released),
    )
    return tuple(_posting(stage, *posting, now) for posting in postings if posting[-1])


def _posting(
    stage: Stage, kind: PostingKind, debit: str, credit: str, paise: int, at: datetime
) -> Posting:
    return Posting(stage.merchant_id, stage.stage_id, kind, debit, credit, Money(paise), at)


def facts_of_stage(stage: Stage) -> DisputeFacts:
    """Return what outsiders read of a stage."""
    return DisputeFacts(
        dispute_id=stage.dispute_id,
        stage_id=stage.stage_id,
        phase=stage.phase,
        state=stage.state,
        amount_paise=stage.amount.paise,
        held_paise=stage.held_paise,
        taken_paise=stage.taken_paise,
        reason=stage.reason,
        respond_by=stage.respond_by,
    )


def step_opened(payment: Payment, stage: Stage) -> Step:
    """Return what the opening of a stage does to its payment, the books and the merchant."""
    return _step(
        EventKind.DISPUTE_OPENED,
        Actor.BANK,
        payment,
        stage,
        Kind.DISPUTE_OPENED,
        postings_of_opening(stage),
    )


def step_reminded(payment: Payment, stage: Stage) -> Step:
    """Return the step that reminds the merchant of a near deadline."""
    return _step(EventKind.DISPUTE_DUE_SOON, Actor.CLOCK, payment, stage, Kind.DISPUTE_DUE_SOON)


def step_answered(payment: Payment, stage: Stage, actor: Actor) -> Step:
    """Return what a merchant's answer does to its payment."""
    if stage.state is S.ACCEPTING:
        return _step(EventKind.DISPUTE_ACCEPTED, actor, payment, stage, Kind.DISPUTE_ACCEPTED)
    return _step(EventKind.DISPUTE_CONTESTED, actor, payment, stage, Kind.DISPUTE_CONTESTED)


def step_expired(payment: Payment, stage: Stage) -> Step:
    """Return the step at a deadline.

    No answer is taken any more, and the bank decides.
    """
    return _step(EventKind.DISPUTE_EXPIRED, Actor.CLOCK, payment, stage, Kind.DISPUTE_EXPIRED)


def step_ended(payment: Payment, stage: Stage, now: datetime) -> Step:
    """Return what the end of a stage does to its payment, the books and the merchant."""
    event, news = _NEWS[stage.state]
    return _step(event, Actor.BANK, payment, stage, news, postings_of_ending(stage, now))


def _step(
    kind: EventKind,
    actor: Actor,
    payment: Payment,
    stage: Stage,
    news: Kind,
    postings: tuple[Posting, ...] = (),
) -> Step:
    return Step(
        kind,
        actor,
        payment,
        about=stage.attempt_id,
        postings=postings,
        announce=news,
        dispute=facts_of_stage(stage),
    )
