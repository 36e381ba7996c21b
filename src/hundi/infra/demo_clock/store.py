"""All SQL of a demo's clock: how far it is ahead, and whether any work is due by it."""

from datetime import datetime, timedelta

from hundi.infra.demo_clock.rules import DueCounts, DueSpan
from hundi.infra.postgres.database import Database

READ = "SELECT ahead FROM demo_clock"
MOVE = """
INSERT INTO demo_clock (ahead) VALUES ($1)
ON CONFLICT (only_one) DO UPDATE SET ahead = greatest(demo_clock.ahead, excluded.ahead)
RETURNING ahead
"""
COUNT_DUE = """
SELECT count(*) FILTER (WHERE due_at <= $3) AS due, count(*) FILTER (WHERE due_at > $4) AS claimed,
    (SELECT count(*) FROM refunds WHERE due_at > $1 AND due_at <= $2)
    + (SELECT count(*) FROM payouts WHERE due_at > $1 AND due_at <= $2)
    + (SELECT count(*) FROM attempts WHERE inquire_at > $1 AND inquire_at <= $2)
    + (SELECT count(*) FROM deliveries d
        WHERE (state = 'sending' OR (state = 'waiting' AND due_at > $1 AND due_at <= $2))
        AND NOT EXISTS (SELECT FROM failing_endpoints f
            WHERE f.merchant_id = d.merchant_id)) AS besides
FROM (SELECT due_at FROM subscriptions WHERE due_at > $1 AND due_at <= $5
    UNION ALL SELECT ask_at FROM subscriptions WHERE ask_at > $1 AND ask_at <= $5
    UNION ALL SELECT due_at FROM subscription_debits WHERE due_at > $1 AND due_at <= $5
    UNION ALL SELECT due_at FROM dispute_stages WHERE due_at > $1 AND due_at <= $3) AS in_order
"""
"""Across merchants: work due after $1, which the clock must not pass, and other work.

The former is due until $3, or its lease ends between $4 and $5; the latter is due until $2.
Deliveries to a failing endpoint are due until its probe.
"""
COUNT_EVENTS = "SELECT count(*) FROM payment_events WHERE at >= $1"


async def read(db: Database) -> timedelta:
    """Return how far the clock is ahead."""
    return await db.fetchval(READ) or timedelta()


async def move(db: Database, ahead: timedelta) -> timedelta:
    """Set how far the clock is ahead, never back; return the new value."""
    return await db.fetchval(MOVE, ahead)


async def count_due(db: Database, span: DueSpan) -> DueCounts:
    """Return how much work is due or claimed."""
    row = await db.fetchrow(COUNT_DUE, span.since, span.moved_at, span.now, *span.lease_ends)
    return DueCounts(*row) if row else DueCounts(0, 0, 0)


async def count_events(db: Database, since: datetime) -> int:
    """Return the number of payment events since a moment."""
    return await db.fetchval(COUNT_EVENTS, since)
