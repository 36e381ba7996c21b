"""Announce and make the debits that are due."""

from datetime import datetime, timedelta
from functools import partial

import structlog

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice
from hundi.infra.background.due import Clock, DueLoop
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.monitoring import traces
from hundi.instruments import mandates
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import utc_now
from hundi.kernel.events import Kind
from hundi.kernel.ids import new_id, notice_reference
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, AttemptState, DebitState, EventKind, PaymentState
from hundi.kernel.states import SubscriptionState as S
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import actions as attempts
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentCase, PaymentContext, new_attempt, write_locked
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, Step
from hundi.payments.subscriptions import store
from hundi.payments.subscriptions.actions import cancel
from hundi.payments.subscriptions.debits import rules as debit_rules
from hundi.payments.subscriptions.jobs import LEASE, PACE, bank_of, terms_of
from hundi.payments.subscriptions.locking.actions import DUE_CHANNEL, Locked, locked
from hundi.payments.subscriptions.rules import Debit, Subscription
from hundi.payments.subscriptions.standings.actions import pause_at_bank

DEBIT_LIFE = timedelta(hours=1)
NOTICE_LOOK = timedelta(minutes=5)
"""The gap between two looks at a notice that its acquirer has not sent yet."""
SUSPENDED_GAP = timedelta(hours=1)
"""The delay before a debit of a suspended merchant is looked at again."""
_log = structlog.get_logger(__name__)


def debits(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Debit]:
    """Return the loop that announces debits, makes them and follows them to their end."""
    db = context.db
    claim = Claim(LEASE, partial(store.claim_debits, db), partial(store.put_back_debit, db))
    find, act = partial(store.debits_due, db), partial(_work_on_debit, context)
    work = LeasedWork("debits", PACE, find, claim, act, due=_debit_due, able=context.connectors.has)
    return DueLoop(work, listen=partial(db.listen, DUE_CHANNEL), clock=clock)


def _debit_due(debit: Debit) -> Due:
    return Due(debit.merchant_id, debit.debit_id, debit.connector)


async def _work_on_debit(context: PaymentContext, claimed: Debit, now: datetime) -> bool:
    subscription = await store.select(context.db, claimed.merchant_id, claimed.subscription_id)
    merchant = await context.directory.get(claimed.merchant_id)
    if subscription is None or merchant is None:
        _log.error(
            "debit_without_subscription", merchant_id=claimed.merchant_id, debit_id=claimed.debit_id
        )
        return True
    if claimed.state is DebitState.ANNOUNCED and claimed.noticed_at is None:
        return await _announce(context, subscription, claimed, now)
    if claimed.state in {DebitState.ANNOUNCED, DebitState.RETRYING}:
        return await _try(context, merchant, claimed, now)
    return await _follow(context, merchant, subscription, claimed, now)


async def _announce(
    context: PaymentContext, subscription: Subscription, debit: Debit, now: datetime
) -> bool:
    """Announce a debit to the customer, which starts the time that the rules give them.

    It starts when the bank has answered: the call may have waited long for that.
    """
    debit_at = debit_rules.debit_time(subscription, debit.planned_at, now)
    if debit_rules.too_late(subscription, debit.period_no, debit_at):
        await _end_unannounced(context, debit, DebitState.MISSED, now)
        return True
    bank = bank_of(context, subscription)
    notice = MandateNotice(
        notice_reference(debit.merchant_id, debit.debit_id),
        subscription.mandate_reference,
        debit.period_no,
        debit.amount,
        debit_at,
    )
    began = utc_now()
    answer = await bank.give_notice(notice)
    if isinstance(answer, Unknown):
        if answer.sent and answer.code:
            # The acquirer said that the customer has it not yet, which takes minutes; after a lost
            # answer the end of the lease asks again.
            await store.put_back_debit(context.db, debit, now + NOTICE_LOOK)
        return answer.sent
    if isinstance(answer, Declined):
        if not await _stopped(context, debit, answer, now):
            await _end_unannounced(context, debit, DebitState.SKIPPED, now)
        return True
    now += utc_now() - began
    debit_at = debit_rules.debit_time(subscription, debit_at, now)
    async with locked(context.db, debit.merchant_id, debit.subscription_id, now) as one:
        before = await _unannounced(one, debit)
        if before is None:
            return True
        after = debit_rules.noticed(one.subscription, before, answer, debit_at, now)
        await store.update_debit(one.conn, before, after)
        await one.tell(EventKind.DEBIT_ANNOUNCED, Actor.GATEWAY, Kind.DEBIT_ANNOUNCED, after)
    return True


async def _unannounced(one: Locked, debit: Debit) -> Debit | None:
    """Return a debit as it is under the lock, None if it is no longer to be announced."""
    before = await store.select_debit(one.conn, debit.merchant_id, debit.debit_id)
    announces = before and before.state is DebitState.ANNOUNCED and before.noticed_at is None
    return before if announces else None


