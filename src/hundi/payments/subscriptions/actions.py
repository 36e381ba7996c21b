"""The actions of subscriptions that people ask for.

Register, charge, change, pause, resume, cancel.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.payments import OffersUpi
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.instruments import mandates, upi_uri
from hundi.instruments.upi_uri import MandateTerms
from hundi.kernel.clock import business_day
from hundi.kernel.events import Kind
from hundi.kernel.ids import new_id, parse_reference
from hundi.kernel.money import Money, rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import (
    Actor,
    DebitState,
    EventKind,
    PaymentKind,
    SubscriptionPeriod,
    SubscriptionState,
)
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.orders import actions as payments
from hundi.payments.orders import rules as order_rules
from hundi.payments.orders import store as payment_store
from hundi.payments.orders.actions import PaymentContext, write_locked
from hundi.payments.orders.channels import channel_cures, ways_of
from hundi.payments.orders.rules import Attempt, NewOrder, PaymentView
from hundi.payments.routing.needs import Needs
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.rules import ApprovalTerms, Debit, Subscription

DUE_CHANNEL = "subscriptions_due"
ID_MAX = 10**15
_RUNS = (SubscriptionState.ACTIVE, SubscriptionState.PAUSED)
SHOWN_MAX = 100
"""Debits that one status shows, and subscriptions that one list does."""
RECUR = {
    SubscriptionPeriod.DAY: "DAILY",
    SubscriptionPeriod.WEEK: "WEEKLY",
    SubscriptionPeriod.MONTH: "MONTHLY",
    SubscriptionPeriod.YEAR: "YEARLY",
    SubscriptionPeriod.AS_PRESENTED: "ASPRESENTED",
}
"""The network's words for periods; a period of several of these is as presented to the bank."""


@dataclass(frozen=True, slots=True)
class SubscriptionView:
    """A subscription with its latest debits, newest first."""

    subscription: Subscription
    debits: tuple[Debit, ...]


async def register(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    terms: ApprovalTerms,
    now: datetime,
) -> PaymentView:
    """Open the order whose payment approves a mandate, or reopen the same unpaid one.

    Raises Refused: FIELD_INVALID by the name of a term's field, CHANNEL_NOT_ENABLED, and as
    `payments.orders.actions.initiate`.
    """
    refusal = rules.terms_refusal(terms, now)
    if refusal is not None:
        raise Refused(refusal)
    carrying = _carrying(context, merchant, order, terms, now)
    view = await payments.initiate(context, merchant, replace(order, channels=carrying), now)
    # Nobody can approve before this is written: the page and the QR are handed out after it.
    await store.insert(context.db, rules.new_subscription(view, terms, now))
    return view


def _carrying(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    terms: ApprovalTerms,
    now: datetime,
) -> tuple[str, ...]:
    """Return the channels that can approve a mandate of these terms.

    Raises Refused (CHANNEL_NOT_ENABLED).
    """
    asked = Needs(PaymentKind.SUBSCRIPTION)
    own = [
        code
        for code in merchant.settings.channels
        if ways_of(context.connectors, merchant, code, asked)
    ]
    wanted = [code for code in own if not order.channels or code in order.channels]
    if not wanted:
        received, allowed = (
            "_".join(order.channels),
            "_".join(own) or "none: no acquirer takes mandates",
        )
        code, cures = (
            RefusalCode.CHANNEL_NOT_ENABLED,
            channel_cures(context.connectors, merchant, order, asked),
        )
        raise refuse(code, field="chmod", received=received, allowed=allowed, cures=cures)
    bounds = rules.bounds_of(terms, order.amount, wanted, merchant.settings.mcc, now)
    carrying = tuple(code for code, each in bounds.items() if terms.maximum.paise in each)
    if not carrying:
        higher = rules.bounds_of(
            terms, order.amount, wanted, min(mandates.HIGHER_CATEGORIES), now
        ).values()
        is_cured = not merchant.settings.mcc and any(terms.maximum.paise in each for each in higher)
        raise Refused(
            replace(rules.bounds_refusal(terms, bounds), cures=(Cure("mcc"),) if is_cured else ())
        )
    return carrying


async def find(db: Database, merchant_id: int, subscription_id: int) -> SubscriptionView | None:
    """Return a subscription with its latest debits."""
    found = await store.select(db, merchant_id, subscription_id)
    if found is None:
        return None
    return SubscriptionView(
        found, tuple(await store.debits(db, merchant_id, subscription_id, SHOWN_MAX))
    )


