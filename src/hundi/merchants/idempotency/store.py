"""All SQL about idempotency keys."""

from datetime import datetime

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.merchants.idempotency.rules import EarlierRequest, IdempotencyKey

INSERT = """
INSERT INTO idempotency_keys (merchant_id, idempotency_key, operation, content_hash, subject, at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (merchant_id, idempotency_key) DO NOTHING
RETURNING subject
"""
SELECT_ONE = """
SELECT operation, content_hash, subject FROM idempotency_keys
WHERE merchant_id = $1 AND idempotency_key = $2
"""
SWEEP = "DELETE FROM idempotency_keys WHERE at < $1"


async def insert(
    conn: Connection | Database, key: IdempotencyKey, subject: int, now: datetime
) -> bool:
    """Write a key with its effect; False when it stands there.

    It waits for another transaction that writes the same key.
    """
    values = key.merchant_id, key.key, key.operation, key.content_hash, subject, now
    return await conn.fetchval(INSERT, *values) is not None


async def select(source: Queries, key: IdempotencyKey) -> EarlierRequest | None:
    """Return the request that was done under a key."""
    row = await source.fetchrow(SELECT_ONE, key.merchant_id, key.key)
    return EarlierRequest(**row) if row else None


async def sweep(db: Database, before: datetime) -> None:
    """Delete keys from before a time."""
    await db.execute(SWEEP, before)
