"""Time limits, common filters and pages of the console's lists."""

from dataclasses import astuple, dataclass, fields
from datetime import date, datetime, time, timedelta
from functools import partial

from asyncpg import QueryCanceledError, Record

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import look_by
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

ID_MAX = 10**15
STATEMENT_S_MAX = 2
"""Seconds that a statement may hold a connection that payments need too."""
ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'"


async def look(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return the rows of a statement with given merchants, None where that takes too long."""
    try:
        return await _in_time(db, statement, *values)
    except QueryCanceledError:
        return None


async def look_across(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return the rows of a SELECT across all reachable merchants, None if it takes too long."""
    try:
        return await look_by(db, partial(_in_time, db), statement, *values)
    except QueryCanceledError:
        return None


async def _in_time(db: Database, statement: str, *values: object) -> list[Record]:
    async with db.transaction() as conn:
        await conn.execute(ROOM)
        return await conn.fetch(statement, *values)


def midnight(day: date) -> datetime:
    """Return the beginning of an Indian day."""
    return datetime.combine(day, time(), INDIA)


def ids_of(since: date, until: date | None) -> tuple[int, int]:
    """Return the lowest id of a span of Indian days, and the lowest after it.

    Ids begin with the time.
    """
    return first_id(midnight(since)), first_id(
        midnight(until) + timedelta(days=1)
    ) if until else ID_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBounds:
    """Common filters of every list; None for any value.

    Amounts in paise, Indian days, the last included.

    A subclass has the list's further filters as fields.
    """

    paise_from: int | None
    paise_upto: int | None
    since: date
    until: date | None

    @property
    def own(self) -> tuple[object, ...]:
        """Return the values of a subclass's fields, in their order."""
        return astuple(self)[len(fields(ListBounds)) :]


async def newest_first(
    db: Database,
    statement: str,
    merchant_id: int,
    filters: ListBounds,
    before: int | None,
    limit: int,
) -> list[Record] | None:
    """Return a page of a merchant's list, newest first; None where that takes too long.

    statement: its parameters are merchant, lowest id, id where the page ends, lowest and highest
    amount, the list's own filters, and the number of rows. before: only smaller ids.
    """
    low, high = ids_of(filters.since, filters.until)
    span = (merchant_id, low, min(high, before or ID_MAX))
    return await look(
        db, statement, *span, filters.paise_from, filters.paise_upto, *filters.own, limit
    )
