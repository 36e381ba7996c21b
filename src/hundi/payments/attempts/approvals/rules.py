"""What a bank's approval changes in an attempt and its payment; pure."""

from dataclasses import dataclass
from datetime import datetime

from hundi.acquirers.port.answers import Approved
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.events import Kind
from hundi.kernel.moves import LIVE, MOVED, PAYMENT_MOVES, UNPAID_AND_ENDED
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind, PaymentKind
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.money.ledger.rules import (
    entries_for_held,
    entries_for_late_refund_due,
    entries_for_overpayment,
    entries_for_success,
)
from hundi.payments.attempts.rules import LATER_GAP, OTHER_ACCOUNT_CODE
from hundi.payments.orders.endings.rules import NEWS_OF_ENDING, unpaid_state
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, Step, channel_of
from hundi.payments.risk.rules import Action

OTHER_ACCOUNT = "The order accepts money from another bank account only; this money goes back"


@dataclass(frozen=True, slots=True)
class Policy:
    """The merchant's settings and the connector's schedule, for a decision.

    payer_account: fingerprint of the account that the bank says the money came from, "" where it
    says none.
    """

    refund_late_success: bool
    schedule: InquirySchedule
    payer_account: str = ""


def moved(attempt: Attempt, state: A, now: datetime, **changes: object) -> Attempt:
    """Return an attempt in another state, settled unless that state is still open."""
    return replace(attempt, state=state, settled_at=None if state in LIVE else now, **changes)  # type: ignore[arg-type]


def payment_becomes(view: PaymentView, state: P, attempt: Attempt) -> Payment:
    """Return the payment in a new state, with an attempt's method and bank fields."""
    return replace(
        view.payment,
        state=state,
        captured_paise=view.payment.amount.paise
        if state is P.PAID
        else view.payment.captured_paise,
        method=channel_of(view.payment, attempt.method),
        bank_code=attempt.bank_code,
        bank_message=attempt.bank_message,
    )


def state_with(view: PaymentView, closed: Attempt, now: datetime) -> P:
    """Return the payment's state after an attempt ended without money."""
    if view.payment.state not in {P.OPEN, P.IN_PROCESS, P.UNKNOWN}:
        return view.payment.state
    attempts = tuple(
        closed if each.attempt_id == closed.attempt_id else each for each in view.attempts
    )
    state = unpaid_state(PaymentView(view.payment, attempts), now)
    return state if state in PAYMENT_MOVES[view.payment.state] else view.payment.state


def news_of(view: PaymentView, state: P, otherwise: Kind | None = None) -> Kind | None:
    """Return the notification about an attempt that ended without money.

    otherwise: the notification when the payment stays open.
    """
    return (
        otherwise
        if state is view.payment.state or state not in NEWS_OF_ENDING
        else NEWS_OF_ENDING[state]
    )


