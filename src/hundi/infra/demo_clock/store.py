"""All SQL of a demo's clock: how far it is ahead, and whether any work is due by it."""

from datetime import datetime, timedelta

from hundi.infra.postgres.database import Database

READ = "SELECT ahead FROM demo_clock"
MOVE = """
INSERT INTO demo_clock (ahead) VALUES ($1)
ON CONFLICT (only_one) DO UPDATE SET ahead = greatest(demo_clock.ahead, excluded.ahead)
RETURNING ahead
"""
COUNT_DUE = """
SELECT (SELECT count(*) FROM subscriptions WHERE due_at > $2 AND (due_at <= $1 OR due_at > $3
    AND due_at <= $4))
    + (SELECT count(*) FROM subscriptions WHERE ask_at > $2 AND (ask_at <= $1 OR ask_at > $3
        AND ask_at <= $4))
    + (SELECT count(*) FROM subscription_debits WHERE due_at > $2 AND (due_at <= $1 OR due_at > $3
        AND due_at <= $4))
    + (SELECT count(*) FROM dispute_stages WHERE due_at > $2 AND due_at <= $1) AS in_order,
    (SELECT count(*) FROM refunds WHERE due_at > $2 AND due_at <= $1)
    + (SELECT count(*) FROM payouts WHERE due_at > $2 AND due_at <= $1)
    + (SELECT count(*) FROM attempts WHERE inquire_at > $2 AND inquire_at <= $1)
    + (SELECT count(*) FROM deliveries d
        WHERE (state = 'sending' OR (state = 'waiting' AND due_at > $2 AND due_at <= $1))
        AND NOT EXISTS (SELECT FROM failing_endpoints f
            WHERE f.merchant_id = d.merchant_id)) AS besides
"""
"""Across merchants: work due after $2, and subscriptions whose lease ends between $3 and $4.

First the work that the clock must not pass, then the rest. Deliveries to a failing endpoint are due
until its probe.
"""
COUNT_EVENTS = "SELECT count(*) FROM payment_events WHERE at >= $1"


async def read(db: Database) -> timedelta:
    """Return how far the clock is ahead."""
    return await db.fetchval(READ) or timedelta()


async def move(db: Database, ahead: timedelta) -> timedelta:
    """Set how far the clock is ahead, never back; return the new value."""
    return await db.fetchval(MOVE, ahead)


async def count_due(
    db: Database, now: datetime, since: datetime, leases: tuple[datetime, datetime]
) -> tuple[int, int]:
    """Return how much work is due or claimed: what the clock must not pass, and the rest.

    since: earlier due work is left out. leases: rows due between these moments count as claimed.
    """
    row = await db.fetchrow(COUNT_DUE, now, since, *leases)
    return (row["in_order"], row["besides"]) if row else (0, 0)


async def count_events(db: Database, since: datetime) -> int:
    """Return the number of payment events since a moment."""
    return await db.fetchval(COUNT_EVENTS, since)
