"""Rows for the list of people's acts: one page at a time, by their numbers, with any filters."""

from dataclasses import dataclass
from datetime import timedelta

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, look, midnight
from hundi.infra.postgres.database import Database

_NUMBER_MAX = 2**31 - 1
_ROW = """
SELECT entry_no, at, person_id, person, act, about, detail, network FROM trail_entries
WHERE merchant_id = $1 AND entry_no > $2::bigint AND entry_no < $3::bigint AND at >= $4
    AND ($5::timestamptz IS NULL OR at < $5) AND ($6::bigint IS NULL OR person_id = $6)
    AND ($7::text IS NULL OR act = $7 OR act LIKE $7 || '.%') AND ($8::text IS NULL OR about = $8)
"""
SELECT_PAGE = f"{_ROW} ORDER BY entry_no DESC LIMIT $9"
SELECT_PAGE_RISING = f"{_ROW} ORDER BY entry_no LIMIT $9"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailFilters(bounded.ListBounds):
    """Filters of the list. deed: a whole act, or its noun.

    Not called as the parts of an entry, because an entry tells the filters of a file.
    """

    person_id: int | None
    deed: str | None
    subject: str | None


async def select_page(
    db: Database, merchant_id: int, filters: TrailFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return acts at a place nearest to a cursor; None where that takes too long."""
    place = next(iter(cursor.after), 0), next(iter(cursor.before), _NUMBER_MAX)
    until = midnight(filters.until) + timedelta(days=1) if filters.until else None
    days = midnight(filters.since), until
    statement = SELECT_PAGE_RISING if cursor.reads_rising else SELECT_PAGE
    return await look(db, statement, merchant_id, *place, *days, *filters.own, limit)
