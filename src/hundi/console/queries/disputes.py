"""Rows for the list of disputes: open ones first, by their deadline."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ids_of, look
from hundi.infra.postgres.database import Database, Queries

_PLACE = (
    "CASE WHEN s.state = 'open' THEN extract(epoch FROM s.respond_by)::bigint ELSE"
    " 2000000000000000 - s.dispute_id END"
)
SELECT_PAGE = f"""
SELECT s.dispute_id, s.stage_id, s.payment_id, p.order_id, s.phase, s.state, s.amount_paise,
    s.currency, s.reason, s.held_settled_paise, s.taken_settled_paise, s.opened_at, s.respond_by,
    s.answered_at, s.settled_at, s.bank_case, s.fee_paise, s.tax_paise, s.place
FROM (
    SELECT s.*, {_PLACE} AS place FROM (
        SELECT DISTINCT ON (dispute_id) * FROM dispute_stages
        WHERE merchant_id = $1 AND dispute_id >= $2 AND dispute_id < $3
        ORDER BY dispute_id, opened_at DESC, array_position(
            ARRAY['retrieval', 'chargeback', 'pre_arbitration', 'arbitration'], phase::text) DESC
    ) AS s
) AS s LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = s.payment_id
WHERE s.merchant_id = $1 AND ($4::text IS NULL OR s.state::text = $4)
    AND ($5::text IS NULL OR s.phase::text = $5)
    AND ($6::bigint IS NULL OR s.amount_paise >= $6)
        AND ($7::bigint IS NULL OR s.amount_paise <= $7)
    AND (s.place, s.dispute_id) > ($8, $9)
ORDER BY s.place, s.dispute_id LIMIT $10
"""
"""Open ones come first, the earliest deadline on top; the others follow, newest first.

Seconds since 1970 are below every id.
"""
SELECT_OF_SUBJECT = "SELECT order_id FROM payments WHERE merchant_id = $1 AND payment_id = $2"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    phase: str | None


async def select_page(
    db: Database, merchant_id: int, filters: DisputeFilters, after: tuple[int, int], limit: int
) -> list[Record] | None:
    """Return the present phase of each of a merchant's disputes; None where that takes too long.

    after: place and id of the last one before, (0, 0) for the first page.
    """
    low, high = ids_of(filters.since, filters.until)
    values = (
        merchant_id,
        low,
        high,
        filters.state,
        filters.phase,
        filters.paise_from,
        filters.paise_upto,
        *after,
        limit,
    )
    return await look(db, SELECT_PAGE, *values)


async def order_of(source: Queries, merchant_id: int, payment_id: int) -> str:
    """Return the order of a payment, "" for one in the archive."""
    return await source.fetchval(SELECT_OF_SUBJECT, merchant_id, payment_id) or ""
