"""Rules of reviews: what the release or the rejection of a held payment changes; pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hundi.kernel.events import Kind
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, wrong_state
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentState
from hundi.money.ledger.rules import entry_for_review
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, Step

REASON_LENGTH_MAX = 500


class Decision(StrEnum):
    """How a review ended."""

    RELEASED = "released"
    """The payment goes on as if it had never been held."""
    REJECTED = "rejected"
    """The money goes back."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A decision with its reason, and who made it."""

    decision: Decision
    reason: str
    decided_by: str


def refusal_of(payment: Payment, reason: str) -> Refusal | None:
    """Return why a review cannot end so, or None."""
    if not 1 <= len(reason.strip()) <= REASON_LENGTH_MAX:
        allowed = f"1 to {REASON_LENGTH_MAX} characters"
        return Refusal(
            RefusalCode.FIELD_INVALID, field="reason", received=reason[:64], allowed=allowed
        )
    if payment.state is not PaymentState.UNDER_REVIEW:
        return wrong_state("payment", payment.state, PaymentState.UNDER_REVIEW)
    return None


def after_release(view: PaymentView, success: Attempt, now: datetime) -> Step:
    """Return the step of a release: the payment is paid or authorised, and its merchant is told."""
    if success.state is AttemptState.AUTHORISED:
        payment = replace(view.payment, state=PaymentState.AUTHORISED)
        return _step(EventKind.REVIEW_RELEASED, payment, success, Kind.AUTHORISED)
    payment = replace(
        view.payment, state=PaymentState.PAID, captured_paise=view.payment.amount.paise
    )
    posted = entry_for_review(success, released=True, at=now)
    return replace(
        _step(EventKind.REVIEW_RELEASED, payment, success, Kind.PAID), postings=(posted,)
    )


def after_rejection(view: PaymentView, success: Attempt, now: datetime) -> Step:
    """Return the step of a rejection: what was paid is owed back, and a job refunds it.

    The issuer holds an authorised amount until its void, which the caller begins, is done.
    """
    if success.state is AttemptState.AUTHORISED:
        return _step(EventKind.REVIEW_REJECTED, view.payment, success, None)
    return Step(
        EventKind.REVIEW_REJECTED,
        Actor.OPERATOR,
        replace(view.payment, state=PaymentState.FAILED),
        replace(success, state=AttemptState.OVERPAID),
        postings=(entry_for_review(success, released=False, at=now),),
        announce=Kind.FAILED,
    )


def _step(kind: EventKind, payment: Payment, success: Attempt, news: Kind | None) -> Step:
    return Step(kind, Actor.OPERATOR, payment, about=success.attempt_id, announce=news)
