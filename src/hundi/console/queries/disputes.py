"""Rows for the list of disputes: open ones first, by their deadline."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ids_of, look, look_at_sums
from hundi.infra.postgres.database import Database, Queries

_PLACE = (
    "CASE WHEN s.state = 'open' THEN extract(epoch FROM s.respond_by)::bigint ELSE"
    " 2000000000000000 - s.dispute_id END"
)
_NEWEST_PHASE = """
SELECT DISTINCT ON (dispute_id) * FROM dispute_stages
WHERE merchant_id = $1 AND dispute_id >= $2 AND dispute_id < $3
ORDER BY dispute_id, opened_at DESC, array_position(
    ARRAY['retrieval', 'chargeback', 'pre_arbitration', 'arbitration'], phase::text) DESC
"""
_FITTING = """
s.merchant_id = $1 AND ($6::text IS NULL OR s.state::text = $6)
    AND ($7::text IS NULL OR s.phase::text = $7)
    AND ($4::bigint IS NULL OR s.amount_paise >= $4)
    AND ($5::bigint IS NULL OR s.amount_paise <= $5)
"""
_ROW = f"""
SELECT s.dispute_id, s.stage_id, s.payment_id, p.order_id, s.phase, s.state, s.amount_paise,
    s.currency, s.reason, s.held_settled_paise, s.taken_settled_paise, s.opened_at, s.respond_by,
    s.answered_at, s.settled_at, s.bank_case, s.fee_paise, s.tax_paise, s.place
FROM (SELECT s.*, {_PLACE} AS place FROM ({_NEWEST_PHASE}) AS s) AS s
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = s.payment_id
WHERE {_FITTING}
"""
SELECT_PAGE = f"""
{_ROW} AND (s.place, s.dispute_id) > ($8, $9) ORDER BY s.place, s.dispute_id LIMIT $10
"""
SELECT_PAGE_FALLING = f"""
{_ROW} AND (s.place, s.dispute_id) < ($8, $9) ORDER BY s.place DESC, s.dispute_id DESC LIMIT $10
"""
"""Open ones come first, the earliest deadline on top; the others follow, newest first.

Seconds since 1970 are below every id.
"""
SELECT_SUMS = f"""
SELECT s.currency, count(*) AS number, sum(s.amount_paise)::bigint AS amount_paise,
    sum(s.held_settled_paise) FILTER (WHERE s.state IN ('open', 'under_review', 'accepting'))
        ::bigint AS held_paise,
    sum(s.taken_settled_paise)::bigint AS taken_paise
FROM ({_NEWEST_PHASE}) AS s WHERE {_FITTING} GROUP BY s.currency ORDER BY count(*) DESC, s.currency
"""
_FIRST, _LAST = (0, 0), (10**17, 0)
SELECT_OF_SUBJECT = "SELECT order_id FROM payments WHERE merchant_id = $1 AND payment_id = $2"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    phase: str | None


async def select_page(
    db: Database, merchant_id: int, filters: DisputeFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return the present phase of each of a merchant's disputes; None where that takes too long.

    cursor: by place and id.
    """
    rising = cursor.reads_rising
    key = (cursor.after or _FIRST) if rising else (cursor.before or _LAST)
    values = _values(filters)
    return await look(
        db, SELECT_PAGE if rising else SELECT_PAGE_FALLING, merchant_id, *values, *key, limit
    )


async def select_sums(
    db: Database, merchant_id: int, filters: DisputeFilters
) -> list[Record] | None:
    """Return number and sums of the disputes that fit, by currency; None if it takes too long."""
    return await look_at_sums(db, SELECT_SUMS, merchant_id, *_values(filters))


def _values(filters: DisputeFilters) -> tuple[object, ...]:
    low, high = ids_of(filters.since, filters.until)
    return low, high, filters.paise_from, filters.paise_upto, *filters.own


async def order_of(source: Queries, merchant_id: int, payment_id: int) -> str:
    """Return the order of a payment, "" for one in the archive."""
    return await source.fetchval(SELECT_OF_SUBJECT, merchant_id, payment_id) or ""
