"""All SQL about partners, their calls, and their lookups."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.partners.directory.rules import Partner, PartnerKeys, PartnerSettings

_SEAL_PURPOSE = "partner-keys"

INSERT = """
INSERT INTO partners (affiliate, name, sealed_keys, card_token_hash, settings, created_at,
    changed_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT DO NOTHING
RETURNING affiliate
"""
SELECT_ONE = """
SELECT affiliate, state, name, sealed_keys, settings, created_at FROM partners WHERE affiliate = $1
"""
LOCK_ONE = """
SELECT affiliate, state, name, sealed_keys, settings, created_at FROM partners WHERE affiliate = $1
    FOR UPDATE
"""
SELECT_BY_CARD_TOKEN = """
SELECT affiliate FROM partners WHERE card_token_hash = $1 OR older_card_token_hash = $1
"""  # noqa: S105 (a statement)
SELECT_ALL = """
SELECT affiliate, state, name, sealed_keys, settings, created_at FROM partners ORDER BY affiliate
"""
UPDATE_KEYS = """
UPDATE partners SET sealed_keys = $2, card_token_hash = $3, older_card_token_hash = $4,
    changed_at = $5
WHERE affiliate = $1
"""
UPDATE_SETTINGS = "UPDATE partners SET settings = $2, changed_at = $3 WHERE affiliate = $1"
UPDATE_STATE = "UPDATE partners SET state = $2, changed_at = $3 WHERE affiliate = $1"
# Under the partner's lock, so that numbers follow each other.
NEXT_EVENT = "SELECT coalesce(max(event_no), 0) + 1 FROM partner_events WHERE affiliate = $1"
INSERT_EVENT = (
    "INSERT INTO partner_events (affiliate, event_no, at, kind, words) VALUES ($1, $2, $3, $4, $5)"
)
SELECT_EVENTS = """
SELECT at, kind, words FROM partner_events WHERE affiliate = $1 ORDER BY event_no DESC LIMIT $2
"""
INSERT_CALLS = """
INSERT INTO partner_calls (affiliate, reference, at, interface, code, detail, latency_ms, address)
SELECT affiliate, reference, at, interface, code, detail, latency_ms, address
    FROM jsonb_to_recordset($1::text::jsonb)
    AS told (affiliate text, reference text, at timestamptz, interface text, code text, detail text,
    latency_ms int, address text)
ON CONFLICT DO NOTHING
"""
SELECT_CALLS = """
SELECT reference, at, interface, code, detail, latency_ms, address FROM partner_calls
WHERE affiliate = $1 ORDER BY at DESC LIMIT $2
"""
COUNT_LOOKUP = """
INSERT INTO partner_lookups (affiliate, span, began_at, asked)
VALUES ($1, 'minute', $2, 1), ($1, 'day', $3, 1)
ON CONFLICT (affiliate, span, began_at) DO UPDATE SET asked = partner_lookups.asked + 1
RETURNING span, asked
"""
SWEEP_CALLS = "DELETE FROM partner_calls WHERE at < $1"
SWEEP_LOOKUPS = "DELETE FROM partner_lookups WHERE began_at < $1"
SELECT_DIGEST = """
SELECT encode(sha256(convert_to(jsonb_build_array(state, name, encode(sealed_keys, 'hex'),
    encode(card_token_hash, 'hex'), encode(older_card_token_hash, 'hex'), settings,
    extract(epoch FROM created_at), extract(epoch FROM changed_at))::text, 'UTF8')), 'hex')
FROM partners WHERE affiliate = $1
"""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One recorded call.

    detail: why it was refused, for the partner's developer; never the person or business it was
    about.
    """

    affiliate: str
    reference: str
    at: datetime
    interface: str
    code: str
    detail: str
    latency_ms: int
    address: str


def token_hash(token: str) -> bytes:
    """Return the stored hash by which a card token is found."""
    return sha256(b"card token " + token.encode()).digest()


def sealed(vault: Vault, affiliate: str, keys: PartnerKeys) -> bytes:
    """Return a partner's secrets sealed for its row."""
    return vault.seal(msgspec.json.encode(keys), _SEAL_PURPOSE, affiliate)


def keys_of(vault: Vault, row: Record) -> PartnerKeys:
    """Return the secrets of a partners row, opened."""
    return msgspec.json.decode(
        vault.open(row["sealed_keys"], _SEAL_PURPOSE, row["affiliate"]), type=PartnerKeys
    )


def partner_of(row: Record, vault: Vault) -> Partner:
    """Return the partner of a partners row, secrets opened."""
    return Partner(
        affiliate=row["affiliate"],
        state=row["state"],
        name=row["name"],
        settings=msgspec.convert(row["settings"], PartnerSettings),
        keys=keys_of(vault, row),
        created_at=row["created_at"],
    )


async def insert(
    conn: Connection,
    affiliate: str,
    name: str,
    sealed_keys: bytes,
    card_token_hash: bytes,
    settings: PartnerSettings,
    now: datetime,
) -> bool:
    """Write a new partner; False when code or token is taken."""
    values = msgspec.to_builtins(settings)
    return (
        await conn.fetchval(INSERT, affiliate, name, sealed_keys, card_token_hash, values, now)
        is not None
    )


async def select(db: Database, affiliate: str) -> Record | None:
    """Return one partners row."""
    return await db.fetchrow(SELECT_ONE, affiliate)


async def by_card_token(db: Database, digest: bytes) -> str | None:
    """Return the affiliate code of a card token's partner."""
    return await db.fetchval(SELECT_BY_CARD_TOKEN, digest)


async def select_all(db: Database) -> list[Record]:
    """Return all partners rows, by code."""
    return await db.fetch(SELECT_ALL)


async def digest(source: Queries, affiliate: str) -> str:
    """Return the SHA-256 of a partners row, in hexadecimal."""
    return await source.fetchval(SELECT_DIGEST, affiliate) or ""


async def lock(conn: Connection, affiliate: str) -> Record | None:
    """Return one partners row, locked until the transaction ends."""
    return await conn.fetchrow(LOCK_ONE, affiliate)


async def update_keys(
    conn: Connection, affiliate: str, vault: Vault, keys: PartnerKeys, now: datetime
) -> None:
    """Replace the sealed secrets."""
    older = keys.older.get("card_token")
    hashes = token_hash(keys.card_token), token_hash(older) if older else None
    await conn.execute(UPDATE_KEYS, affiliate, sealed(vault, affiliate, keys), *hashes, now)


async def update_settings(
    conn: Connection, affiliate: str, settings: PartnerSettings, now: datetime
) -> None:
    """Replace the settings."""
    values: dict[str, Any] = msgspec.to_builtins(settings)
    await conn.execute(UPDATE_SETTINGS, affiliate, values, now)


async def update_state(conn: Connection, affiliate: str, state: str, now: datetime) -> None:
    """Set active or suspended."""
    await conn.execute(UPDATE_STATE, affiliate, state, now)


async def insert_event(
    conn: Connection, affiliate: str, kind: str, words: str, now: datetime
) -> None:
    """Write an operator's act on a partner, which is locked or new."""
    event_no = await conn.fetchval(NEXT_EVENT, affiliate)
    await conn.execute(INSERT_EVENT, affiliate, event_no, now, kind, words)


async def events(db: Database, affiliate: str, limit: int) -> list[Record]:
    """Return an operator's acts on a partner, newest first."""
    return await db.fetch(SELECT_EVENTS, affiliate, limit)


async def insert_calls(db: Database, calls: Sequence[RecordedCall]) -> None:
    """Write calls, many in one statement."""
    # PostgreSQL's text holds no NUL and no lone surrogate; a refusal's detail should hold neither.
    texts = [each.detail.encode("utf-8", "replace").decode().replace("\0", "") for each in calls]
    clean = [replace(each, detail=text) for each, text in zip(calls, texts, strict=True)]
    # One JSON text instead of a list for each column, whose values the client library would convert
    # several times.
    await db.execute(INSERT_CALLS, msgspec.json.encode(clean).decode())


async def calls(db: Database, affiliate: str, limit: int) -> list[Record]:
    """Return a partner's latest calls, newest first."""
    return await db.fetch(SELECT_CALLS, affiliate, limit)


async def count_lookup(
    db: Database, affiliate: str, minute: datetime, day: datetime
) -> tuple[int, int]:
    """Count one more lookup and return how many there were in this minute and on this day."""
    counts = {
        row["span"]: row["asked"] for row in await db.fetch(COUNT_LOOKUP, affiliate, minute, day)
    }
    return counts["minute"], counts["day"]


async def sweep(db: Database, calls_before: datetime, lookups_before: datetime) -> None:
    """Delete calls and counts that are old enough."""
    await db.execute(SWEEP_CALLS, calls_before)
    await db.execute(SWEEP_LOOKUPS, lookups_before)
