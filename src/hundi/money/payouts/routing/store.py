"""All SQL of plans of payouts."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Queries

SELECT_LIVE = """
SELECT version, document, published_by, published_at FROM payout_plans ORDER BY version DESC
    LIMIT 1
"""
SELECT_VERSION = (
    "SELECT version, document, published_by, published_at FROM payout_plans WHERE version = $1"
)
SELECT_HEADS = """
SELECT version, length(document) AS characters, published_by, published_at FROM payout_plans
ORDER BY version DESC LIMIT $1
"""
LOCK_PLANS = "SELECT pg_advisory_xact_lock(7125530420)"
"""Serialises publications: each publisher sees the plan in force."""
INSERT_PLAN = (
    "INSERT INTO payout_plans (version, document, published_by, published_at) VALUES "
    "($1, $2, $3, $4)"
)

SELECT_PAST = """
SELECT payout_id, amount_paise, sent_at, coalesce(nullif(sent_by, ''), connector) AS provider,
    coalesce(nullif(sent_rail, ''), rail) AS rail
FROM payouts
WHERE merchant_id = $1 AND payout_id > $2 AND channel = 'api' AND sent_at IS NOT NULL
ORDER BY payout_id LIMIT $3
"""
"""What left through a provider; a file of the bank is no provider's."""


async def select_live(db: Queries) -> Record | None:
    """Return the newest plan, None where there is none."""
    return await db.fetchrow(SELECT_LIVE)


async def select_version(db: Queries, version: int) -> Record | None:
    """Return one version of the plan."""
    return await db.fetchrow(SELECT_VERSION, version)


async def select_heads(db: Queries, limit: int) -> list[Record]:
    """Return the plan's versions, newest first."""
    return await db.fetch(SELECT_HEADS, limit)


async def lock_live(conn: Connection) -> Record | None:
    """Return the newest plan, locked against another publication until the transaction ends."""
    await conn.execute(LOCK_PLANS)
    return await select_live(conn)


async def insert(conn: Connection, version: int, document: str, by: str, now: datetime) -> None:
    """Write a version of the plan."""
    await conn.execute(INSERT_PLAN, version, document, by, now)


async def select_past(db: Queries, merchant_id: int, after: int, limit: int) -> list[Record]:
    """Return a merchant's payouts that were sent to a provider, by their ids after one."""
    return await db.fetch(SELECT_PAST, merchant_id, after, limit)
