"""The settled amounts of a merchant's days, for the calendar of its home page."""

from datetime import date, datetime, time, timedelta

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

SELECT_SETTLED = """
SELECT day, sum(net_paise)::bigint AS paise, count(*) AS number FROM settlements
WHERE merchant_id = $1 AND settlement_id >= $2 AND day >= $3 GROUP BY day ORDER BY day
"""
_SETTLED_AFTER = timedelta(days=60)


async def settled_by_day(
    db: Database, merchant_id: int, since: date
) -> dict[date, tuple[int, int]]:
    """Return a merchant's settlements of each day, in paise, and their number."""
    oldest = first_id(datetime.combine(since, time(), INDIA) - _SETTLED_AFTER)
    rows = await db.fetch(SELECT_SETTLED, merchant_id, oldest, since)
    return {row["day"]: (row["paise"], row["number"]) for row in rows}
