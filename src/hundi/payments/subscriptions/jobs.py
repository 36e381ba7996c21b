"""Later work on subscriptions: approvals, notices, debits, and ends at the bank.

A debit is an order of its own. It begins in the transaction that marks its period as sent, so a
crash leaves an attempt that is sent again under the same reference, and never a second one.
"""

from datetime import datetime, timedelta
from functools import partial

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.mandates import MandateTerms, TakesMandates
from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.instruments.methods import CHANNEL_OF_METHOD, ENACH
from hundi.kernel.clock import utc_now
from hundi.kernel.events import Kind
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, DebitState, EventKind
from hundi.kernel.states import SubscriptionState as S
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import FOLLOWED_CHANNEL, PaymentContext
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.debits import rules as debit_rules
from hundi.payments.subscriptions.locking.actions import DUE_CHANNEL, Locked, locked
from hundi.payments.subscriptions.rules import Subscription

PACE = Pace(poll_s=1.0, in_flight_max=50, peer_in_flight_max=40, idle_s=15.0)
LEASE = timedelta(seconds=30)
"""How long a worker holds a claimed row; longer than any call to a bank takes."""
APPROVAL_LOOK = timedelta(hours=6)
"""The gap between two looks at an approval that its bank is slow to confirm."""
PERIODS_A_ROUND_MAX = 100
"""The most periods that one round plans, after a long time without a worker."""


def subscriptions(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Subscription]:
    """Return the loop that approves, plans and ends subscriptions."""
    db = context.db
    claim = Claim(LEASE, partial(store.claim, db), partial(store.put_back, db))
    find, act = partial(store.due, db), partial(_work_on, context)
    work = LeasedWork(
        "subscriptions", PACE, find, claim, act, due=_due, able=context.connectors.has
    )
    return DueLoop(
        work,
        listen=partial(db.listen, DUE_CHANNEL),
        hints=partial(db.listen, FOLLOWED_CHANNEL),
        clock=clock,
    )


def _due(subscription: Subscription) -> Due:
    return Due(subscription.merchant_id, subscription.subscription_id, subscription.connector)


async def _work_on(context: PaymentContext, claimed: Subscription, now: datetime) -> bool:
    if claimed.state is S.CANCELLED:
        return await _end_at_bank(context, claimed, now)
    async with locked(context.db, claimed.merchant_id, claimed.subscription_id, now) as one:
        if one.subscription.state is S.CREATED:
            await _approve(context, one)
        elif one.subscription.state is S.ACTIVE:
            await _plan(context, one)
    return True


async def _approve(context: PaymentContext, one: Locked) -> None:
    """Activate a subscription whose order is paid; fail one that nobody approved in time."""
    created, now, paid = one.subscription, one.now, one.view.success
    if paid is None:
        ends_at = created.created_at + rules.APPROVAL_LIFE
        if now < ends_at or one.view.live:
            # A bank that is still asked may register the mandate: look again after the inquiries.
            await one.write(
                replace(created, due_at=ends_at if now < ends_at else now + APPROVAL_LOOK)
            )
            return
        # One of its banks may have registered a mandate all the same.
        await one.write(replace(rules.moved(created, S.FAILED, now), ask_at=now))
        await one.tell(EventKind.MANDATE_FAILED, Actor.CLOCK, Kind.MANDATE_FAILED)
        return
    approved = replace(
        created,
        connector=paid.connector,
        mandate_reference=paid.reference,
        channel=CHANNEL_OF_METHOD[paid.method].code,
        umrn=paid.approval_code if paid.method == ENACH.name else "",
        payer=paid.payer_vpa,
        activated_at=now,
    )
    approved = replace(
        approved,
        notice_before=terms_of(context, approved).notice_before,
        ask_at=now,
    )
    if await _is_given_back(one):
        await one.write(rules.moved(approved, S.CANCELLED, now))
        await one.tell(EventKind.MANDATE_CANCELLED, Actor.GATEWAY, Kind.MANDATE_CANCELLED)
        return
    await one.write(rules.moved(approved, S.ACTIVE, now))
    await one.tell(EventKind.MANDATE_APPROVED, Actor.BANK)


async def _is_given_back(one: Locked) -> bool:
    """Return whether the order was paid too late for a merchant that keeps no late payments."""
    key = one.subscription.merchant_id, one.subscription.subscription_id
    return await payments.has_event(one.conn, *key, EventKind.LATE_REFUND_DUE)


async def _plan(context: PaymentContext, one: Locked) -> None:
    """Begin the debits whose notice is due.

    A period that could only be debited in the next one's time is missed.
    """
    now = one.now
    before = terms_of(context, one.subscription).notice_before
    one.subscription = replace(one.subscription, notice_before=before)
    for _ in range(PERIODS_A_ROUND_MAX):
        subscription = one.subscription
        due = rules.notice_due(subscription, subscription.next_period)
        if due is None or due > now:
            break
        planned = rules.planned_at(subscription, subscription.next_period)
        debit = debit_rules.new_debit(subscription, new_id(now), planned, now)
        if debit_rules.too_late(
            subscription,
            debit.period_no,
            debit_rules.debit_time(subscription, planned, now),
        ):
            debit = debit_rules.debit_moved(debit, DebitState.MISSED, now)
        await one.add(debit)
        one.subscription = replace(subscription, next_period=subscription.next_period + 1)
        if debit.state is DebitState.MISSED:
            await one.tell(EventKind.DEBIT_MISSED, Actor.CLOCK, Kind.DEBIT_MISSED, debit)
    await one.write(replace(one.subscription, due_at=rules.plans_at(one.subscription)))
    await one.end_if_over()


async def _end_at_bank(context: PaymentContext, claimed: Subscription, now: datetime) -> bool:
    bank = bank_of(context, claimed)
    answer = await bank.end_mandate(claimed.mandate_reference)
    if isinstance(answer, Unknown):
        return answer.sent
    async with locked(context.db, claimed.merchant_id, claimed.subscription_id, now) as one:
        await one.write(replace(one.subscription, due_at=None))
    return True


def bank_of(context: PaymentContext, subscription: Subscription) -> TakesMandates:
    """Return the connector that has a subscription's mandate."""
    connector = context.connectors.get(subscription.connector)
    assert isinstance(connector, TakesMandates), (
        f"{subscription.connector} takes no mandates (any more)"
    )
    return connector


def terms_of(context: PaymentContext, subscription: Subscription) -> MandateTerms:
    """Return when the acquirer of a subscription's mandate debits by it."""
    return bank_of(context, subscription).mandate_terms[subscription.channel]
