"""All SQL about holders of identity numbers and their phones."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from hundi_testbed.bank.database import BankDatabase

_FIRST = "SELECT reference FROM registered_people ORDER BY holder_no LIMIT 1"
_PUT = """
INSERT INTO registered_people (reference, holder_no, entry)
SELECT reference, holder_no, entry FROM jsonb_to_recordset($1::text::jsonb)
    AS each (reference text, holder_no int, entry jsonb)
ON CONFLICT (holder_no) DO UPDATE SET reference = EXCLUDED.reference
"""
_FIND = "SELECT entry::text FROM registered_people WHERE reference = $1"
_LIST = """
SELECT holder_no, entry ->> 'name' AS name, entry ->> 'dob' AS dob, entry ->> 'state' AS state,
    entry ->> 'mobile' AS mobile
FROM registered_people
WHERE $1 = '' OR EXISTS (
    SELECT FROM jsonb_each_text(entry - 'photo') AS field WHERE strpos(lower(field.value),
        lower($1)) > 0)
ORDER BY holder_no LIMIT $2
"""
_CHANGE = """
UPDATE registered_people SET entry = entry || $2::text::jsonb WHERE holder_no = $1
    RETURNING entry::text
"""
_WRITE_MESSAGE = "INSERT INTO phone_messages (mobile, at, words) VALUES ($1, $2, $3)"
# The limit counts the messages of all phones together.
_SWEEP_MESSAGES = """
DELETE FROM phone_messages WHERE at < $1 OR id <= (SELECT max(id) FROM phone_messages) - $2
"""
_MESSAGES = """
SELECT mobile, at, words FROM phone_messages WHERE $1 = '' OR mobile = $1 ORDER BY id DESC LIMIT $2
"""


async def first_reference(db: BankDatabase) -> str:
    """Return the reference of the first holder, "" for an empty register."""
    return await db.fetchval(_FIRST) or ""


async def put(db: BankDatabase, entries: Sequence[dict[str, Any]]) -> None:
    """Write holders; existing ones keep their data and get the new reference."""
    await db.fetch(_PUT, msgspec.json.encode(entries).decode())


async def find(db: BankDatabase, reference: str) -> dict[str, Any] | None:
    """Return a holder."""
    text = await db.fetchval(_FIND, reference)
    return msgspec.json.decode(text) if text else None


async def listed(db: BankDatabase, words: str, limit: int) -> list[Record]:
    """Return holders with these words in one of their values."""
    return await db.fetch(_LIST, words, limit)


async def change(db: BankDatabase, holder_no: int, fields: dict[str, str]) -> dict[str, Any] | None:
    """Change fields of a holder and return the entry."""
    text = await db.fetchval(_CHANGE, holder_no, msgspec.json.encode(fields).decode())
    return msgspec.json.decode(text) if text else None


async def write_message(db: BankDatabase, mobile: str, words: str, now: datetime) -> None:
    """Write a message to a phone."""
    await db.fetch(_WRITE_MESSAGE, mobile, now, words)


async def messages(db: BankDatabase, mobile: str, limit: int) -> list[Record]:
    """Return a phone's messages, newest first; "" for every phone."""
    return await db.fetch(_MESSAGES, mobile, limit)


async def sweep_messages(db: BankDatabase, before: datetime, kept: int) -> None:
    """Delete older messages, and all but the newest `kept`."""
    await db.fetch(_SWEEP_MESSAGES, before, kept)
