"""Rows for the screens of refunds: the list, one refund, and the refunds of a payment."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ListStatements, page_by_id, sums_by_id
from hundi.infra.postgres.database import Database, Queries

_ROW = """
SELECT r.merchant_id, r.refund_id, r.payment_id, r.attempt_id, p.order_id, r.amount_paise,
    r.currency, r.settled_paise, r.cause, r.state, r.rrn, r.bank_code, r.bank_message, r.created_at,
    r.sent_at, r.settled_at, r.due_at, r.inquiries, r.request_id, r.connector, r.reversed_at,
        r.reversed_code, r.reversed_message, (SELECT count(*) FROM refunds o
        WHERE o.merchant_id = $1 AND o.payment_id = r.payment_id AND o.attempt_id = r.attempt_id
            AND o.cause = r.cause
    ) AS tries, (SELECT l.refund_id FROM refunds l
        WHERE l.merchant_id = $1 AND l.payment_id = r.payment_id AND l.cause = r.cause
            AND l.created_at > r.created_at
        ORDER BY l.created_at LIMIT 1
    ) AS followed_by
FROM refunds r LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = r.payment_id
"""
_FITTING = """
WHERE r.merchant_id = $1 AND r.refund_id >= $2 AND r.refund_id < $3
    AND ($4::bigint IS NULL OR r.amount_paise >= $4)
    AND ($5::bigint IS NULL OR r.amount_paise <= $5) AND ($6::text IS NULL OR r.state::text = $6)
    AND ($7::text IS NULL OR r.cause::text = $7) AND ($8::text IS NULL OR r.rrn = $8)
"""
SELECT_PAGE = f"{_ROW} {_FITTING} ORDER BY r.refund_id DESC LIMIT $9"
SELECT_PAGE_RISING = f"{_ROW} {_FITTING} ORDER BY r.refund_id LIMIT $9"
SELECT_BY_AMOUNT = f"""
{_ROW} {_FITTING} AND (r.amount_paise, r.refund_id) < ($9::bigint, $10::bigint)
ORDER BY r.amount_paise DESC, r.refund_id DESC LIMIT $11
"""
SELECT_BY_AMOUNT_RISING = f"""
{_ROW} {_FITTING} AND (r.amount_paise, r.refund_id) > ($9::bigint, $10::bigint)
ORDER BY r.amount_paise, r.refund_id LIMIT $11
"""
SELECT_SUMS = f"""
SELECT r.currency, count(*) AS number, sum(r.amount_paise)::bigint AS amount_paise,
    coalesce(sum(r.amount_paise) FILTER (WHERE r.state = 'done'), 0)::bigint AS done_paise
FROM refunds r {_FITTING} GROUP BY r.currency ORDER BY count(*) DESC, r.currency
"""
"""Ids begin with the time, so days are a range of the key, and a page begins after the one before.
"""
SELECT_ONE = f"{_ROW} WHERE r.merchant_id = $1 AND r.refund_id = $2"
COUNT_OF_PAYMENT = """
SELECT (SELECT count(*) FROM refunds r WHERE r.merchant_id = $1 AND r.payment_id = $2) AS refunds,
    (SELECT count(*) FROM approvals a WHERE a.merchant_id = $1 AND a.kind = 'refund'
        AND a.payload ->> 'payment_id' = $3
    ) AS requests
"""
"""Refunds and requests for one are never removed."""
SELECT_REQUESTS = """
SELECT approval_id, title, maker, checker, state, made_at, reason, payload FROM approvals
WHERE merchant_id = $1 AND kind = 'refund' AND payload ->> 'payment_id' = $2 ORDER BY approval_id
"""
SELECT_MAKERS = """
SELECT person, detail FROM trail_entries WHERE merchant_id = $1 AND act = 'payment.refund'
    AND about = $2
ORDER BY entry_no
"""


_STATEMENTS = ListStatements(
    SELECT_PAGE, SELECT_PAGE_RISING, SELECT_SUMS, SELECT_BY_AMOUNT, SELECT_BY_AMOUNT_RISING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    cause: str | None
    reference: str | None


async def select_page(
    db: Database, merchant_id: int, filters: RefundFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return rows of a merchant's refunds; see `page_by_id`."""
    return await page_by_id(db, _STATEMENTS, merchant_id, filters, cursor, limit)


async def select_sums(
    db: Database, merchant_id: int, filters: RefundFilters
) -> list[Record] | None:
    """Return number and sums of a merchant's refunds that fit; see `sums_by_id`."""
    return await sums_by_id(db, _STATEMENTS, merchant_id, filters)


async def select(source: Queries, merchant_id: int, refund_id: int) -> Record | None:
    """Return one refund."""
    return await source.fetchrow(SELECT_ONE, merchant_id, refund_id)


async def count_of(source: Queries, merchant_id: int, payment_id: int) -> tuple[int, int]:
    """Return the number of a payment's refunds, and of requests for one."""
    row = await source.fetchrow(COUNT_OF_PAYMENT, merchant_id, payment_id, str(payment_id))
    assert row is not None
    return row["refunds"], row["requests"]


async def requests_of(source: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the requests for a refund of a payment, oldest first."""
    return await source.fetch(SELECT_REQUESTS, merchant_id, str(payment_id))


async def makers_of(source: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return who refunded a payment here alone, from the trail, oldest first."""
    return await source.fetch(SELECT_MAKERS, merchant_id, str(payment_id))
