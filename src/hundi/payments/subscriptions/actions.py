"""The actions of subscriptions that people request.

Register, charge, change, pause, resume, cancel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.clock import business_day
from hundi.kernel.events import Kind
from hundi.kernel.ids import new_id
from hundi.kernel.money import Money, rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import Actor, EventKind, SubscriptionPeriod, SubscriptionState
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.approvals.actions import ID_MAX, RUNS
from hundi.payments.subscriptions.debits import rules as debit_rules
from hundi.payments.subscriptions.locking.actions import Locked, locked
from hundi.payments.subscriptions.rules import Debit, Subscription

SHOWN_MAX = 100
"""Debits in one status, and subscriptions in one list."""


@dataclass(frozen=True, slots=True)
class SubscriptionView:
    """A subscription with its latest debits, newest first."""

    subscription: Subscription
    debits: tuple[Debit, ...]


async def find(db: Database, merchant_id: int, subscription_id: int) -> SubscriptionView | None:
    """Return a subscription with its latest debits."""
    subscription = await store.select(db, merchant_id, subscription_id)
    if subscription is None:
        return None
    return SubscriptionView(
        subscription, tuple(await store.debits(db, merchant_id, subscription_id, SHOWN_MAX))
    )


async def list_of(
    db: Database, merchant_id: int, state: SubscriptionState | None, before: int | None
) -> Sequence[Subscription]:
    """Return a merchant's subscriptions, newest first.

    before: the id after which the next page begins, None for the first page.
    """
    return await store.select_list(db, merchant_id, state, min(before or ID_MAX, ID_MAX), SHOWN_MAX)


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
    """Pause a subscription: announced debits are not made.

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

    Raises Refused: NO_RECORDS, STATE_FORBIDS (also if its customer paused it at the bank).
    """
    async with locked(db, merchant_id, subscription_id, now, beside) as one:
        _demand(one, SubscriptionState.PAUSED)
        if one.subscription.paused_at_bank:
            raise Refused(wrong_state("mandate", "paused at the bank", "resumed there"))
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
    """Cancel a subscription, and then the mandate at the bank; a repeat gets the same answer.

    Raises Refused: NO_RECORDS, STATE_FORBIDS.
    """
    async with locked(db, merchant_id, subscription_id, now, beside) as one:
        if one.subscription.state is not SubscriptionState.CANCELLED:
            _demand(one, *RUNS)
            await one.write(rules.moved(one.subscription, SubscriptionState.CANCELLED, now))
            await one.tell(EventKind.MANDATE_CANCELLED, actor, Kind.MANDATE_CANCELLED)
            await one.drop_waiting(actor)
    return one.subscription


@dataclass(frozen=True, slots=True)
class Change:
    """A merchant's change of a subscription; None leaves a field.

    debits_max: the number of debits in all.
    """

    amount_paise: int | None = None
    debits_max: int | None = None
    retries_max: int | None = None


async def change(
    db: Database, merchant_id: int, subscription_id: int, changes: Change, now: datetime
) -> Subscription:
    """Change a subscription within what its customer approved; announced debits stay as they are.

    Raises Refused: NO_RECORDS, STATE_FORBIDS, FIELD_INVALID.
    """
    async with locked(db, merchant_id, subscription_id, now) as one:
        _demand(one, *RUNS)
        before = one.subscription
        amount = _amount_of(before, changes.amount_paise)
        if changes.debits_max is not None and changes.debits_max < max(1, before.next_period - 1):
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="sb_recurringcount",
                received=str(changes.debits_max),
                allowed=f"{max(1, before.next_period - 1)} or more: so many are announced already",
            )
        changed = replace(
            before,
            amount=amount,
            debits_max=before.debits_max if changes.debits_max is None else changes.debits_max,
            retries_max=before.retries_max if changes.retries_max is None else changes.retries_max,
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
        changed = replace(subscription, amount=_amount_of(subscription, paise))
        debit = debit_rules.new_debit(changed, new_id(now), _day_on_request(subscription, now), now)
        await one.add(debit)
        after = replace(subscription, next_period=subscription.next_period + 1)
        await one.write(replace(after, due_at=rules.plans_at(after)))
    return debit


def _day_on_request(subscription: Subscription, now: datetime) -> datetime:
    """Return when a debit on request is made.

    Raises Refused (STATE_FORBIDS) before the day that the customer approved: the first debit's,
    later the last debit's own day. One debit may be brought forward, not several.
    """
    debit_at = debit_rules.debit_time(subscription, now, now)
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
