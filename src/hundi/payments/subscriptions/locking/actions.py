"""A subscription and its debits, changed together under a lock."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.events import Kind
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, DebitState, EventKind, SubscriptionState
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.orders import store as payment_store
from hundi.payments.orders.actions import write_locked
from hundi.payments.orders.endings import rules as endings
from hundi.payments.orders.rules import PaymentView
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.debits import rules as debit_rules
from hundi.payments.subscriptions.rules import Debit, Subscription

DUE_CHANNEL = "subscriptions_due"


@dataclass(slots=True)
class Locked:
    """A subscription under the lock of its payment, in one transaction.

    announced: notifications are to be sent. due: a worker has something to do now.
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
        """Write an event of the current subscription."""
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
                skipped = debit_rules.debit_moved(debit, DebitState.SKIPPED, self.now)
                await store.update_debit(self.conn, debit, skipped)
                await self.tell(EventKind.DEBIT_SKIPPED, actor, Kind.DEBIT_SKIPPED, skipped)
            elif debit.state is DebitState.RETRYING:
                await self.fail(debit, actor)

    async def done_if_paid(self, debit: Debit) -> bool:
        """Write a debit as done if its order is paid: a bank may approve after a decline.

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
        failed = debit_rules.debit_moved(
            debit, DebitState.FAILED, self.now, self.now + debit_rules.LATE_LOOK
        )
        await store.update_debit(self.conn, debit, failed)
        await self.tell(EventKind.DEBIT_FAILED, actor, Kind.DEBIT_FAILED, failed)
        step = order and endings.give_up(order, EventKind.EXPIRED, Actor.GATEWAY, self.now)
        if order and step:
            await write_locked(self.conn, order, step, self.now)

    async def _order_of(self, debit: Debit) -> PaymentView | None:
        if debit.payment_id is None:
            return None
        return await payment_store.lock_view(self.conn, debit.merchant_id, debit.payment_id)

    async def done(self, debit: Debit) -> None:
        """Write a debit as done."""
        done = debit_rules.debit_moved(debit, DebitState.DONE, self.now)
        await store.update_debit(self.conn, debit, done)
        await self.tell(EventKind.DEBIT_DONE, Actor.BANK, None, done)

    async def end_if_over(self) -> None:
        """Complete the subscription when no debit can follow any more."""
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
    """Lock a subscription for one transaction. beside: writes more with a change.

    Raises Refused (NO_RECORDS).
    """
    async with db.transaction() as conn:
        view = await payment_store.lock_view(conn, merchant_id, subscription_id)
        subscription = await store.select(conn, merchant_id, subscription_id)
        if view is None or subscription is None:
            raise refuse(RefusalCode.NO_RECORDS)
        one = Locked(conn, view, subscription, now)
        yield one
        if beside is not None and one.subscription != subscription:
            await beside(conn, subscription_id)
    if one.announced:
        db.wake(DELIVERIES_DUE, str(merchant_id))
    if one.due:
        db.wake(DUE_CHANNEL)
