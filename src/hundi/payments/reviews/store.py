"""All SQL about reviews: what waits, and what was decided."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.looks import look
from hundi.payments.orders.rules import Payment
from hundi.payments.reviews.rules import Reviewed

SELECT_WAITING = """
SELECT p.merchant_id, p.payment_id, p.order_id, p.amount_paise, p.currency, a.attempt_id, a.method,
    a.state, a.settled_at, a.risk -> 'verdict' ->> 'rule' AS rule,
    a.risk -> 'verdict' ->> 'because' AS because
FROM payments p JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
WHERE p.state = 'under_review' AND a.state IN ('paid', 'authorised')
ORDER BY p.created_at LIMIT $1
"""
"""Across merchants: the payments that wait for an operator, oldest first."""
INSERT_DECISION = """
INSERT INTO review_decisions (merchant_id, payment_id, event_no, decision, reason, decided_by, at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
SELECT_DECISIONS = """
SELECT event_no, decision, reason, decided_by, at FROM review_decisions
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no
"""


async def select_waiting(db: Database, limit: int) -> list[Record]:
    """Return the payments that wait for an operator, oldest first."""
    return await look(db, SELECT_WAITING, limit)


async def insert_decision(
    conn: Connection, payment: Payment, reviewed: Reviewed, now: datetime
) -> None:
    """Write a decision beside the event that it caused, which is the payment's newest."""
    values = reviewed.decision, reviewed.reason, reviewed.decided_by, now
    await conn.execute(
        INSERT_DECISION, payment.merchant_id, payment.payment_id, payment.revision, *values
    )


async def select_decisions(db: Database, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the decisions about a payment, oldest first."""
    return await db.fetch(SELECT_DECISIONS, merchant_id, payment_id)
