"""All SQL about pairs of a live merchant and its sandbox."""

from datetime import datetime

from hundi.infra.postgres.database import Connection, Queries

SELECT_TWIN = "SELECT twin_id FROM merchant_twins WHERE merchant_id = $1"
INSERT = """
INSERT INTO merchant_twins (merchant_id, twin_id, paired_at) VALUES ($1, $2, $3)
ON CONFLICT (merchant_id) DO NOTHING RETURNING merchant_id
"""
DELETE = "DELETE FROM merchant_twins WHERE merchant_id = $1 RETURNING twin_id"


async def twin_of(source: Queries, merchant_id: int) -> int | None:
    """Return the sandbox of a live merchant, or the live merchant of a sandbox."""
    return await source.fetchval(SELECT_TWIN, merchant_id)


async def insert(conn: Connection, merchant_id: int, twin_id: int, now: datetime) -> bool:
    """Write one side of a pair; return False if the merchant has one."""
    return await conn.fetchval(INSERT, merchant_id, twin_id, now) is not None


async def delete(conn: Connection, merchant_id: int) -> int | None:
    """Delete one side of a pair; return the other merchant."""
    return await conn.fetchval(DELETE, merchant_id)
