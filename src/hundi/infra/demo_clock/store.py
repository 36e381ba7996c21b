"""All SQL of a demo's clock: how far it is ahead, and whether anything is due by it."""

from datetime import datetime, timedelta

from hundi.infra.postgres.database import Database

READ = "SELECT ahead FROM demo_clock"
MOVE = """
INSERT INTO demo_clock (ahead) VALUES ($1)
ON CONFLICT (only_one) DO UPDATE SET ahead = greatest(demo_clock.ahead, excluded.ahead)
RETURNING ahead
"""
COUNT_DUE = """
SELECT (SELECT count(*) FROM subscriptions WHERE due_at <= $2)
    + (SELECT count(*) FROM subscription_debits WHERE due_at <= $2)
    + (SELECT count(*) FROM refunds WHERE due_at <= $1)
    + (SELECT count(*) FROM payouts WHERE due_at <= $1)
    + (SELECT count(*) FROM dispute_stages WHERE due_at <= $1)
    + (SELECT count(*) FROM attempts WHERE inquire_at <= $1)
    + (SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending') AND due_at <= $1)
"""
"""Across merchants: what is due, and ($2) what a worker has claimed of subscriptions, whose lease ends by then."""
COUNT_EVENTS = "SELECT count(*) FROM payment_events WHERE at >= $1"


async def read(db: Database) -> timedelta:
    """Return how far the clock is ahead."""
    return await db.fetchval(READ) or timedelta()


async def move(db: Database, ahead: timedelta) -> timedelta:
    """Set how far the clock is ahead, never back; return it."""
    return await db.fetchval(MOVE, ahead)


async def count_due(db: Database, now: datetime, lease_until: datetime) -> int:
    """Return how much is due, or being worked on."""
    return await db.fetchval(COUNT_DUE, now, lease_until)


async def count_events(db: Database, since: datetime) -> int:
    """Return how many events of payments there were since a moment."""
    return await db.fetchval(COUNT_EVENTS, since)
