"""All SQL about merchants."""

from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.infra.secrets.vault import Vault
from hundi.merchants.directory.keys.rules import KeyFormulas, MerchantKeys, StoredKeys
from hundi.merchants.directory.rules import Merchant, MerchantSettings, Mode

_SEAL_PURPOSE = "merchant-keys"

INSERT = """
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT (merchant_id) DO NOTHING
RETURNING merchant_id
"""
SELECT_ONE = """
SELECT merchant_id, mode, state, name, sealed_keys, settings, created_at FROM merchants
    WHERE merchant_id = $1
"""
SELECT_TERMS = "SELECT name, settings FROM merchants WHERE merchant_id = $1"
SELECT_ALL = """
SELECT merchant_id, mode, state, name, sealed_keys, settings, created_at FROM merchants
    ORDER BY merchant_id
"""
LOCK_ONE = """
SELECT merchant_id, mode, state, name, sealed_keys, settings, created_at
FROM merchants WHERE merchant_id = $1 FOR UPDATE
"""
SELECT_SEALED = """
(SELECT sealed_keys FROM merchants ORDER BY changed_at LIMIT 1) UNION ALL
(SELECT sealed_keys FROM merchants ORDER BY changed_at DESC LIMIT 1)
"""
"""Across merchants, once at start: the key-encryption keys must open these.

A rotation seals the newest last.
"""
UPDATE_KEYS = "UPDATE merchants SET sealed_keys = $2, changed_at = $3 WHERE merchant_id = $1"
UPDATE_SETTINGS = "UPDATE merchants SET settings = $2, changed_at = $3 WHERE merchant_id = $1"
UPDATE_BRAND = (
    "UPDATE merchants SET name = $2, settings = $3, changed_at = $4 WHERE merchant_id = $1"
)
UPDATE_STATE = (
    "UPDATE merchants SET state = $2, changed_at = $3 WHERE merchant_id = $1 RETURNING merchant_id"
)


SELECT_DIGESTS = """
SELECT encode(sha256(convert_to(concat_ws(chr(10), mode, state, name, settings::text), 'UTF8')),
    'hex') AS merchant,
        encode(sha256(convert_to(jsonb_build_array(encode(sealed_keys, 'hex'),
    extract(epoch FROM created_at), extract(epoch FROM changed_at))::text, 'UTF8')), 'hex') AS keys
FROM merchants WHERE merchant_id = $1
"""
"""Digests of a merchant's settings and rights, and of its sealed secrets."""


async def digests(source: Queries, merchant_id: int) -> dict[str, str]:
    """Return the SHA-256 digests (hex) of a merchant and its secrets, by the trail's names."""
    row = await source.fetchrow(SELECT_DIGESTS, merchant_id)
    return dict(row) if row else {}


def sealed(vault: Vault, merchant_id: int, keys: StoredKeys) -> bytes:
    """Return a merchant's secrets sealed for its row."""
    return vault.seal(msgspec.json.encode(keys), _SEAL_PURPOSE, merchant_id)


def stored_keys(vault: Vault, row: Record) -> StoredKeys:
    """Return the secrets of a merchants row, opened."""
    return msgspec.json.decode(
        vault.open(row["sealed_keys"], _SEAL_PURPOSE, row["merchant_id"]), type=StoredKeys
    )


def merchant_of(row: Record, vault: Vault, formulas: KeyFormulas) -> Merchant:
    """Return the merchant of a merchants row, secrets opened and derived keys computed."""
    stored = stored_keys(vault, row)
    encryption_key, privatekey = formulas(stored)

    def derived(secret: str) -> str:
        return formulas(msgspec.structs.replace(stored, secret=secret))[1] if secret else ""

    return Merchant(
        merchant_id=row["merchant_id"],
        mode=row["mode"],
        state=row["state"],
        name=row["name"],
        settings=msgspec.convert(row["settings"], MerchantSettings),
        keys=MerchantKeys(
            **msgspec.structs.asdict(stored),
            encryption_key=encryption_key,
            privatekey=privatekey,
            privatekey_before=derived(stored.secret_before),
            privatekeys_further=tuple(derived(each.secret) for each in stored.further),
        ),
        created_at=row["created_at"],
    )


async def insert(
    conn: Connection,
    merchant_id: int,
    mode: Mode,
    name: str,
    sealed_keys: bytes,
    settings: MerchantSettings,
    now: datetime,
) -> bool:
    """Write a new merchant; False when the id is taken."""
    values = msgspec.to_builtins(settings)
    return (
        await conn.fetchval(INSERT, merchant_id, mode, name, sealed_keys, values, now) is not None
    )


async def select(source: Connection | Database, merchant_id: int) -> Record | None:
    """Return one merchants row."""
    return await source.fetchrow(SELECT_ONE, merchant_id)


async def select_terms(
    source: Connection | Database, merchant_id: int
) -> tuple[str, MerchantSettings] | None:
    """Return a merchant's name and settings as they are now, without its keys."""
    row = await source.fetchrow(SELECT_TERMS, merchant_id)
    return (row["name"], msgspec.convert(row["settings"], MerchantSettings)) if row else None


async def select_all(db: Database) -> list[Record]:
    """Return all merchants rows, by id. Raises NodeLostError where some cannot be reached."""
    return await db.fetch(SELECT_ALL)


async def select_reachable(db: Database) -> list[Record]:
    """Return the reachable merchants rows, by id."""
    return await look(db, SELECT_ALL)


async def lock(conn: Connection, merchant_id: int) -> Record | None:
    """Return one merchants row, locked until the transaction ends."""
    return await conn.fetchrow(LOCK_ONE, merchant_id)


async def sealed_samples(db: Database) -> list[bytes]:
    """Return sealed secrets of the first and the last changed of the reachable merchants."""
    return [row["sealed_keys"] for row in await look(db, SELECT_SEALED)]


async def update_keys(
    conn: Connection, merchant_id: int, sealed_keys: bytes, now: datetime
) -> None:
    """Replace the sealed secrets."""
    await conn.execute(UPDATE_KEYS, merchant_id, sealed_keys, now)


async def update_settings(
    conn: Connection, merchant_id: int, settings: MerchantSettings, now: datetime
) -> None:
    """Replace the settings."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    await conn.execute(UPDATE_SETTINGS, merchant_id, values, now)


async def update_brand(
    conn: Connection, merchant_id: int, name: str, settings: MerchantSettings, now: datetime
) -> None:
    """Replace the name and the settings."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    await conn.execute(UPDATE_BRAND, merchant_id, name, values, now)


async def update_state(conn: Connection, merchant_id: int, state: str, now: datetime) -> bool:
    """Set active or suspended; False when there is no such merchant."""
    return await conn.fetchval(UPDATE_STATE, merchant_id, state, now) is not None