_UNANNOUNCED = {
    DebitState.SKIPPED: (EventKind.DEBIT_SKIPPED, Kind.DEBIT_SKIPPED),
    DebitState.MISSED: (EventKind.DEBIT_MISSED, Kind.DEBIT_MISSED),
}


async def _end_unannounced(
    context: PaymentContext, debit: Debit, state: DebitState, now: datetime
) -> None:
    """End a debit of which the customer was not told."""
    async with locked(context.db, debit.merchant_id, debit.subscription_id, now) as one:
        before = await _unannounced(one, debit)
        if before is not None:
            after = debit_rules.debit_moved(before, state, now)
            kind, news = _UNANNOUNCED[state]
            await store.update_debit(one.conn, before, after)
            await one.tell(kind, Actor.GATEWAY, news, after)
            await one.end_if_over()


async def _stopped(context: PaymentContext, debit: Debit, answer: Declined, now: datetime) -> bool:
    """Cancel or pause the subscription of a debit whose customer did so at the bank."""
    key = debit.merchant_id, debit.subscription_id
    if answer.mandate_over:
        await cancel(context.db, *key, Actor.BANK, now)
    elif answer.mandate_paused:
        await pause_at_bank(context.db, *key, now)
    return answer.mandate_over or answer.mandate_paused


async def _try(context: PaymentContext, merchant: Merchant, claimed: Debit, now: datetime) -> bool:
    """Begin one try of a debit, unless it may not be made now, and ask the bank for the money."""
    view: PaymentView | None = None
    async with locked(context.db, claimed.merchant_id, claimed.subscription_id, now) as one:
        debit = await store.select_debit(one.conn, claimed.merchant_id, claimed.debit_id)
        if debit is None or debit != claimed:
            # The lease was over, and another worker has it or had it.
            return True
        later = (
            now + SUSPENDED_GAP
            if merchant.suspended
            else mandates.in_window(one.subscription.channel, now)
        )
        if await one.done_if_paid(debit):
            await one.end_if_over()
        elif one.subscription.state is not S.ACTIVE or debit_rules.is_over(
            one.subscription, debit, now
        ):
            await _give_up(one, debit)
        elif not await _is_backed(one, debit):
            # Somebody changed the books: nothing is debited, and the audit names what is wrong.
            _log.error("debit_not_backed", merchant_id=debit.merchant_id, debit_id=debit.debit_id)
        elif later > now:
            await store.update_debit(one.conn, debit, replace(debit, due_at=later))
        else:
            view, debit = await _begin(context, one, debit)
        subscription = one.subscription
    if view is None:
        return True
    case = PaymentCase(context, merchant, view, now)
    if await _ask(case, subscription, debit, view.attempts[-1]):
        await _conclude(context, debit, now)
    return True


async def _is_backed(one: Locked, debit: Debit) -> bool:
    """Return whether a debit is within its mandate and the books show its notice."""
    if debit.noticed_at is None or debit.amount.paise > one.subscription.max_paise:
        return False
    key = debit.merchant_id, debit.subscription_id
    return await payments.has_event(one.conn, *key, EventKind.DEBIT_ANNOUNCED, debit.noticed_at)


async def _give_up(one: Locked, debit: Debit) -> None:
    """End a debit whose time is over, or whose subscription is not active any more."""
    if debit.state is DebitState.RETRYING:
        await one.fail(debit, Actor.CLOCK)
    else:
        missed = one.subscription.state is S.ACTIVE
        after = debit_rules.debit_moved(
            debit, DebitState.MISSED if missed else DebitState.SKIPPED, one.now
        )
        await store.update_debit(one.conn, debit, after)
        kind, news = (
            (EventKind.DEBIT_MISSED, Kind.DEBIT_MISSED)
            if missed
            else (EventKind.DEBIT_SKIPPED, Kind.DEBIT_SKIPPED)
        )
        await one.tell(kind, Actor.CLOCK, news, after)
    await one.end_if_over()


