"""Rules of debits: notice, time, tries and the payment of one; pure."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from hundi.acquirers.port.mandates import RETRY_GAP, MandateTerms, NoticeGiven
from hundi.instruments import mandates
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import DebitState as D
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.kernel.states import SubscriptionPeriod as Period
from hundi.kernel.states import SubscriptionState as S
from hundi.payments.orders.rules import Payment, PaymentView
from hundi.payments.subscriptions.rules import (
    NOTICE_GRACE,
    WAITING,
    Debit,
    Subscription,
    planned_at,
)

DEBIT_MOVES: Mapping[D, frozenset[D]] = {
    D.ANNOUNCED: frozenset({D.SENT, D.SKIPPED, D.MISSED}),
    D.SENT: frozenset({D.RETRYING, D.DONE, D.FAILED}),
    D.RETRYING: frozenset({D.SENT, D.DONE, D.FAILED}),
    D.FAILED: frozenset({D.DONE}),
    D.DONE: frozenset(),
    D.SKIPPED: frozenset(),
    D.MISSED: frozenset(),
}
LATE_LOOK = timedelta(hours=73)
"""When a failed debit is looked at once more: a bank may have paid it late."""


def debit_time(subscription: Subscription, planned: datetime, noticed_at: datetime) -> datetime:
    """Return when a debit is made.

    As planned, but never sooner than the rules allow after its notice.
    """
    earliest = noticed_at + subscription.notice_before + NOTICE_GRACE
    return mandates.in_window(subscription.channel, max(planned, earliest))


def noticed(
    subscription: Subscription, debit: Debit, given: NoticeGiven, debit_at: datetime, now: datetime
) -> Debit:
    """Return a debit whose customer has the notice: planned for when the acquirer takes it."""
    planned = mandates.in_window(subscription.channel, max(debit_at, given.debit_from or debit_at))
    return replace(
        debit,
        noticed_at=now,
        planned_at=planned,
        due_at=planned,
        notice_name=given.name,
        debit_until=given.debit_until,
    )


def too_late(subscription: Subscription, period_no: int, at: datetime) -> bool:
    """Return whether a debit made at a time would fall on the next period's: it is missed."""
    return subscription.period is not Period.AS_PRESENTED and at >= planned_at(
        subscription, period_no + 1
    )


def is_over(subscription: Subscription, debit: Debit, at: datetime) -> bool:
    """Return whether a debit may not be made any more at a time.

    The next period's has come, or the acquirer's time for it is over.
    """
    ended = debit.debit_until is not None and at >= debit.debit_until
    return ended or too_late(subscription, debit.period_no, at)


def debit_moved(debit: Debit, state: D, now: datetime, due_at: datetime | None = None) -> Debit:
    """Return a debit in another state.

    Raises AssertionError on a move that the table lacks.
    """
    if state is not debit.state and state not in DEBIT_MOVES[debit.state]:
        message = f"debit {debit.debit_id}: {debit.state} may not become {state}"
        raise AssertionError(message)
    return replace(debit, state=state, due_at=due_at, settled_at=None if state in WAITING else now)


def after_try(
    subscription: Subscription,
    debit: Debit,
    paid_for: PaymentView,
    terms: MandateTerms,
    now: datetime,
) -> Debit | None:
    """Return a debit after its order's outcome, None while the bank has not decided.

    After a decline another try follows, as often as merchant, network and acquirer allow and while
    the subscription is active. A failed debit stays so unless its order is paid late.
    """
    if paid_for.payment.state in {P.PAID, P.CAPTURED}:
        return debit_moved(debit, D.DONE, now)
    if debit.state is D.FAILED:
        return debit
    if paid_for.live or any(each.inquire_at is not None for each in paid_for.attempts):
        return None
    # An unanswered try may have been paid: it is left to reconciliation and not repeated.
    unanswered = any(each.state is A.UNKNOWN for each in paid_for.attempts)
    tries_max = min(subscription.retries_max, mandates.RETRIES_MAX, terms.retries_max)
    again = mandates.in_window(subscription.channel, now + terms.retry_gap)
    too_late_there = debit.debit_until is not None and again >= debit.debit_until
    used_up = debit.tries > tries_max or too_late_there
    if unanswered or used_up or subscription.state is not S.ACTIVE:
        return debit_moved(debit, D.FAILED, now)
    return debit_moved(debit, D.RETRYING, now, again)


def new_debit(subscription: Subscription, debit_id: int, planned: datetime, now: datetime) -> Debit:
    """Return the debit of the next period, to be announced at once."""
    return Debit(
        merchant_id=subscription.merchant_id,
        debit_id=debit_id,
        subscription_id=subscription.subscription_id,
        period_no=subscription.next_period,
        amount=subscription.amount,
        state=D.ANNOUNCED,
        planned_at=planned,
        created_at=now,
        due_at=now,
        connector=subscription.connector,
    )


def debit_payment(
    registered: Payment, debit: Debit, order_id: str, payment_id: int, now: datetime
) -> Payment:
    """Return the order of a debit, for the customer who registered the mandate."""
    content = f"{order_id} {debit.amount.paise} {debit.amount.currency}".encode()
    return replace(
        registered,
        payment_id=payment_id,
        order_id=order_id,
        content_hash=sha256(content).digest(),
        amount=debit.amount,
        kind=PaymentKind.SALE,
        state=P.OPEN,
        captured_paise=0,
        # A debit without its customer adds no surcharge: no fee was shown, and the rules of
        # mandates forbid one.
        surcharges=(),
        method="",
        bank_code="",
        bank_message="",
        revision=1,
        created_at=now,
        expires_at=now + RETRY_GAP * (mandates.RETRIES_MAX + 1),
        refunds=0,
        refunded_paise=0,
        settled_at=None,
    )
