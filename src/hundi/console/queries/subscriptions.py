"""Rows for the screens of subscriptions: the list, and a payment's subscription."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import newest_first
from hundi.infra.postgres.database import Database, Queries

SELECT_PAGE = """
SELECT s.*, p.buyer ->> 'firstname' AS firstname, p.buyer ->> 'lastname' AS lastname,
    p.buyer ->> 'phone' AS phone,
    (SELECT min(CASE d.state WHEN 'retrying' THEN coalesce(d.due_at,
        d.planned_at) ELSE d.planned_at END)
        FROM subscription_debits d WHERE d.merchant_id = $1
            AND d.subscription_id = s.subscription_id
        AND d.state IN ('announced', 'sent', 'retrying')) AS waiting_for,
    (SELECT count(*) FROM subscription_debits d WHERE d.merchant_id = $1
        AND d.subscription_id = s.subscription_id AND d.state = 'done') AS debits_done,
    (SELECT count(*) FROM subscription_debits d WHERE d.merchant_id = $1
        AND d.subscription_id = s.subscription_id
            AND d.state IN ('failed', 'missed')) AS debits_failed
FROM subscriptions s LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = s.subscription_id
WHERE s.merchant_id = $1 AND s.subscription_id >= $2 AND s.subscription_id < $3
    AND ($4::bigint IS NULL OR s.amount_paise >= $4)
        AND ($5::bigint IS NULL OR s.amount_paise <= $5)
    AND ($6::text IS NULL OR s.state::text = $6) AND ($7::text IS NULL OR s.channel = $7)
ORDER BY s.subscription_id DESC LIMIT $8
"""
"""Ids begin with the time, so days are a range of the key, and a page begins after the one before.
"""
SELECT_OF_DEBIT = (
    "SELECT subscription_id FROM subscription_debits WHERE merchant_id = $1 AND payment_id = $2"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    channel: str | None


async def select_page(
    db: Database, merchant_id: int, filters: SubscriptionFilters, before: int | None, limit: int
) -> list[Record] | None:
    """Return a page of a merchant's subscriptions, newest first; see `newest_first`."""
    return await newest_first(db, SELECT_PAGE, merchant_id, filters, before, limit)


async def of_debit(source: Queries, merchant_id: int, payment_id: int) -> int | None:
    """Return the subscription of a debit, None for any other payment."""
    return await source.fetchval(SELECT_OF_DEBIT, merchant_id, payment_id)