async def list_of(
    db: Database, merchant_id: int, state: SubscriptionState | None, before: int | None
) -> Sequence[Subscription]:
    """Return a merchant's subscriptions, newest first.

    before: the id after which the next page begins, None for the first page.
    """
    return await store.select_list(db, merchant_id, state, min(before or ID_MAX, ID_MAX), SHOWN_MAX)


def approval_link(
    context: PaymentContext, merchant: Merchant, subscription: Subscription, attempt: Attempt
) -> str | None:
    """Return the `upi://` link that approves the mandate, None when nobody offers UPI any more."""
    connector = context.connectors.get(attempt.connector)
    if not isinstance(connector, OffersUpi):
        return None
    return upi_uri.mandate_link(
        MandateTerms(
            subscription.max_paise,
            _recur(subscription),
            subscription.starts_on,
            subscription.valid_until,
        ),
        payee_vpa=connector.payee_address(attempt.merchant_id),
        payee_name=merchant.name,
        reference=attempt.reference,
        amount_paise=attempt.amount.paise,
        note=subscription.order_id,
        mcc=merchant.settings.mcc,
        expires_at=attempt.expires_at,
    )


def mandate_request(merchant: Merchant, subscription: Subscription) -> MandateRequest:
    """Return what a customer is asked to approve who does it by another way than a link."""
    return MandateRequest(
        merchant.name,
        subscription.maximum,
        _recur(subscription),
        subscription.starts_on,
        subscription.valid_until,
    )


def _recur(subscription: Subscription) -> str:
    return RECUR[
        subscription.period if subscription.frequency == 1 else SubscriptionPeriod.AS_PRESENTED
    ]


@dataclass(slots=True)
class Locked:
    """A subscription under the lock of its payment, in one transaction.

    announced, due: whether notifications are to be sent, and whether a worker has something to do
    now.
    """

    conn: Connection
    view: PaymentView
    subscription: Subscription
    now: datetime
    announced: bool = False
    due: bool = False

    async def tell(
        self,
        kind: EventKind,
        actor: Actor,
        announce: Kind | None = None,
        debit: Debit | None = None,
    ) -> None:
        """Write an event of the subscription as it is now."""
        step = rules.step(
            self.view.payment, kind, actor, rules.facts(self.subscription, debit), announce
        )
        self.view = await write_locked(self.conn, self.view, step, self.now)
        self.announced = self.announced or announce is not None

    async def write(self, after: Subscription) -> None:
        """Write a change of the subscription."""
        self.subscription = after
        self.due = self.due or (after.due_at is not None and after.due_at <= self.now)
        await store.update(self.conn, after)

    async def add(self, debit: Debit) -> None:
        """Write the debit of a period. Raises UniqueViolationError when the period has one."""
        self.due = self.due or debit.due_at is not None
        await store.insert_debit(self.conn, debit)

    async def drop_waiting(self, actor: Actor) -> None:
        """Stop the debits that are not at the bank.

        Announced ones are skipped, others have failed.
        """
        key = self.subscription.merchant_id, self.subscription.subscription_id
        for debit in await store.waiting_debits(self.conn, *key):
            if debit.state is DebitState.ANNOUNCED:
                skipped = rules.debit_moved(debit, DebitState.SKIPPED, self.now)
                await store.update_debit(self.conn, debit, skipped)
                await self.tell(EventKind.DEBIT_SKIPPED, actor, Kind.DEBIT_SKIPPED, skipped)
            elif debit.state is DebitState.RETRYING:
                await self.fail(debit, actor)

    async def done_if_paid(self, debit: Debit) -> bool:
        """Write a debit as done whose order is paid: a bank may say yes after its no.

        Return whether it was.
        """
        order = await self._order_of(debit)
        if order is None or order.success is None:
            return False
        await self.done(debit)
        return True

    async def fail(self, debit: Debit, actor: Actor) -> None:
        """Give up a debit that was tried, and end its order, unless that is paid."""
        order = await self._order_of(debit)
        if order is not None and order.success is not None:
            await self.done(debit)
            return
        # The bank may pay it late: it is looked at once more.
        failed = rules.debit_moved(debit, DebitState.FAILED, self.now, self.now + rules.LATE_LOOK)
        await store.update_debit(self.conn, debit, failed)
        await self.tell(EventKind.DEBIT_FAILED, actor, Kind.DEBIT_FAILED, failed)
        step = order and order_rules.give_up(order, EventKind.EXPIRED, Actor.GATEWAY, self.now)
        if order and step:
            await write_locked(self.conn, order, step, self.now)

    async def _order_of(self, debit: Debit) -> PaymentView | None:
        if debit.payment_id is None:
            return None
        return await payment_store.lock_view(self.conn, debit.merchant_id, debit.payment_id)

    async def done(self, debit: Debit) -> None:
        """Write a debit as done."""
        done = rules.debit_moved(debit, DebitState.DONE, self.now)
        await store.update_debit(self.conn, debit, done)
        await self.tell(EventKind.DEBIT_DONE, Actor.BANK, None, done)

    async def end_if_over(self) -> None:
        """Complete the subscription when nothing can come of it any more."""
        key = self.subscription.merchant_id, self.subscription.subscription_id
        waiting = len(await store.waiting_debits(self.conn, *key))
        if rules.ends_now(self.subscription, waiting, self.now):
            await self.write(rules.moved(self.subscription, SubscriptionState.COMPLETED, self.now))
            await self.tell(EventKind.MANDATE_COMPLETED, Actor.CLOCK, Kind.MANDATE_COMPLETED)


