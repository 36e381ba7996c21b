"""What the screens of subscriptions read: the list, and which subscription a payment belongs to."""

from dataclasses import dataclass
from datetime import date

from asyncpg import Record

from hundi.console.queries.bounded import ID_MAX, ids_of, look
from hundi.infra.database import Database, Queries

SELECT_PAGE = """
SELECT s.*, p.buyer ->> 'firstname' AS firstname, p.buyer ->> 'lastname' AS lastname, p.buyer ->> 'phone' AS phone,
    (SELECT min(CASE d.state WHEN 'retrying' THEN coalesce(d.due_at, d.planned_at) ELSE d.planned_at END)
        FROM subscription_debits d WHERE d.merchant_id = $1 AND d.subscription_id = s.subscription_id
        AND d.state IN ('announced', 'sent', 'retrying')) AS waiting_for,
    (SELECT count(*) FROM subscription_debits d WHERE d.merchant_id = $1
        AND d.subscription_id = s.subscription_id AND d.state = 'done') AS debits_done,
    (SELECT count(*) FROM subscription_debits d WHERE d.merchant_id = $1
        AND d.subscription_id = s.subscription_id AND d.state IN ('failed', 'missed')) AS debits_failed
FROM subscriptions s LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = s.subscription_id
WHERE s.merchant_id = $1 AND s.subscription_id >= $2 AND s.subscription_id < $3
    AND ($4::text IS NULL OR s.state::text = $4) AND ($5::text IS NULL OR s.channel = $5)
    AND ($6::bigint IS NULL OR s.amount_paise >= $6) AND ($7::bigint IS NULL OR s.amount_paise <= $7)
ORDER BY s.subscription_id DESC LIMIT $8
"""
"""Ids begin with the time, so days are a span of the key, and a page goes on where the one before it ended."""
SELECT_OF_DEBIT = "SELECT subscription_id FROM subscription_debits WHERE merchant_id = $1 AND payment_id = $2"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is narrowed to; None for anything. Amounts in paise, Indian days, the last included."""

    state: str | None = None
    channel: str | None = None
    paise_from: int | None = None
    paise_upto: int | None = None
    since: date | None = None
    until: date | None = None


async def select_page(
    db: Database, merchant_id: int, filters: Filters, before: int | None, limit: int
) -> list[Record] | None:
    """Return a merchant's subscriptions, newest first; None where that takes too long.

    before: only those with a smaller id.
    """
    low, high = ids_of(filters.since, filters.until)
    values = (
        merchant_id,
        low,
        min(high, before or ID_MAX),
        filters.state,
        filters.channel,
        filters.paise_from,
        filters.paise_upto,
        limit,
    )
    return await look(db, SELECT_PAGE, *values)


async def of_debit(source: Queries, merchant_id: int, payment_id: int) -> int | None:
    """Return the subscription that a payment is a debit of, None for any other payment."""
    return await source.fetchval(SELECT_OF_DEBIT, merchant_id, payment_id)
