"""Rows for the list of approvals: one page at a time, by the key, with any filters."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, look, span_of_ids
from hundi.infra.postgres.database import Database

_ROW = """
SELECT approval_id, kind, title, state::text AS state, made_by, maker, reason, made_at, decided_by,
    checker, decided_at, note
FROM approvals
WHERE merchant_id = $1 AND approval_id >= $2 AND approval_id < $3
    AND ($4::text IS NULL OR state::text = $4) AND ($5::text IS NULL OR kind = $5)
"""
SELECT_PAGE = f"{_ROW} ORDER BY approval_id DESC LIMIT $6"
SELECT_PAGE_RISING = f"{_ROW} ORDER BY approval_id LIMIT $6"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    kind: str | None


async def select_page(
    db: Database, merchant_id: int, filters: ApprovalFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return requests of a place nearest to a cursor; None where that takes too long."""
    span = span_of_ids(filters.since, filters.until, cursor)
    statement = SELECT_PAGE_RISING if cursor.reads_rising else SELECT_PAGE
    return await look(db, statement, merchant_id, *span, *filters.own, limit)