@asynccontextmanager
async def locked(
    db: Database,
    merchant_id: int,
    subscription_id: int,
    now: datetime,
    beside: Beside | None = None,
) -> AsyncIterator[Locked]:
    """Lock a subscription for one transaction; with a change `beside` writes.

    Raises Refused (NO_RECORDS).
    """
    async with db.transaction() as conn:
        view = await payment_store.lock_view(conn, merchant_id, subscription_id)
        found = await store.select(conn, merchant_id, subscription_id)
        if view is None or found is None:
            raise refuse(RefusalCode.NO_RECORDS)
        one = Locked(conn, view, found, now)
        yield one
        if beside is not None and one.subscription != found:
            await beside(conn, subscription_id)
    if one.announced:
        db.wake(DELIVERIES_DUE, str(merchant_id))
    if one.due:
        db.wake(DUE_CHANNEL)


def _demand(one: Locked, *states: SubscriptionState) -> None:
    if one.subscription.state not in states:
        raise Refused(wrong_state("subscription", one.subscription.state, *states))


async def pause(
    db: Database,
    merchant_id: int,
    subscription_id: int,
    actor: Actor,
    now: datetime,
    beside: Beside | None = None,
) -> Subscription:
    """Pause a subscription: what is announced is not made.

    Raises Refused: NO_RECORDS, STATE_FORBIDS.
    """
    async with locked(db, merchant_id, subscription_id, now, beside) as one:
        _demand(one, SubscriptionState.ACTIVE)
        await one.write(rules.moved(one.subscription, SubscriptionState.PAUSED, now))
        await one.tell(EventKind.MANDATE_PAUSED, actor, Kind.MANDATE_PAUSED)
        await one.drop_waiting(actor)
    return one.subscription


async def resume(
    db: Database,
    merchant_id: int,
    subscription_id: int,
    actor: Actor,
    now: datetime,
    beside: Beside | None = None,
) -> Subscription:
    """Resume a paused subscription; periods that passed meanwhile are left out.

    Raises Refused: NO_RECORDS, STATE_FORBIDS.
    """
    async with locked(db, merchant_id, subscription_id, now, beside) as one:
        _demand(one, SubscriptionState.PAUSED)
        again = replace(one.subscription, next_period=rules.first_to_resume(one.subscription, now))
        await one.write(rules.moved(again, SubscriptionState.ACTIVE, now))
        await one.tell(EventKind.MANDATE_RESUMED, actor, Kind.MANDATE_RESUMED)
        await one.end_if_over()
    return one.subscription


async def cancel(
    db: Database,
    merchant_id: int,
    subscription_id: int,
    actor: Actor,
    now: datetime,
    beside: Beside | None = None,
) -> Subscription:
    """Cancel a subscription, and then the mandate at the bank; asked again, it says the same.

    Raises Refused: NO_RECORDS, STATE_FORBIDS.
    """
    async with locked(db, merchant_id, subscription_id, now, beside) as one:
        if one.subscription.state is not SubscriptionState.CANCELLED:
            _demand(one, *_RUNS)
            await one.write(rules.moved(one.subscription, SubscriptionState.CANCELLED, now))
            await one.tell(EventKind.MANDATE_CANCELLED, actor, Kind.MANDATE_CANCELLED)
            await one.drop_waiting(actor)
    return one.subscription


