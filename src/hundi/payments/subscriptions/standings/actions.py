"""What customers do to their mandates at the bank: end, pause, resume."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.kernel.ids import parse_reference
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind, SubscriptionState
from hundi.payments.orders import store as payment_store
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.approvals.actions import RUNS
from hundi.payments.subscriptions.locking.actions import DUE_CHANNEL, Locked, locked
from hundi.payments.subscriptions.standings.rules import PAUSED_GAP, StandingStep


async def ask_soon(db: Database, connector: str, mandate: str, now: datetime) -> bool:
    """Let the worker ask how a mandate stands: its acquirer says that it has news.

    connector: the sender. mandate: our reference, or the acquirer's own name of it.

    Return False while its approval is not known here, so that the acquirer repeats the message;
    mandates that are not ours are ignored.
    """
    key = parse_reference(mandate)
    found = await (_approved_by(db, connector, key) if key else store.named(db, connector, mandate))
    subscription = await store.select(db, *found) if found else None
    if subscription is None:
        return True
    if subscription.state in RUNS and mandate in {
        subscription.mandate_reference,
        subscription.mandate_name,
    }:
        key = subscription.merchant_id, subscription.subscription_id
        async with locked(db, *key, now) as one:
            await one.write(replace(one.subscription, ask_at=now))
        db.wake(DUE_CHANNEL)
    return subscription.state is not SubscriptionState.CREATED


async def _approved_by(
    db: Database, connector: str, key: tuple[int, int]
) -> tuple[int, int] | None:
    """Return merchant and subscription of an attempt at an acquirer."""
    order = await payment_store.select_by_attempt(db, *key)
    attempt = order.attempt(key[1]) if order else None
    if order is None or attempt is None or attempt.connector != connector:
        return None
    return order.payment.merchant_id, order.payment.payment_id


async def follow(one: Locked, step: StandingStep) -> None:
    """Do to a subscription what its customer did to the mandate at the bank."""
    now = one.now
    match step:
        case StandingStep.CANCEL:
            await one.write(rules.moved(one.subscription, SubscriptionState.CANCELLED, now))
            await one.tell(EventKind.MANDATE_CANCELLED, Actor.BANK, Kind.MANDATE_CANCELLED)
            await one.drop_waiting(Actor.BANK)
        case StandingStep.PAUSE:
            paused = rules.moved(one.subscription, SubscriptionState.PAUSED, now)
            await one.write(replace(paused, paused_at_bank=True, ask_at=now + PAUSED_GAP))
            await one.tell(EventKind.MANDATE_PAUSED, Actor.BANK, Kind.MANDATE_PAUSED)
            await one.drop_waiting(Actor.BANK)
        case StandingStep.RESUME:
            again = rules.first_to_resume(one.subscription, now)
            # Asked once more, which also finds when to ask about other mandates of the order.
            resumed = replace(one.subscription, next_period=again, ask_at=now)
            await one.write(rules.moved(resumed, SubscriptionState.ACTIVE, now))
            await one.tell(EventKind.MANDATE_RESUMED, Actor.BANK, Kind.MANDATE_RESUMED)
            await one.end_if_over()
        case StandingStep.NONE:
            return


async def pause_at_bank(
    db: Database, merchant_id: int, subscription_id: int, now: datetime
) -> None:
    """Pause a subscription whose acquirer says, in place of a debit, that its customer did so."""
    async with locked(db, merchant_id, subscription_id, now) as one:
        if one.subscription.state is SubscriptionState.ACTIVE:
            await follow(one, StandingStep.PAUSE)
