"""The data of the charts: payments, tries and refunds, counted by day and cached."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from time import monotonic

from asyncpg import QueryCanceledError, Record
from cachetools import TTLCache

from hundi.infra import demo_past
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

COUNT_DAY = """
SELECT 'payment' AS what, extract(hour FROM created_at AT TIME ZONE 'Asia/Kolkata')::int AS hour,
    '' AS method, '' AS bank, state::text AS state, '' AS code, '' AS words, count(*) AS number,
    sum(captured_paise)::bigint AS paise
FROM payments
WHERE merchant_id = ANY($1::bigint[]) AND payment_id >= $2 AND payment_id < $3 AND currency = 'INR'
    GROUP BY hour, state
UNION ALL
SELECT 'try', 0, method::text, max(bank_name), state::text, bank_code, max(bank_message), count(*),
    0
FROM attempts WHERE merchant_id = ANY($1::bigint[]) AND attempt_id >= $2 AND attempt_id < $3
GROUP BY method, bank, state, bank_code
UNION ALL
SELECT 'refund', 0, '', '', state::text, '', '', count(*), sum(amount_paise)::bigint
FROM refunds WHERE merchant_id = ANY($1::bigint[]) AND refund_id >= $2 AND refund_id < $3
    AND currency = 'INR'
GROUP BY state
"""
"""Ids begin with the time, so a day is a range of each key: no row of another day is read."""
SELECT_SETTLED = """
SELECT day, sum(net_paise)::bigint AS paise, count(*) AS number FROM settlements
WHERE merchant_id = $1 AND settlement_id >= $2 AND day >= $3 GROUP BY day ORDER BY day
"""
MERCHANTS_MAX = 2_000
"""The most merchants in a count across all of them; a process with more says so."""
LOOK_S_MAX = 2.0
"""Seconds that one page counts days before it shows the result so far."""
_ROOM = "SET LOCAL statement_timeout = '2s'"
_DAYS_KEPT, _KEPT_S = 4_000, 600.0
_SETTLED_AFTER = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Counted:
    """Rows by day. missing: days not counted in time; the next page counts them."""

    days: dict[date, Sequence[Record]]
    missing: int


class DayCounts:
    """One process's cache of counts: past days for ten minutes, the present day never.

    While a demo's history is made, no day is over.
    """

    def __init__(self) -> None:
        """Start without counts."""
        self._kept: TTLCache[tuple[int, int, int, date], Sequence[Record], float] = TTLCache(
            _DAYS_KEPT, _KEPT_S
        )

    async def read(
        self,
        db: Database,
        place: int,
        merchants: Collection[int],
        days: Sequence[date],
        today: date,
    ) -> Counted:
        """Return the counts of days, the newest first, within a limited time.

        place: 0 for many merchants.
        """
        # Read before the count: a count made while the history ends may lack its last payments.
        keeps = demo_past.present_since() is None
        ends_at, counts = monotonic() + LOOK_S_MAX, dict[date, Sequence[Record]]()
        for day in sorted(days, reverse=True):
            # The number of merchants keeps out counts made while some could not be reached.
            key = (id(db), place, len(merchants), day)
            rows = self._kept.get(key) if day != today else None
            if rows is None:
                if monotonic() > ends_at:
                    break
                try:
                    rows = await _count(db, merchants, day)
                except QueryCanceledError:
                    break
                if keeps:
                    self._kept[key] = rows
            counts[day] = rows
        return Counted(counts, len(days) - len(counts))


async def _count(db: Database, merchants: Collection[int], day: date) -> Sequence[Record]:
    begins = datetime.combine(day, time(), INDIA)
    span = first_id(begins), first_id(begins + timedelta(days=1))
    async with db.transaction() as conn:
        await conn.execute(_ROOM)
        return await conn.fetch(COUNT_DAY, list(merchants), *span)


async def settled_by_day(
    db: Database, merchant_id: int, since: date
) -> dict[date, tuple[int, int]]:
    """Return a merchant's settlements of each day, in paise, and their number."""
    oldest = first_id(datetime.combine(since, time(), INDIA) - _SETTLED_AFTER)
    rows = await db.fetch(SELECT_SETTLED, merchant_id, oldest, since)
    return {row["day"]: (row["paise"], row["number"]) for row in rows}


COUNTS = DayCounts()
"""The cache of this process; each of its databases has its own entries."""
