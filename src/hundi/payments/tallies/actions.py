"""Keep the tallies, apart from the writing of payments, and read them as they are now."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.payments.orders.changes import actions as following
from hundi.payments.orders.changes import store as changes
from hundi.payments.orders.changes.rules import ChangeFollower
from hundi.payments.tallies import rules, store
from hundi.payments.tallies.rules import HourTally, TallyQuery

DAYS = 10
"""Days that one transaction sums."""
UNCOUNTED_MAX = 20_000
"""Events that a look reads beyond those that are counted; beyond it the look is incomplete."""

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TallyPage:
    """The tallies of a span. is_complete: nothing of the span is left out."""

    tallies: Sequence[HourTally]
    is_complete: bool


async def follow(db: Database, now: datetime) -> int:
    """Count what changed for every merchant, and return how many payments were read.

    It may run anywhere, several times at once, and may be killed.
    """
    read = 0
    for merchant_id in await store.behind(db):
        read += await follow_one(db, merchant_id, now)
    return read


async def follow_one(db: Database, merchant_id: int, now: datetime) -> int:
    """Count what changed for one merchant, a chunk a transaction.

    Return how many payments were read.
    """

    async def count(conn: Connection, payment_ids: list[int]) -> None:
        if hours := await _hours_of(conn, merchant_id, payment_ids, now):
            await store.count_anew(conn, merchant_id, hours)
            await store.sum_days(conn, merchant_id, {rules.day_of(hour) for hour in hours})

    async def forget(conn: Connection) -> None:
        await store.delete_old(conn, merchant_id, now - rules.KEPT)

    return await following.follow(db, ChangeFollower.TALLIES, merchant_id, count, forget)


async def sum_days(db: Database, _: datetime) -> None:
    """Sum the days whose hours a worker of the version before counted: it knows no days.

    Charts read these merchants' hours until then.
    """
    for merchant_id in await store.unsummed(db):
        try:
            await sum_days_of(db, merchant_id)
        except Exception:  # noqa: BLE001 (one merchant must not be why others are left out)
            _log.exception("days_not_summed", merchant_id=merchant_id)


async def sum_days_of(db: Database, merchant_id: int) -> None:
    """Sum the days of a merchant that differ from their hours, some in each transaction."""
    is_all = False
    while not is_all:
        async with db.transaction_of(merchant_id) as conn:
            await changes.lock_mark(conn, ChangeFollower.TALLIES, merchant_id)
            days = await store.differing(conn, merchant_id, DAYS)
            await store.sum_days(conn, merchant_id, days)
            is_all = len(days) < DAYS
            if is_all:
                await store.mark_summed(conn, merchant_id)


async def _hours_of(
    source: Queries, merchant_id: int, payment_ids: Collection[int], now: datetime
) -> list[datetime]:
    """Return the hours to count anew, because of changed payments."""
    if not payment_ids:
        return []
    hours = rules.hours_of(await store.numbers_of(source, merchant_id, payment_ids))
    return rules.to_count(hours, await store.present(source, merchant_id, hours), now)


async def read(
    source: Queries, merchants: Collection[int], wanted: TallyQuery, now: datetime
) -> TallyPage:
    """Return the tallies of merchants together, as they are now.

    Hours with a change that no worker has counted yet are counted here.
    """
    events = await store.changed(source, merchants, UNCOUNTED_MAX)
    payments_of = defaultdict[int, set[int]](set)
    for merchant_id, payment_id in events:
        payments_of[merchant_id].add(payment_id)
    anew: list[tuple[int, datetime]] = []
    tallies: list[HourTally] = []
    for merchant_id, payment_ids in sorted(payments_of.items()):
        changed = await _hours_of(source, merchant_id, payment_ids, now)
        hours = [hour for hour in changed if wanted.since <= hour < wanted.until]
        counted = await store.count(source, merchant_id, hours)
        tallies += [each for each in counted if each.what in wanted.what]
        anew += [(merchant_id, hour) for hour in hours]
    tallies += await store.tallies(source, merchants, wanted, anew)
    return TallyPage(tallies, is_complete=len(events) < UNCOUNTED_MAX)
