"""SQL of a story: deliveries with their tries, and how the money reached the merchant."""

from collections.abc import Sequence

from asyncpg import Record

from hundi.infra.postgres.database import Queries

SELECT_DELIVERIES = """
SELECT event_no, kind, state, created_at, due_at, facts FROM deliveries
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no
"""
SELECT_TRIES = """
SELECT event_no, attempt_no, at, url, status, latency_ms, answer, problem FROM delivery_attempts
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no, attempt_no
"""
SELECT_PAID_OUT = """
SELECT DISTINCT s.settlement_id, s.day, h.beneficiary, p.payout_id,
    coalesce(p.state::text, '') AS state, coalesce(nullif(p.late_utr, ''), p.utr, '') AS utr
FROM settlement_items i JOIN settlements s ON s.merchant_id = $1
    AND s.settlement_id = i.settlement_id
    JOIN settlement_shares h ON h.merchant_id = $1 AND h.settlement_id = s.settlement_id
    LEFT JOIN payouts p ON p.merchant_id = $1 AND p.share_id = h.share_id
WHERE i.merchant_id = $1 AND i.cause_id = ANY ($2::bigint[]) ORDER BY s.day, h.beneficiary,
    p.payout_id
"""


async def deliveries(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the notifications to the merchant about a payment, oldest first."""
    return await db.fetch(SELECT_DELIVERIES, merchant_id, payment_id)


async def tries(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return every try to deliver them, oldest first."""
    return await db.fetch(SELECT_TRIES, merchant_id, payment_id)


async def paid_out(db: Queries, merchant_id: int, causes: Sequence[int]) -> list[Record]:
    """Return the settlements that attempts and refunds are in, with their payouts."""
    return await db.fetch(SELECT_PAID_OUT, merchant_id, list(causes))
