"""SQL of acquirers' words, which are written once, and of their number series."""

from collections.abc import Mapping

from hundi.infra.postgres.database import Connection, Queries

INSERT = """
INSERT INTO acquirer_words (merchant_id, reference, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (merchant_id, reference, name) DO NOTHING
"""
TAKE = """
INSERT INTO acquirer_numbers (series, last_number) VALUES ($1, $2)
ON CONFLICT (series) DO UPDATE SET last_number = acquirer_numbers.last_number + $2
    RETURNING last_number - $2 + 1 AS first
"""
SELECT = "SELECT name, value FROM acquirer_words WHERE merchant_id = $1 AND reference = $2"


async def insert(
    conn: Connection, merchant_id: int, reference: str, words: Mapping[str, str]
) -> None:
    """Write the words that are not there yet, all of them or none: they belong together.

    In one order: two processes that write the same words wait for each other in no circle.
    """
    rows = [(merchant_id, reference, name, value) for name, value in sorted(words.items())]
    await conn.executemany(INSERT, rows)


async def select(db: Queries, merchant_id: int, reference: str) -> dict[str, str]:
    """Return the words about a reference."""
    return {row["name"]: row["value"] for row in await db.fetch(SELECT, merchant_id, reference)}


async def take(db: Queries, series: str, count: int) -> int:
    """Advance a series by some numbers, and return the first of them."""
    rows = await db.fetch(TAKE, series, count)
    return int(rows[0]["first"])