async def ended_at_bank(db: Database, connector: str, mandate: str, now: datetime) -> bool:
    """Cancel the subscription whose mandate its customer ended at the bank.

    connector: whose word it is.

    Return False while its approval is not known here, so that the bank tells it again; other
    mandates are no business of ours.
    """
    named = parse_reference(mandate)
    order = await payment_store.select_by_attempt(db, *named) if named else None
    found = (
        await store.select(db, order.payment.merchant_id, order.payment.payment_id)
        if order
        else None
    )
    approved_by = order.attempt(named[1]) if order and named else None
    theirs = approved_by is not None and approved_by.connector == connector
    if found is None or not theirs or found.mandate_reference not in {"", mandate}:
        return True
    if found.state in _RUNS:
        await cancel(db, found.merchant_id, found.subscription_id, Actor.BANK, now)
    return found.state is not SubscriptionState.CREATED


@dataclass(frozen=True, slots=True)
class Change:
    """What a merchant changes of a subscription; None leaves it.

    debits_max: how many debits there are in all.
    """

    amount_paise: int | None = None
    debits_max: int | None = None
    retries_max: int | None = None


async def change(
    db: Database, merchant_id: int, subscription_id: int, asked: Change, now: datetime
) -> Subscription:
    """Change a subscription within what its customer approved; announced debits stay as they are.

    Raises Refused: NO_RECORDS, STATE_FORBIDS, FIELD_INVALID.
    """
    async with locked(db, merchant_id, subscription_id, now) as one:
        _demand(one, *_RUNS)
        before = one.subscription
        amount = _amount_of(before, asked.amount_paise)
        if asked.debits_max is not None and asked.debits_max < max(1, before.next_period - 1):
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="sb_recurringcount",
                received=str(asked.debits_max),
                allowed=f"{max(1, before.next_period - 1)} or more: so many are announced already",
            )
        changed = replace(
            before,
            amount=amount,
            debits_max=before.debits_max if asked.debits_max is None else asked.debits_max,
            retries_max=before.retries_max if asked.retries_max is None else asked.retries_max,
        )
        await one.write(replace(changed, due_at=rules.plans_at(changed)))
        await one.tell(EventKind.MANDATE_CHANGED, Actor.MERCHANT, Kind.MANDATE_CHANGED)
        await one.end_if_over()
    return one.subscription


async def charge(
    db: Database, merchant_id: int, subscription_id: int, paise: int | None, now: datetime
) -> Debit:
    """Announce the next period's debit now: it is made once the rules allow it after its notice.

    Raises Refused: NO_RECORDS, STATE_FORBIDS (also while another debit is under way),
    FIELD_INVALID.
    """
    async with locked(db, merchant_id, subscription_id, now) as one:
        _demand(one, SubscriptionState.ACTIVE)
        subscription = one.subscription
        if await store.waiting_debits(one.conn, merchant_id, subscription_id):
            raise Refused(wrong_state("debit", "under way", "one at a time"))
        scheduled = subscription.period is not SubscriptionPeriod.AS_PRESENTED
        if scheduled and rules.notice_due(subscription, subscription.next_period) is None:
            raise Refused(
                wrong_state("subscription", "without a further period", "one that goes on")
            )
        asked = replace(subscription, amount=_amount_of(subscription, paise))
        debit = rules.new_debit(asked, new_id(now), _day_on_request(subscription, now), now)
        await one.add(debit)
        after = replace(subscription, next_period=subscription.next_period + 1)
        await one.write(replace(after, due_at=rules.plans_at(after)))
    return debit


def _day_on_request(subscription: Subscription, now: datetime) -> datetime:
    """Return when a debit on request is made.

    Raises Refused (STATE_FORBIDS) before a day that the customer approved.

    That is the first debit's, and then the last one's own day: one debit is brought forward, not
    several.
    """
    debit_at = rules.debit_time(subscription.channel, now, now)
    scheduled = subscription.period is not SubscriptionPeriod.AS_PRESENTED
    last = max(1, subscription.next_period - 1)
    from_day = rules.day_of(subscription, last) if scheduled else subscription.starts_on
    if business_day(debit_at) < from_day:
        raise Refused(
            wrong_state("debit", f"on {business_day(debit_at)}", f"on {from_day} or later")
        )
    return debit_at


def _amount_of(subscription: Subscription, paise: int | None) -> Money:
    """Return the amount of a debit.

    Raises Refused (FIELD_INVALID) above what the customer approved.
    """
    if paise is None:
        return subscription.amount
    if paise > subscription.max_paise:
        allowed = f"at most {rupees(subscription.max_paise)}, which the customer approved"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="sb_amount", received=rupees(paise), allowed=allowed
        )
    return Money(paise, subscription.amount.currency)
