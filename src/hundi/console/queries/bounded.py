"""How long a screen may look, and which ids a span of days has."""

from datetime import date, datetime, time, timedelta

from asyncpg import QueryCanceledError, Record

from hundi.infra.database import Database
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

ID_MAX = 10**15
STATEMENT_S_MAX = 2
"""How long a look may hold a connection that payments wait for too."""
ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'"


async def look(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return what a statement finds, None where that takes too long."""
    try:
        async with db.transaction() as conn:
            await conn.execute(ROOM)
            return await conn.fetch(statement, *values)
    except QueryCanceledError:
        return None


def midnight(day: date) -> datetime:
    """Return when an Indian day begins."""
    return datetime.combine(day, time(), INDIA)


def ids_of(since: date | None, until: date | None) -> tuple[int, int]:
    """Return the lowest id of a span of Indian days, and the lowest after it; ids begin with the time."""
    low = first_id(midnight(since)) if since else 0
    return low, first_id(midnight(until) + timedelta(days=1)) if until else ID_MAX
