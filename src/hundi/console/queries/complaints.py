"""Rows for the list of complaints: one page at a time, by the key, with any filters."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, look, span_of_ids
from hundi.infra.postgres.database import Database

_ROW = """
SELECT complaint_id, payment_id, kind, words, state, made_at, answer_by, answer, answered_at,
    answered_by, closed_at
FROM complaints
WHERE merchant_id = $1 AND complaint_id >= $2 AND complaint_id < $3
    AND ($4::text IS NULL OR state = $4) AND ($5::text IS NULL OR kind = $5)
"""
SELECT_PAGE = f"{_ROW} ORDER BY complaint_id DESC LIMIT $6"
SELECT_PAGE_RISING = f"{_ROW} ORDER BY complaint_id LIMIT $6"

SELECT_WAITING = """
SELECT merchant_id, complaint_id, payment_id, kind, made_at, answer_by FROM complaints
WHERE merchant_id = ANY ($1::bigint[]) AND state = 'open'
    AND ($2::timestamptz IS NULL OR answer_by < $2)
ORDER BY answer_by LIMIT $3
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplaintFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    kind: str | None


async def select_page(
    db: Database, merchant_id: int, filters: ComplaintFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return a merchant's complaints nearest to a cursor; None where that takes too long."""
    span = span_of_ids(filters.since, filters.until, cursor)
    statement = SELECT_PAGE_RISING if cursor.reads_rising else SELECT_PAGE
    return await look(db, statement, merchant_id, *span, *filters.own, limit)


async def select_waiting(
    db: Database, merchants: Collection[int], before: datetime | None, limit: int
) -> list[Record] | None:
    """Return complaints of merchants that wait, the earliest deadline first; None if it takes long.

    before: only those whose deadline is earlier, None for all.
    """
    return await look(db, SELECT_WAITING, list(merchants), before, limit)
