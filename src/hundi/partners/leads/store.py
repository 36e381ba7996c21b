"""All SQL about leads."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.partners.leads.rules import Content, Lead, LeadState

_SEAL_PURPOSE = "lead-content"
_COLUMNS = """affiliate, lead_id, state, sealed_content, notes,
    coalesce(became_merchant, 0) AS became_merchant, revision, created_at"""

INSERT = """
INSERT INTO leads (affiliate, lead_id, state, sealed_content, business_hash, content_hash, notes,
    created_at, changed_at)
VALUES ($1, $2, 'lead', $3, $4, $5, $6, $7, $7)
RETURNING revision, state
"""
UPDATE = """
UPDATE leads SET state = $4, sealed_content = $5, business_hash = $6, content_hash = $7, notes = $8,
    became_merchant = $9, changed_at = $10, revision = revision + 1
WHERE affiliate = $1 AND lead_id = $2 AND revision = $3
RETURNING revision, state
"""
INSERT_EVENT = """
INSERT INTO lead_events (affiliate, lead_id, event_no, at, kind, state, actor, words)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
LOCK = f"""
SELECT {_COLUMNS}, business_hash, content_hash FROM leads WHERE affiliate = $1 AND lead_id = $2
    FOR UPDATE
"""
OF_BUSINESS = """
SELECT lead_id, content_hash FROM leads
WHERE affiliate = $1 AND business_hash = ANY ($2::bytea[]) AND state <> 'rejected'
"""
SELECT_ONE = f"SELECT {_COLUMNS} FROM leads WHERE affiliate = $1 AND lead_id = $2"
SELECT_NEWEST = f"""
SELECT {_COLUMNS} FROM leads WHERE ($1 = '' OR affiliate = $1) AND ($2 = '' OR state = $2)
ORDER BY created_at DESC LIMIT $3
"""
SELECT_PAGE = f"""
SELECT {_COLUMNS} FROM leads WHERE ($1 = '' OR affiliate = $1) AND ($2 = '' OR state = $2)
    AND lead_id < $3
ORDER BY lead_id DESC LIMIT $4
"""
EVENTS = """
SELECT event_no, at, kind, state, actor, words FROM lead_events WHERE affiliate = $1
    AND lead_id = $2 ORDER BY event_no
"""
SELECT_KEYS = "SELECT affiliate, lead_id FROM leads"
RESEAL = """
UPDATE leads SET sealed_content = $3, business_hash = $4, content_hash = $5 WHERE affiliate = $1
    AND lead_id = $2
"""


@dataclass(frozen=True, slots=True)
class KnownLead:
    """The lead that a partner already has of a business. content_hash: of the sent contents."""

    lead_id: int
    content_hash: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One event of a lead. actor: who did it. words: why, "" for none."""

    event_no: int
    at: datetime
    kind: str
    state: str
    actor: str
    words: str


def sealed(vault: Vault, affiliate: str, lead_id: int, content: Content) -> bytes:
    """Return a lead's content sealed for its row."""
    return vault.seal(msgspec.json.encode(content), _SEAL_PURPOSE, affiliate, lead_id)


def _lead(row: Record, vault: Vault) -> Lead:
    """Return the lead of a row, opened."""
    bound = _SEAL_PURPOSE, row["affiliate"], row["lead_id"]
    return Lead(
        affiliate=row["affiliate"],
        lead_id=row["lead_id"],
        state=LeadState(row["state"]),
        content=msgspec.json.decode(vault.open(row["sealed_content"], *bound), type=Content),
        notes=tuple(row["notes"]),
        became_merchant=row["became_merchant"],
        revision=row["revision"],
        created_at=row["created_at"],
    )


async def insert(conn: Connection, affiliate: str, lead_id: int, *values: Any) -> None:  # noqa: ANN401 (of INSERT)
    """Write a new lead with its first event; the last value is the time."""
    row = await conn.fetchrow(INSERT, affiliate, lead_id, *values)
    if row is not None:
        event = (row["revision"], values[-1], "created", row["state"], "partner", "")
        await conn.execute(INSERT_EVENT, affiliate, lead_id, *event)


async def update(conn: Connection, affiliate: str, lead_id: int, *values: Any) -> int | None:  # noqa: ANN401 (of UPDATE)
    """Write a lead's change and return its event's number; None when it was changed meanwhile.

    After the columns of UPDATE, of which the last is the time: the event's kind, its actor and its
    words.
    """
    *columns, kind, actor, words = values
    row = await conn.fetchrow(UPDATE, affiliate, lead_id, *columns)
    if row is None:
        return None
    event = (row["revision"], columns[-1], kind, row["state"], actor, words)
    await conn.execute(INSERT_EVENT, affiliate, lead_id, *event)
    return row["revision"]


async def lock(conn: Connection, vault: Vault, affiliate: str, lead_id: int) -> Lead | None:
    """Return a lead, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK, affiliate, lead_id)
    return _lead(row, vault) if row else None


async def lock_sealed_with_older(
    conn: Connection, vault: Vault, affiliate: str, lead_id: int
) -> Lead | None:
    """Return a lead that is not sealed with the newest key, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK, affiliate, lead_id)
    return (
        None
        if row is None or vault.is_sealed_with_newest(row["sealed_content"])
        else _lead(row, vault)
    )


async def of_business(
    conn: Connection, affiliate: str, hashes: tuple[bytes, ...]
) -> KnownLead | None:
    """Return the lead that a partner already has of a business."""
    row = await conn.fetchrow(OF_BUSINESS, affiliate, hashes)
    return KnownLead(**dict(row)) if row else None


async def select(db: Database, vault: Vault, affiliate: str, lead_id: int) -> Lead | None:
    """Return a lead, opened."""
    row = await db.fetchrow(SELECT_ONE, affiliate, lead_id)
    return _lead(row, vault) if row else None


async def newest(db: Database, vault: Vault, affiliate: str, state: str, limit: int) -> list[Lead]:
    """Return leads, newest first; "" for any affiliate or state."""
    return [_lead(row, vault) for row in await db.fetch(SELECT_NEWEST, affiliate, state, limit)]


async def page_of(
    db: Database, vault: Vault, affiliate: str, state: str, before: int, limit: int
) -> list[Lead]:
    """Return leads below a number, newest first; "" for any affiliate or state."""
    return [
        _lead(row, vault) for row in await db.fetch(SELECT_PAGE, affiliate, state, before, limit)
    ]


async def events(db: Database, affiliate: str, lead_id: int) -> list[RecordedEvent]:
    """Return all events of a lead, in order."""
    return [RecordedEvent(**dict(row)) for row in await db.fetch(EVENTS, affiliate, lead_id)]


async def all_keys(db: Database) -> list[tuple[str, int]]:
    """Return the affiliate code and id of every lead."""
    return [(row["affiliate"], row["lead_id"]) for row in await db.fetch(SELECT_KEYS)]


async def reseal(conn: Connection, *values: Any) -> None:  # noqa: ANN401 (the columns of RESEAL, in order)
    """Replace a locked lead's sealed content and search hashes."""
    await conn.execute(RESEAL, *values)
