"""What the list of payments reads: one page at a time, by the key, whatever the filters."""

from dataclasses import dataclass
from datetime import date

from asyncpg import Record

from hundi.console.queries.bounded import ID_MAX, ids_of, look
from hundi.infra.database import Database

SELECT_PAGE = """
SELECT payment_id, order_id, amount_paise, currency, state, method, refunded_paise, bank_code, bank_message, created_at,
    buyer ->> 'phone' AS phone, buyer ->> 'email' AS email
FROM payments p
WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3 AND ($4::text IS NULL OR state::text = $4)
    AND ($5::text IS NULL OR method = $5) AND ($6::text IS NULL OR currency::text = $6)
    AND ($7::bigint IS NULL OR amount_paise >= $7) AND ($8::bigint IS NULL OR amount_paise <= $8)
    AND ($9::text IS NULL OR EXISTS (SELECT FROM attempts a WHERE a.merchant_id = $1 AND a.payment_id = p.payment_id
        AND (a.bank = $9 OR lower(a.bank_name) = lower($9))))
ORDER BY payment_id DESC LIMIT $10
"""
"""Ids begin with the time, so days are a span of the key, and a page goes on where the one before it ended."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed to; None for anything. Amounts in paise, Indian days, the last included."""

    state: str | None = None
    method: str | None = None
    currency: str | None = None
    bank: str | None = None
    paise_from: int | None = None
    paise_upto: int | None = None
    since: date | None = None
    until: date | None = None


async def select_page(
    db: Database, merchant_id: int, filters: Filters, before: int | None, limit: int
) -> list[Record] | None:
    """Return a merchant's payments, newest first; None where that takes too long.

    before: only those with a smaller id.
    """
    low, high = ids_of(filters.since, filters.until)
    values = (
        merchant_id,
        low,
        min(high, before or ID_MAX),
        filters.state,
        filters.method,
        filters.currency,
        filters.paise_from,
        filters.paise_upto,
        filters.bank,
        limit,
    )
    return await look(db, SELECT_PAGE, *values)
