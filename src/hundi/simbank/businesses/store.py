"""All SQL about registered businesses: entries as they are answered."""

from collections.abc import Sequence
from typing import Any

import msgspec

from hundi.simbank.database import Books

_COUNT_BUSINESSES = "SELECT count(*) FROM registered_businesses"
_PUT_BUSINESSES = """
INSERT INTO registered_businesses (gstin, entry)
SELECT (each ->> 'gstin'), each FROM jsonb_array_elements($1::text::jsonb) AS each
ON CONFLICT (gstin) DO UPDATE SET entry = EXCLUDED.entry
"""
_FIND_BUSINESS = "SELECT entry::text FROM registered_businesses WHERE gstin = $1"
_LIST_BUSINESSES = """
SELECT entry::text FROM registered_businesses
WHERE $1 = '' OR entry::text ILIKE '%' || $1 || '%' ORDER BY gstin LIMIT $2
"""


async def count_businesses(db: Books) -> int:
    """Return how many businesses are registered."""
    return await db.fetchval(_COUNT_BUSINESSES)


async def put_businesses(db: Books, entries: Sequence[dict[str, Any]]) -> None:
    """Write businesses, in place of what was registered under their numbers."""
    await db.fetch(_PUT_BUSINESSES, msgspec.json.encode(entries).decode())


async def find_business(db: Books, gstin: str) -> dict[str, Any] | None:
    """Return a business, or None."""
    text = await db.fetchval(_FIND_BUSINESS, gstin)
    return msgspec.json.decode(text) if text else None


async def list_businesses(db: Books, words: str, limit: int) -> list[dict[str, Any]]:
    """Return businesses whose entry holds these words, by number."""
    return [msgspec.json.decode(row[0]) for row in await db.fetch(_LIST_BUSINESSES, words, limit)]
