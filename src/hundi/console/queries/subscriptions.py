"""Rows for the screens of subscriptions: the list, and a payment's subscription."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ListStatements, page_by_id, sums_by_id
from hundi.infra.postgres.database import Database, Queries

_ROW = """
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
"""
_FITTING = """
WHERE s.merchant_id = $1 AND s.subscription_id >= $2 AND s.subscription_id < $3
    AND ($4::bigint IS NULL OR s.amount_paise >= $4)
        AND ($5::bigint IS NULL OR s.amount_paise <= $5)
    AND ($6::text IS NULL OR s.state::text = $6) AND ($7::text IS NULL OR s.channel = $7)
"""
SELECT_PAGE = f"{_ROW} {_FITTING} ORDER BY s.subscription_id DESC LIMIT $8"
SELECT_PAGE_RISING = f"{_ROW} {_FITTING} ORDER BY s.subscription_id LIMIT $8"
SELECT_SUMS = f"""
SELECT s.currency, count(*) AS number, sum(s.amount_paise)::bigint AS amount_paise
FROM subscriptions s {_FITTING} GROUP BY s.currency ORDER BY count(*) DESC, s.currency
"""
"""Ids begin with the time, so days are a range of the key, and a page begins after the one before.
"""
SELECT_OF_DEBIT = (
    "SELECT subscription_id FROM subscription_debits WHERE merchant_id = $1 AND payment_id = $2"
)


_STATEMENTS = ListStatements(SELECT_PAGE, SELECT_PAGE_RISING, SELECT_SUMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    channel: str | None


async def select_page(
    db: Database, merchant_id: int, filters: SubscriptionFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return rows of a merchant's subscriptions; see `page_by_id`."""
    return await page_by_id(db, _STATEMENTS, merchant_id, filters, cursor, limit)


async def select_sums(
    db: Database, merchant_id: int, filters: SubscriptionFilters
) -> list[Record] | None:
    """Return number and sums of a merchant's subscriptions that fit; see `sums_by_id`."""
    return await sums_by_id(db, _STATEMENTS, merchant_id, filters)


async def of_debit(source: Queries, merchant_id: int, payment_id: int) -> int | None:
    """Return the subscription of a debit, None for any other payment."""
    return await source.fetchval(SELECT_OF_DEBIT, merchant_id, payment_id)
