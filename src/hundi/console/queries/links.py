"""Rows for the list of payment links: one page at a time, by the key, with any filters."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ListStatements, page_by_id, sums_by_id
from hundi.infra.postgres.database import Database
from hundi.payments.links.store import STATE

_FITTING = f"""
FROM (SELECT l.*, {STATE.format(now="$8")} AS state
    FROM payment_links l WHERE merchant_id = $1 AND link_id >= $2 AND link_id < $3) AS l
WHERE ($4::bigint IS NULL OR amount_paise >= $4) AND ($5::bigint IS NULL OR amount_paise <= $5)
    AND ($6::text IS NULL OR state = $6)
    AND ($7::text IS NULL OR reference = $7 OR strpos(lower(description), lower($7)) > 0)
"""
_ROW = f"""
SELECT link_id, reference, description, state, amount_paise, paid_paise, created_at, expires_at,
    made_by
{_FITTING}"""
SELECT_PAGE = f"{_ROW} ORDER BY link_id DESC LIMIT $9"
SELECT_PAGE_RISING = f"{_ROW} ORDER BY link_id LIMIT $9"
SELECT_BY_AMOUNT = f"""
{_ROW} AND (amount_paise, link_id) < ($9::bigint, $10::bigint)
ORDER BY amount_paise DESC, link_id DESC LIMIT $11
"""
SELECT_BY_AMOUNT_RISING = f"""
{_ROW} AND (amount_paise, link_id) > ($9::bigint, $10::bigint)
ORDER BY amount_paise, link_id LIMIT $11
"""
SELECT_SUMS = f"""
SELECT 'INR' AS currency, count(*) AS number, sum(amount_paise)::bigint AS amount_paise,
    sum(paid_paise)::bigint AS paid_paise
{_FITTING}
"""
_STATEMENTS = ListStatements(
    SELECT_PAGE, SELECT_PAGE_RISING, SELECT_SUMS, SELECT_BY_AMOUNT, SELECT_BY_AMOUNT_RISING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilters(bounded.ListBounds):
    """Filters of the list. text: a reference, or a part of what a link is for. at: of its state."""

    state: str | None
    text: str | None
    at: datetime


async def select_page(
    db: Database, merchant_id: int, filters: LinkFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return rows of a merchant's links; see `page_by_id`."""
    return await page_by_id(db, _STATEMENTS, merchant_id, filters, cursor, limit)


async def select_sums(db: Database, merchant_id: int, filters: LinkFilters) -> list[Record] | None:
    """Return number and sums of a merchant's links that fit; see `sums_by_id`."""
    return await sums_by_id(db, _STATEMENTS, merchant_id, filters)
