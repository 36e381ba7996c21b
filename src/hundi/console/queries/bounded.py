"""Time limits, common filters and pages of the console's lists."""

from collections.abc import Awaitable, Callable
from dataclasses import astuple, dataclass, fields
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import TypeVar

from asyncpg import QueryCanceledError, Record

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.looks import look_by
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id

T = TypeVar("T")
ID_MAX = 10**15
_LEAST, _MOST = (-1, 0), (2**63 - 1, ID_MAX)
"""Places below and above every amount and id."""
STATEMENT_S_MAX = 2
"""Seconds that a statement may hold a connection that payments need too."""
ROOM = f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'"
SUMS_MS_MAX = 400
"""Milliseconds that the sums of a list may take: without them the list is shown all the same."""
ROOM_FOR_SUMS = f"SET LOCAL statement_timeout = '{SUMS_MS_MAX}ms'"


async def look(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return the rows of a statement with given merchants, None where that takes too long."""
    try:
        return await _in_time(db, statement, *values)
    except QueryCanceledError:
        return None


async def read_in_time(db: Database, read: Callable[[Connection], Awaitable[T]]) -> T | None:
    """Return what a reader of several statements returns, None where one takes too long."""
    try:
        async with db.transaction() as conn:
            await conn.execute(ROOM)
            return await read(conn)
    except QueryCanceledError:
        return None


async def look_at_sums(db: Database, statement: str, *values: object) -> list[Record] | None:
    """Return the sums of a list, None where that takes longer than a page should wait."""
    try:
        async with db.transaction() as conn:
            await conn.execute(ROOM_FOR_SUMS)
            return await conn.fetch(statement, *values)
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


@dataclass(frozen=True, slots=True)
class ListCursor:
    """The place where a page of a list begins, by the key of one of its rows.

    before: only smaller keys. after: only greater keys. Both empty: the beginning of the list.
    is_rising: whether the list shows the smallest key first. by_amount: whether the amount stands
    before the list's own key.
    """

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    is_rising: bool = False
    by_amount: bool = False

    @property
    def reads_rising(self) -> bool:
        """Return whether the rows are read in the order of their keys: nearest to the place."""
        return bool(self.after) or (self.is_rising and not self.before)

    @property
    def goes_back(self) -> bool:
        """Return whether the page stands before another one in the list's order."""
        return bool(self.before or self.after) and self.reads_rising != self.is_rising

    @property
    def is_first(self) -> bool:
        """Return whether the page is the list's first."""
        return not self.before and not self.after


@dataclass(frozen=True, slots=True)
class ListStatements:
    """The SQL of a list: its page by falling and by rising keys, and its sums by currency.

    Parameters: merchant, lowest id, id where the page ends, lowest and highest amount, the list's
    own filters, and for a page the number of rows. Pages by amount have amount and id of the place
    before that number.
    """

    falling: str
    rising: str
    sums: str
    by_amount: str = ""
    by_amount_rising: str = ""


def span_of_ids(since: date, until: date | None, cursor: ListCursor) -> tuple[int, int]:
    """Return the lowest id of a page of a span of Indian days, and the lowest after it."""
    low, high = ids_of(since, until)
    after, before = next(iter(cursor.after), 0), next(iter(cursor.before), ID_MAX)
    return max(low, after + 1), min(high, before)


async def page_by_id(
    db: Database,
    statements: ListStatements,
    merchant_id: int,
    filters: ListBounds,
    cursor: ListCursor,
    limit: int,
) -> list[Record] | None:
    """Return rows of a merchant's list, nearest to the cursor first; None if it takes too long."""
    if cursor.by_amount:
        return await _page_by_amount(db, statements, merchant_id, filters, cursor, limit)
    statement = statements.rising if cursor.reads_rising else statements.falling
    amounts = filters.paise_from, filters.paise_upto
    span = span_of_ids(filters.since, filters.until, cursor)
    return await look(db, statement, merchant_id, *span, *amounts, *filters.own, limit)


async def _page_by_amount(
    db: Database,
    statements: ListStatements,
    merchant_id: int,
    filters: ListBounds,
    cursor: ListCursor,
    limit: int,
) -> list[Record] | None:
    """Return rows by amount; ids decide between equal ones, so that none is missed or repeated."""
    rising = cursor.reads_rising
    statement = statements.by_amount_rising if rising else statements.by_amount
    place = (cursor.after or _LEAST) if rising else (cursor.before or _MOST)
    amounts = filters.paise_from, filters.paise_upto
    span = ids_of(filters.since, filters.until)
    return await look(db, statement, merchant_id, *span, *amounts, *filters.own, *place, limit)


async def sums_by_id(
    db: Database, statements: ListStatements, merchant_id: int, filters: ListBounds
) -> list[Record] | None:
    """Return number and sums of all rows that fit, by currency; None if it takes too long."""
    amounts = filters.paise_from, filters.paise_upto
    span = span_of_ids(filters.since, filters.until, ListCursor())
    return await look_at_sums(db, statements.sums, merchant_id, *span, *amounts, *filters.own)
