"""The actions of notifications: announce an event, list deliveries, and replay them."""

from datetime import datetime
from enum import StrEnum

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.notifications import store
from hundi.notifications.rules import DeliveryKey, DeliveryState
from hundi.notifications.status import store as status_store
from hundi.notifications.store import GIVEN_UP, DeliverySpan

CHANNEL = "hundi_deliveries"
"""NOTIFY channel (`db.wake`) that wakes the deliveries once an announcement is committed.

The payload is the merchant id, so that a worker looks only at that merchant; without one it looks
at all.
"""


REPLAYED_MAX = 10_000
"""Deliveries that one call sends again; more need several spans."""
__all__ = [
    "CHANNEL",
    "GIVEN_UP",
    "REPLAYED_MAX",
    "DeliverySpan",
    "announce",
    "count_given_up",
    "replay",
    "replay_all",
    "replay_given_up",
]


async def announce(
    conn: Connection, key: DeliveryKey, kind: StrEnum, facts: object, now: datetime
) -> None:
    """Queue the notification of one event in the transaction of its cause.

    After the commit the caller wakes `CHANNEL`. key: the recipient, and the revision of the payment
    (or lead) that the event made. facts: what is true now, anything msgspec turns into a JSON
    object.
    """
    await store.insert(conn, key, kind, facts, now)


async def replay(
    db: Database, key: DeliveryKey, now: datetime, beside: Beside | None = None
) -> None:
    """Replay one delivery in any state, with the same webhook id and a new round of retries.

    An older event may then arrive after a newer one of its payment. beside: also written in the
    transaction. Raises Refused: NO_RECORDS for a missing delivery, STATE_FORBIDS while it is being
    sent or if later news made it untrue.
    """
    async with db.transaction() as conn:
        if not await store.replay(conn, key, now):
            status = await status_store.status_of(conn, key)
            code = RefusalCode.NO_RECORDS if status is None else RefusalCode.STATE_FORBIDS
            raise refuse(code, field="webhook_id", received=key.webhook_id)
        await store.probe_now(conn, key.merchant_id, now)
        if beside is not None:
            await beside(conn, key.event_no)
    db.wake(CHANNEL, str(key.merchant_id))


async def replay_all(
    db: Database,
    merchant_id: int,
    state: DeliveryState,
    now: datetime,
    beside: Beside | None = None,
) -> int:
    """Replay a merchant's deliveries in a state (exhausted, no_endpoint); return their number.

    beside: also written in the transaction, if there are deliveries.
    """
    async with db.transaction() as conn:
        count = await store.replay_state(conn, merchant_id, state, now)
        await store.probe_now(conn, merchant_id, now)
        if count and beside is not None:
            await beside(conn, count)
    db.wake(CHANNEL, str(merchant_id))
    return count


async def count_given_up(db: Database, merchant_id: int, span: DeliverySpan) -> int:
    """Return how many of a merchant's deliveries in a span were given up."""
    return await store.count_given_up(db, merchant_id, span)


async def replay_given_up(
    db: Database,
    merchant_id: int,
    span: DeliverySpan,
    number: int,
    now: datetime,
    beside: Beside,
) -> None:
    """Replay the deliveries of a span that were given up, if their number is the one shown.

    beside: also written in the transaction. Raises Refused (STATE_FORBIDS) for another number, or a
    too large one; then nothing is replayed.
    """
    async with db.transaction() as conn:
        count = await store.replay_given_up(conn, merchant_id, span, now)
        if count != number or count > REPLAYED_MAX:
            allowed = str(min(count, REPLAYED_MAX))
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="number", received=str(number), allowed=allowed
            )
        await beside(conn, count)
        await store.probe_now(conn, merchant_id, now)
    db.wake(CHANNEL, str(merchant_id))
