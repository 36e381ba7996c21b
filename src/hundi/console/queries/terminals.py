"""Rows for the screens of terminals: each with its day so far, and one terminal's sales."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, look, look_at_sums, midnight
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
_FITTING = f"""
FROM pos_sales s
WHERE s.merchant_id = $1 AND s.terminal_id = $2 AND s.at >= $3 AND s.at < $4
    AND ($5::text IS NULL OR s.kind = $5) AND ($6::text IS NULL OR s.reference = $6)
    AND ($7::bigint IS NULL OR {_PAID} >= $7) AND ($8::bigint IS NULL OR {_PAID} <= $8)
"""
_ROW = f"""
SELECT s.transaction_id, s.reference, s.at, s.kind, s.amount_paise, s.edited_paise, s.table_no,
    s.masked_mobile, {_PAID} AS paid_paise,
    (extract(epoch FROM s.at) * 1000000)::bigint AS at_micros
{_FITTING}
"""
SELECT_SALES = f"""
{_ROW} AND (s.at, s.transaction_id) < ($9, $10)
ORDER BY s.at DESC, s.transaction_id DESC LIMIT $11
"""
SELECT_SALES_RISING = f"""
{_ROW} AND (s.at, s.transaction_id) > ($9, $10) ORDER BY s.at, s.transaction_id LIMIT $11
"""
SELECT_SUMS = f"""
SELECT 'INR' AS currency, count(*) AS number,
    coalesce(sum({_PAID}) FILTER (WHERE s.kind = 'SALE'), 0)::bigint AS sold_paise,
    coalesce(sum({_PAID}) FILTER (WHERE s.kind <> 'SALE'), 0)::bigint AS back_paise
{_FITTING}
"""
_NEVER = datetime(3000, 1, 1, tzinfo=UTC)
_EVER = datetime(2000, 1, 1, tzinfo=UTC)
_MICROS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalFilters(bounded.ListBounds):
    """Filters of the list of one terminal."""

    terminal_id: str
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
    db: Database, merchant_id: int, filters: TerminalFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return a terminal's sales, nearest to the cursor first; None where that takes too long.

    cursor: by time, in microseconds since 1970, and number.
    """
    rising = cursor.reads_rising
    micros, number = (cursor.after if rising else cursor.before) or (None, 0)
    at = (_EVER if rising else _NEVER) if micros is None else _time_of(micros)
    statement = SELECT_SALES_RISING if rising else SELECT_SALES
    return await look(db, statement, merchant_id, *_values(filters), at, number, limit)


async def select_sums(
    db: Database, merchant_id: int, filters: TerminalFilters
) -> list[Record] | None:
    """Return number and sums of a terminal's sales that fit; None where that takes too long."""
    return await look_at_sums(db, SELECT_SUMS, merchant_id, *_values(filters))


def _values(filters: TerminalFilters) -> tuple[object, ...]:
    ends = midnight(filters.until) + timedelta(days=1) if filters.until else _NEVER
    amounts = filters.paise_from, filters.paise_upto
    since = midnight(filters.since)
    return filters.terminal_id, since, ends, filters.kind, filters.reference, *amounts


def _time_of(micros: int) -> datetime:
    seconds, rest = divmod(min(micros, int(_NEVER.timestamp()) * _MICROS), _MICROS)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)
