"""Rows for a home page."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Queries, Rows
from hundi.infra.postgres.looks import look
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

SELECT_LIVE = "SELECT merchant_id FROM merchants WHERE mode = 'live' ORDER BY merchant_id"
"""Across merchants: the live ones."""
SELECT_DAY = """
SELECT state, count(*) AS number, coalesce(sum(amount_paise), 0)::bigint AS paise
FROM payments WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3 AND currency = 'INR'
GROUP BY state ORDER BY count(*) DESC
"""
"""Ids begin with their second, so a day is a range of the key."""


@dataclass(frozen=True, slots=True)
class Day:
    """A merchant's business day so far. rows: state, number, paise."""

    day: date
    rows: list[Record]


async def select_live(source: Rows) -> list[Record]:
    """Return the reachable live merchants, oldest first."""
    return await look(source, SELECT_LIVE)


async def select_day(source: Queries, merchant_id: int, day: date) -> Day:
    """Return the number and amount of a business day's payments by state."""
    begins = datetime.combine(day, time(), INDIA)
    ends = begins + timedelta(days=1)
    return Day(day, await source.fetch(SELECT_DAY, merchant_id, first_id(begins), first_id(ends)))
