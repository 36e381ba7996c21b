"""Rows for the screens of terminals: each with its day so far, and one terminal's sales."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import look, midnight
from hundi.infra.postgres.database import Database, Queries

_PAID = "CASE WHEN s.edited_paise > 0 THEN s.edited_paise::bigint ELSE s.amount_paise::bigint END"
SELECT_TERMINALS = f"""
SELECT t.terminal_id, t.label, t.manager, t.created_at, t.closed_at,
    coalesce(count(s.transaction_id) FILTER (WHERE s.kind = 'SALE'), 0) AS sales,
    coalesce(sum({_PAID}) FILTER (WHERE s.kind = 'SALE'), 0)::bigint AS sold_paise,
    coalesce(sum({_PAID}) FILTER (WHERE s.kind <> 'SALE'), 0)::bigint AS back_paise
FROM pos_terminals t LEFT JOIN pos_sales s
    ON s.merchant_id = $1 AND s.terminal_id = t.terminal_id AND s.at >= $2
WHERE t.merchant_id = $1
GROUP BY t.terminal_id, t.label, t.manager, t.created_at, t.closed_at
ORDER BY t.closed_at IS NOT NULL, t.terminal_id
"""
SELECT_TERMINAL = """
SELECT terminal_id, label, manager, created_at, closed_at FROM pos_terminals WHERE merchant_id = $1
    AND terminal_id = $2
"""
SELECT_SALES = f"""
SELECT s.transaction_id, s.reference, s.at, s.kind, s.amount_paise, s.edited_paise, s.table_no,
    s.masked_mobile, {_PAID} AS paid_paise
FROM pos_sales s
WHERE s.merchant_id = $1 AND s.terminal_id = $2 AND s.at >= $3 AND s.at < $4
    AND (s.at, s.transaction_id) < ($5, $6)
    AND ($7::text IS NULL OR s.kind = $7) AND ($8::text IS NULL OR s.reference = $8)
    AND ($9::bigint IS NULL OR {_PAID} >= $9) AND ($10::bigint IS NULL OR {_PAID} <= $10)
ORDER BY s.at DESC, s.transaction_id DESC LIMIT $11
"""
_NEVER = datetime(3000, 1, 1, tzinfo=UTC)
FIRST_PAGE = (_NEVER, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalFilters(bounded.ListBounds):
    """Filters of the list."""

    kind: str | None
    reference: str | None


async def select_terminals(db: Database, merchant_id: int, day: date) -> list[Record] | None:
    """Return a merchant's terminals with their sales of a day.

    None where that takes too long.
    """
    return await look(db, SELECT_TERMINALS, merchant_id, midnight(day))


async def select_terminal(source: Queries, merchant_id: int, terminal_id: str) -> Record | None:
    """Return one terminal."""
    return await source.fetchrow(SELECT_TERMINAL, merchant_id, terminal_id)


async def select_sales(
    db: Database,
    merchant_id: int,
    terminal_id: str,
    filters: TerminalFilters,
    before: tuple[datetime, int],
    limit: int,
) -> list[Record] | None:
    """Return a terminal's sales, newest first; None where that takes too long.

    before: time and number of the last one on the page before.
    """
    ends = midnight(filters.until) + timedelta(days=1) if filters.until else _NEVER
    values = (
        *(merchant_id, terminal_id, midnight(filters.since), ends, *before),
        *(filters.kind, filters.reference, filters.paise_from, filters.paise_upto, limit),
    )
    return await look(db, SELECT_SALES, *values)