def after_approval(
    view: PaymentView, attempt: Attempt, answer: Approved, policy: Policy, now: datetime
) -> Step | None:
    """Return the step for a bank's approval; None when nothing changes.

    An approval that this order cannot keep (it is paid, or the amount differs) is overpaid: posted
    as owed back.
    """
    if attempt.state in MOVED:
        return None
    facts = {
        "received_paise": answer.amount.paise,
        "rrn": answer.rrn,
        "bank_code": answer.code,
        "bank_message": answer.message,
        "payer_vpa": answer.payer_vpa or attempt.payer_vpa,
        "approval_code": answer.approval_code,
        "card": answer.card or attempt.card,
        "rate_micros": answer.rate_micros,
        "inquire_at": None,
    }
    foreign = is_foreign(view.payment, policy.payer_account)
    if foreign or exceeds_order(view, attempt, answer):
        if answer.authorised_only:
            return _surplus_hold(view, attempt, now)
        overpaid = moved(attempt, A.OVERPAID, now, **facts)
        if foreign:
            overpaid = replace(overpaid, bank_code=OTHER_ACCOUNT_CODE, bank_message=OTHER_ACCOUNT)
        return _excess(view, overpaid, now)
    if attempt.risk.verdict.action is Action.HOLD:
        return _held(
            view, moved(attempt, A.AUTHORISED if answer.authorised_only else A.PAID, now, **facts)
        )
    late = view.payment.state in UNPAID_AND_ENDED
    if answer.authorised_only:
        held = moved(attempt, A.AUTHORISED, now, **facts)
        # A late hold of a merchant who keeps no late payment is voided by the job that finds this
        # event.
        kind = EventKind.LATE_HOLD if late and policy.refund_late_success else EventKind.AUTHORISED
        return Step(
            kind,
            Actor.BANK,
            payment_becomes(view, P.AUTHORISED, held),
            held,
            announce=Kind.AUTHORISED,
        )
    paid = moved(attempt, A.PAID, now, **facts)
    postings = entries_for_success(paid)
    on_time = Kind.MANDATE_APPROVED if view.payment.kind is PaymentKind.SUBSCRIPTION else Kind.PAID
    kind, news = (EventKind.LATE_SUCCESS, Kind.LATE_SUCCESS) if late else (EventKind.PAID, on_time)
    if late and policy.refund_late_success:
        # An event of its own: a refund is sent only for a cause that the books show.
        kind, postings = EventKind.LATE_REFUND_DUE, postings + entries_for_late_refund_due(paid)
    return Step(
        kind,
        Actor.BANK,
        payment_becomes(view, P.PAID, paid),
        paid,
        postings=postings,
        announce=news,
    )


def _excess(view: PaymentView, overpaid: Attempt, now: datetime) -> Step:
    """Return the step for money that its order cannot keep, posted as owed back."""
    state = state_with(view, overpaid, now) if view.success is None else view.payment.state
    return Step(
        EventKind.EXCESS_PAYMENT,
        Actor.BANK,
        replace(view.payment, state=state),
        overpaid,
        postings=entries_for_overpayment(overpaid),
        announce=Kind.EXCESS_PAYMENT,
    )


def is_foreign(payment: Payment, payer_account: str) -> bool:
    """Return whether money came from an account that may not pay, or from an unnamed one."""
    return payment.restrictions.payer_account not in {"", payer_account}


def _held(view: PaymentView, success: Attempt) -> Step:
    """Return the step for a success, late or not, that a risk rule holds.

    An operator decides about it.
    """
    posted = entries_for_held(success) if success.state is A.PAID else ()
    payment = payment_becomes(view, P.UNDER_REVIEW, success)
    return Step(
        EventKind.HELD, Actor.BANK, payment, success, postings=posted, announce=Kind.UNDER_REVIEW
    )


def exceeds_order(view: PaymentView, attempt: Attempt, answer: Approved) -> bool:
    """Return whether an order cannot keep an approved amount.

    It is paid, over, or for another amount.
    """
    other_amount = answer.amount != attempt.amount
    return (
        view.success is not None or other_amount or view.payment.state in {P.VOIDED, P.UNDER_REVIEW}
    )


def is_surplus_hold(view: PaymentView, attempt: Attempt, answer: object) -> bool:
    """Return whether the bank holds an amount that the order cannot keep and has to void."""
    if (
        not isinstance(answer, Approved)
        or not answer.authorised_only
        or attempt.state is A.AUTHORISED
    ):
        return False
    return exceeds_order(view, attempt, answer)


def _surplus_hold(view: PaymentView, attempt: Attempt, now: datetime) -> Step | None:
    """Return the step for a hold to be voided, with the time of the next inquiry."""
    if attempt.inquire_at is not None and attempt.inquire_at > now:
        return None
    return Step(
        EventKind.SURPLUS_HOLD,
        Actor.BANK,
        view.payment,
        replace(attempt, inquire_at=now + LATER_GAP),
    )
