"""How an order ends unpaid, and what its merchant is told; pure."""

from collections.abc import Mapping
from datetime import datetime

from hundi.instruments.methods import CASH_VOUCHER, METHODS, Flow
from hundi.kernel.events import Kind
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.orders.rules import Attempt, PaymentView, Step

_ENDING_BY_LAST: Mapping[A, P] = {
    A.FAILED: P.FAILED,
    A.NOT_REGISTERED: P.NOT_REGISTERED,
    A.EXPIRED: P.ABANDONED,
}
"""How an unpaid payment ends, by the customer's last attempt."""
NEWS_OF_ENDING: Mapping[P, Kind] = {
    P.FAILED: Kind.FAILED,
    P.NOT_REGISTERED: Kind.FAILED,
    P.ABANDONED: Kind.FAILED,
    P.EXPIRED: Kind.EXPIRED,
    P.UNKNOWN: Kind.UNKNOWN,
}
"""The notification when a payment ends unpaid."""


def unpaid_state(view: PaymentView, now: datetime) -> P:
    """Return the state of a payment without a success, by its attempts.

    It ends only when nothing can be paid any more: its session is over, no inquiry is open and no
    QR is on offer.
    """
    if view.live:
        return P.IN_PROCESS
    # A voucher without a number cannot be paid.
    awaited = any(
        each.awaits_money and (each.voucher or each.method != CASH_VOUCHER.name)
        for each in view.attempts
    )
    on_offer = view.offered or awaited
    payable = (
        view.payment.expires_at > now
        or on_offer
        or any(_scanned_again(each, now) for each in view.attempts)
    )
    return P.OPEN if payable else _ending(view)


def _scanned_again(attempt: Attempt, now: datetime) -> bool:
    """Return whether another payer can still pay a QR after a decline."""
    declined = attempt.state in {A.FAILED, A.NOT_REGISTERED} and attempt.expires_at > now
    return declined and METHODS[attempt.method].flow is Flow.SCANNED


def _ending(view: PaymentView) -> P:
    tries = [each.state for each in view.attempts if each.acted]
    if A.UNKNOWN in tries:
        return P.UNKNOWN
    return _ENDING_BY_LAST.get(tries[-1], P.EXPIRED) if tries else P.EXPIRED


def close_session(view: PaymentView, now: datetime) -> Step | None:
    """Return the step that ends a session, or None while the payment can still be paid."""
    state = unpaid_state(view, now)
    if view.payment.state is not P.OPEN or state in {P.OPEN, P.IN_PROCESS}:
        return None
    closed = replace(view.payment, state=state)
    return Step(EventKind.EXPIRED, Actor.CLOCK, closed, announce=NEWS_OF_ENDING[state])


def leave_page(view: PaymentView, now: datetime) -> Step | None:
    """Return the step when a customer returns to the merchant after a decline.

    None where nothing was attempted, or a bank is still asked. A later payment by an old QR is a
    late success.
    """
    return give_up(view, EventKind.LEFT_PAGE, Actor.CUSTOMER, now)


def give_up(view: PaymentView, kind: EventKind, actor: Actor, now: datetime) -> Step | None:
    """Return the step that ends an order which is not tried again, or None as `leave_page` does."""
    tried = any(each.acted for each in view.attempts)
    if view.payment.state is not P.OPEN or view.live or not tried:
        return None
    state = _ending(view)
    left = replace(view.payment, state=state, expires_at=min(now, view.payment.expires_at))
    return Step(kind, actor, left, announce=NEWS_OF_ENDING[state])