async def _begin(context: PaymentContext, one: Locked, debit: Debit) -> tuple[PaymentView, Debit]:
    """Write the intention of one try.

    That is the order (with the first try), an attempt, and the debit as sent.
    """
    conn, now = one.conn, one.now
    if debit.payment_id is None:
        view = PaymentView(await _open_order(one, debit), ())
    else:
        payment_view = await payments.lock_view(conn, debit.merchant_id, debit.payment_id)
        assert payment_view is not None, "the order of a debit disappeared"
        view = payment_view
    connector = context.connectors.get(one.subscription.connector)
    method, registered = CHANNELS[one.subscription.channel].debits, one.view.success
    assert method is not None, f"{one.subscription.channel} approves no mandates"
    assert registered is not None, "the order that approved a mandate is paid"
    attempt = new_attempt(view.payment, method.name, connector, DEBIT_LIFE, now)
    # A card's facts are those of the approval; the network's token stays with the acquirer.
    attempt = replace(
        attempt, payer_vpa=one.subscription.payer, card=replace(registered.card, token="")
    )
    started = replace(view.payment, state=PaymentState.IN_PROCESS, method=one.subscription.channel)
    step = Step(EventKind.ATTEMPT_STARTED, Actor.GATEWAY, started, attempt, new_attempt=True)
    view = await write_locked(conn, view, step, now)
    moved = debit_rules.debit_moved(debit, DebitState.SENT, now, now + LEASE)
    sent = replace(moved, payment_id=view.payment.payment_id, tries=debit.tries + 1)
    if not await store.update_debit(conn, debit, sent):
        message = f"debit {debit.debit_id} changed under its subscription's lock"
        raise AssertionError(message)
    return view, sent


async def _open_order(one: Locked, debit: Debit) -> Payment:
    """Write the order of a debit.

    If the merchant's own order has its id, the debit's number is added.
    """
    for order_id in (debit.order_id, f"{debit.order_id}-{debit.debit_id}"):
        payment = debit_rules.debit_payment(
            one.view.payment, debit, order_id, new_id(one.now), one.now
        )
        if await payments.insert_payment(one.conn, payment, None):
            return payment
    message = f"the order {debit.order_id} and its other name exist"
    raise AssertionError(message)


async def _ask(
    case: PaymentCase, subscription: Subscription, debit: Debit, attempt: Attempt
) -> bool:
    """Ask the bank for the money and settle its answer.

    Return False when the call could not be sent; it is then repeated.
    """
    context = case.context
    traces.note(debit.merchant_id, case.payment.payment_id, root=debit.tries == 1)
    request = MandateDebit(
        attempt.reference,
        subscription.mandate_reference,
        debit.period_no,
        debit.amount,
        notice=notice_reference(debit.merchant_id, debit.debit_id),
        notice_name=debit.notice_name,
        try_no=debit.tries,
        customer=attempts.customer_of(case),
    )
    answer = await bank_of(context, subscription).debit_mandate(request)
    if isinstance(answer, Unknown) and not answer.sent:
        return False
    await attempts.settle(case, attempt, answer)
    if isinstance(answer, Declined):
        await _stopped(context, debit, answer, case.now)
    return True


async def _follow(
    context: PaymentContext,
    merchant: Merchant,
    subscription: Subscription,
    debit: Debit,
    now: datetime,
) -> bool:
    """Read the outcome of a debit's order.

    A call that may have been lost is repeated under its reference.

    Not after the subscription was paused or cancelled: the attempt's inquiry finds what the bank
    received.
    """
    assert debit.payment_id is not None, "a debit that was sent has an order"
    view = await payments.select_view(context.db, debit.merchant_id, debit.payment_id)
    goes_on = subscription.state is S.ACTIVE
    lost = (
        next((each for each in view.live if each.state is AttemptState.SENT), None)
        if view and goes_on
        else None
    )
    if view and lost:
        case = PaymentCase(context, merchant, view, now)
        if not await _ask(case, subscription, debit, lost):
            return False
    await _conclude(context, debit, now)
    return True


async def _conclude(context: PaymentContext, claimed: Debit, now: datetime) -> None:
    """Write the outcome of a debit, as far as its order has one."""
    async with locked(context.db, claimed.merchant_id, claimed.subscription_id, now) as one:
        debit = await store.select_debit(one.conn, claimed.merchant_id, claimed.debit_id)
        if debit is None or debit.payment_id is None or debit.state not in _FOLLOWED:
            return
        view = await payments.select_view(one.conn, debit.merchant_id, debit.payment_id)
        after = (
            debit_rules.after_try(
                one.subscription, debit, view, terms_of(context, one.subscription), now
            )
            if view
            else None
        )
        if after is None:
            look_at = mandates.next_look(one.subscription.channel, now)
            await store.update_debit(one.conn, debit, replace(debit, due_at=look_at))
            return
        if after.state is debit.state:
            await store.update_debit(one.conn, debit, replace(debit, due_at=None))
            return
        if after.state in {DebitState.FAILED, DebitState.RETRYING}:
            # The mandate may be over: an inquiry does not say so.
            await one.write(replace(one.subscription, ask_at=now))
        if after.state is DebitState.FAILED:
            await one.fail(debit, Actor.BANK)
        elif after.state is DebitState.DONE:
            await one.done(debit)
        else:
            await store.update_debit(one.conn, debit, after)
        await one.end_if_over()


_FOLLOWED = frozenset({DebitState.SENT, DebitState.FAILED})
