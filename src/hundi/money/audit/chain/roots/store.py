"""All SQL of the audit of signed roots."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

from hundi.infra.postgres.database import Connection
from hundi.money.audit.chain.rules import DayHead, StoredRoot

STATEMENT_S_MAX = 600
_ROWS_AT_ONCE = 5_000
_ROOTS = "SELECT day, root, heads, signature, certificate FROM chain_roots ORDER BY day"
_HEADS_BY_DAY = """
SELECT DISTINCT ON (day, merchant_id, book) day, merchant_id, book, block_no, hash FROM chain_blocks
ORDER BY day, merchant_id, book, block_no DESC
"""
# $1: a day with a root. $2, $3: each merchant and book. An index has a book's newest blocks first,
# so this reads only the blocks after that day, and one of each book before.
_HEADS_SINCE = """
WITH newest AS MATERIALIZED (
    SELECT k.merchant_id, k.book, coalesce(b.block_no, 0) AS block_no, b.hash
    FROM unnest($2::bigint[], $3::text[]) AS k (merchant_id, book) LEFT JOIN LATERAL (
        SELECT block_no, hash FROM chain_blocks b WHERE b.merchant_id = k.merchant_id
            AND b.book = k.book AND b.day <= $1::date ORDER BY block_no DESC LIMIT 1
    ) AS b ON true
)
SELECT $1::date AS day, merchant_id, book, block_no, hash FROM newest WHERE hash IS NOT NULL
UNION ALL SELECT * FROM (
    SELECT DISTINCT ON (day, merchant_id, book) b.day, b.merchant_id, b.book, b.block_no, b.hash
    FROM newest n CROSS JOIN LATERAL (SELECT * FROM chain_blocks b
        WHERE b.merchant_id = n.merchant_id AND b.book = n.book AND b.block_no > n.block_no
            AND b.day > $1::date OFFSET 0) AS b
    ORDER BY day, merchant_id, book, block_no DESC
) AS later
ORDER BY day, merchant_id, book
"""


async def roots(conn: Connection) -> list[StoredRoot]:
    """Return every root, oldest first."""
    return [StoredRoot(*row) for row in await conn.fetch(_ROOTS, timeout=STATEMENT_S_MAX)]


async def heads_by_day(conn: Connection) -> AsyncIterator[DayHead]:
    """Yield the newest block of each book at the end of each sealed day, in the order of days."""
    cursor = await conn.cursor(_HEADS_BY_DAY, timeout=STATEMENT_S_MAX)
    while rows := await cursor.fetch(_ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        for row in rows:
            yield DayHead(*row)


async def heads_since(
    conn: Connection, day: date, books: tuple[Sequence[object], Sequence[object]]
) -> AsyncIterator[DayHead]:
    """Yield the same of a day with a root and of each day after it.

    books: merchants and names of books, side by side.
    """
    for row in await conn.fetch(_HEADS_SINCE, day, *books, timeout=STATEMENT_S_MAX):
        yield DayHead(*row)
