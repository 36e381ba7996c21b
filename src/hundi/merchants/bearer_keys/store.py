"""All SQL about bearer keys."""

from datetime import datetime

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Queries
from hundi.merchants.bearer_keys.rules import BearerKey
from hundi.merchants.directory.api_keys.rules import KeyScope

INSERT = """
INSERT INTO bearer_keys (merchant_id, name, digest, scopes, refund_paise, made_by, made_at,
    expires_at, proof)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
SELECT_BY_DIGEST = """
SELECT merchant_id, name, digest, scopes, refund_paise, made_by, made_at, expires_at, ended_at,
    used_at, proof
FROM bearer_keys WHERE merchant_id = $1 AND digest = $2
"""
SELECT_OF_MERCHANT = """
SELECT merchant_id, name, digest, scopes, refund_paise, made_by, made_at, expires_at, ended_at,
    used_at, proof
FROM bearer_keys WHERE merchant_id = $1 ORDER BY made_at DESC, name
"""
UPDATE_ENDED = """
UPDATE bearer_keys SET ended_at = $3 WHERE merchant_id = $1 AND name = $2 AND ended_at IS NULL
RETURNING name
"""
UPDATE_USED = """
UPDATE bearer_keys SET used_at = $3
WHERE merchant_id = $1 AND digest = $2 AND ended_at IS NULL
    AND (used_at IS NULL OR used_at < $3)
"""


async def insert(conn: Connection, key: BearerKey) -> None:
    """Write a new key."""
    await conn.execute(
        INSERT,
        key.merchant_id,
        key.name,
        key.digest,
        list(key.scopes),
        key.refund_paise,
        key.made_by,
        key.made_at,
        key.expires_at,
        key.proof,
    )


async def by_digest(source: Queries, merchant_id: int, digest: bytes) -> BearerKey | None:
    """Return a merchant's key by the SHA-256 of its text."""
    row = await source.fetchrow(SELECT_BY_DIGEST, merchant_id, digest)
    return _key_of(row) if row else None


async def of_merchant(source: Queries, merchant_id: int) -> list[BearerKey]:
    """Return a merchant's keys, newest first, ended ones included."""
    return [_key_of(row) for row in await source.fetch(SELECT_OF_MERCHANT, merchant_id)]


async def end(conn: Connection, merchant_id: int, name: str, now: datetime) -> bool:
    """End a key; False when no key of this name counts."""
    return await conn.fetchval(UPDATE_ENDED, merchant_id, name, now) is not None


async def note_use(source: Queries, merchant_id: int, digest: bytes, now: datetime) -> None:
    """Write when a key was last used."""
    await source.execute(UPDATE_USED, merchant_id, digest, now)


def _key_of(row: Record) -> BearerKey:
    scopes = tuple(KeyScope(scope) for scope in row["scopes"])
    return msgspec.structs.replace(BearerKey(**row), scopes=scopes)
