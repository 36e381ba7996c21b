"""How long a screen may look, what every list is narrowed to, and a page of one."""

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
"""How long a look may hold a connection that payments wait for too."""
ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'"


async def look(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return what a statement about given merchants finds, None where that takes too long."""
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
    """Return when an Indian day begins."""
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
    """What every list is narrowed to; None for anything.

    Amounts in paise, Indian days, the last included.

    What a list can be narrowed to besides are the fields of a subclass.
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

    statement: its parameters are merchant, lowest id, id that a page ends before, lowest and
    highest amount, what the list has of its own, and how many rows. before: only those with a
    smaller id.
    """
    low, high = ids_of(filters.since, filters.until)
    span = (merchant_id, low, min(high, before or ID_MAX))
    return await look(
        db, statement, *span, filters.paise_from, filters.paise_upto, *filters.own, limit
    )
