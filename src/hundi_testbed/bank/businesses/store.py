"""All SQL about registered businesses, stored as their answers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from hundi_testbed.bank.database import BankDatabase

Change: TypeAlias = Callable[[dict[str, Any]], dict[str, Any] | str]
"""Returns the changed entry, or the reason against the change."""

_COUNT_BUSINESSES = "SELECT count(*) FROM registered_businesses"
_PUT_BUSINESSES = """
INSERT INTO registered_businesses (gstin, entry)
SELECT (each ->> 'gstin'), each FROM jsonb_array_elements($1::text::jsonb) AS each
ON CONFLICT (gstin) DO UPDATE SET entry = EXCLUDED.entry
"""
_FIND_BUSINESS = "SELECT entry::text FROM registered_businesses WHERE gstin = $1"
_FIND_AND_LOCK = "SELECT entry::text FROM registered_businesses WHERE gstin = $1 FOR UPDATE"
_REPLACE = "UPDATE registered_businesses SET entry = $2::text::jsonb WHERE gstin = $1"
_LIST_BUSINESSES = """
SELECT entry::text FROM registered_businesses
WHERE $1 = '' OR EXISTS (
    SELECT FROM jsonb_path_query(entry, 'strict $.** ? (@.type() == "string")') AS value
    WHERE strpos(lower(value #>> '{}'), lower($1)) > 0)
ORDER BY gstin LIMIT $2
"""


async def count_businesses(db: BankDatabase) -> int:
    """Return how many businesses are registered."""
    return await db.fetchval(_COUNT_BUSINESSES)


async def put_businesses(db: BankDatabase, entries: Sequence[dict[str, Any]]) -> None:
    """Write businesses, replacing those with the same numbers."""
    await db.fetch(_PUT_BUSINESSES, msgspec.json.encode(entries).decode())


async def find_business(db: BankDatabase, gstin: str) -> dict[str, Any] | None:
    """Return a business, or None."""
    text = await db.fetchval(_FIND_BUSINESS, gstin)
    return msgspec.json.decode(text) if text else None


async def list_businesses(db: BankDatabase, words: str, limit: int) -> list[dict[str, Any]]:
    """Return businesses with these words in one of their values, ordered by GSTIN."""
    return [msgspec.json.decode(row[0]) for row in await db.fetch(_LIST_BUSINESSES, words, limit)]


async def change_business(
    db: BankDatabase, gstin: str, change: Change
) -> dict[str, Any] | str | None:
    """Apply `change` to a business; return the entry, a reason against it, or None.

    Of two concurrent changes, the second starts from the result of the first.
    """
    async with db.transaction() as connection:
        text = await connection.fetchval(_FIND_AND_LOCK, gstin)
        changed = change(msgspec.json.decode(text)) if text else None
        if isinstance(changed, dict):
            await connection.execute(_REPLACE, gstin, msgspec.json.encode(changed).decode())
    return changed
