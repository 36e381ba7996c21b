"""SQL of acquirers' words, which are written once, and of their number series."""

from collections.abc import Mapping

from hundi.infra.postgres.database import Queries

INSERT = """
INSERT INTO acquirer_words (merchant_id, reference, name, value)
SELECT $1, $2, words.name, words.value FROM unnest($3::text[], $4::text[]) AS words (name, value)
ON CONFLICT (merchant_id, reference, name) DO NOTHING
"""
TAKE = """
INSERT INTO acquirer_numbers (series, last_number) VALUES ($1, $2)
ON CONFLICT (series) DO UPDATE SET last_number = acquirer_numbers.last_number + $2
    RETURNING last_number - $2 + 1 AS first
"""
SELECT = "SELECT name, value FROM acquirer_words WHERE merchant_id = $1 AND reference = $2"


async def insert(db: Queries, merchant_id: int, reference: str, words: Mapping[str, str]) -> None:
    """Write the words that are not there yet, all of them or none: they belong together."""
    await db.execute(INSERT, merchant_id, reference, list(words), list(words.values()))


async def select(db: Queries, merchant_id: int, reference: str) -> dict[str, str]:
    """Return the words about a reference."""
    return {row["name"]: row["value"] for row in await db.fetch(SELECT, merchant_id, reference)}


async def take(db: Queries, series: str, count: int) -> int:
    """Advance a series by some numbers, and return the first of them."""
    rows = await db.fetch(TAKE, series, count)
    return int(rows[0]["first"])
