"""All SQL about assistants' keys."""

from datetime import datetime

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Queries
from hundi.staff.assistant_keys.rules import AssistantKey

KEY = Table(AssistantKey, {"scopes": Field(tuple)})

INSERT = f"""
INSERT INTO assistant_keys ({KEY.listed()}) VALUES ({KEY.numbered(1)}) ON CONFLICT DO NOTHING
    RETURNING key_id
"""
SELECT_ONE = f"SELECT {KEY.listed()} FROM assistant_keys WHERE merchant_id = $1 AND key_id = $2"
SELECT_ALL = f"""
SELECT {KEY.listed()} FROM assistant_keys WHERE merchant_id = $1 ORDER BY key_id DESC LIMIT $2
"""
COUNT_GOOD = """
SELECT count(*) FROM assistant_keys WHERE merchant_id = $1 AND ended_at IS NULL AND ends_at > $2
"""
END = """
UPDATE assistant_keys SET ended_at = $3 WHERE merchant_id = $1 AND key_id = $2
    AND ended_at IS NULL
RETURNING key_id
"""


async def insert(conn: Connection, key: AssistantKey) -> bool:
    """Write a new key; return False if its number is taken."""
    return await conn.fetchval(INSERT, *KEY.values(key)) is not None


async def select(source: Queries, merchant_id: int, key_id: int) -> AssistantKey | None:
    """Return a key, without checking its mark."""
    row = await source.fetchrow(SELECT_ONE, merchant_id, key_id)
    return KEY.read(row) if row else None


async def select_all(source: Queries, merchant_id: int, limit: int) -> list[AssistantKey]:
    """Return a place's keys, newest first."""
    return [KEY.read(row) for row in await source.fetch(SELECT_ALL, merchant_id, limit)]


async def count_good(source: Queries, merchant_id: int, now: datetime) -> int:
    """Return how many keys of a place are good."""
    return await source.fetchval(COUNT_GOOD, merchant_id, now)


async def end(conn: Connection, merchant_id: int, key_id: int, now: datetime) -> bool:
    """Revoke a key; return False if there is none that could be."""
    return await conn.fetchval(END, merchant_id, key_id, now) is not None
