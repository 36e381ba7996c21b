"""Rows for the list of payments: one page at a time, by the key, with any filters."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import newest_first
from hundi.infra.postgres.database import Database

SELECT_PAGE = """
SELECT payment_id, order_id, amount_paise, currency, state, method, refunded_paise, bank_code,
    bank_message, created_at, buyer ->> 'phone' AS phone, buyer ->> 'email' AS email
FROM payments p
WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3
    AND ($4::bigint IS NULL OR amount_paise >= $4)
    AND ($5::bigint IS NULL OR amount_paise <= $5) AND ($6::text IS NULL OR state::text = $6)
    AND ($7::text IS NULL OR method = $7) AND ($8::text IS NULL OR currency::text = $8)
    AND ($9::text IS NULL OR EXISTS (SELECT FROM attempts a WHERE a.merchant_id = $1
        AND a.payment_id = p.payment_id
        AND (a.bank = $9 OR lower(a.bank_name) = lower($9))))
ORDER BY payment_id DESC LIMIT $10
"""
"""Ids begin with the time, so days are a range of the key, and a page begins after the one before.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    method: str | None
    currency: str | None
    bank: str | None


async def select_page(
    db: Database, merchant_id: int, filters: PaymentFilters, before: int | None, limit: int
) -> list[Record] | None:
    """Return a page of a merchant's payments, newest first; see `newest_first`."""
    return await newest_first(db, SELECT_PAGE, merchant_id, filters, before, limit)
