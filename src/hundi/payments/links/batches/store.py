"""All SQL about files of payment links."""

from collections.abc import Sequence
from dataclasses import dataclass

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.payments.links.batches.rules import LinkBatch
from hundi.payments.links.rules import Link
from hundi.payments.links.store import LINK

BATCH = Table(LinkBatch, {})
_BATCHES = f"SELECT {BATCH.listed()} FROM payment_link_batches"
INSERT = f"""
INSERT INTO payment_link_batches ({BATCH.listed()}) VALUES ({BATCH.numbered(1)})
ON CONFLICT (merchant_id, reference) DO NOTHING RETURNING batch_id
"""
INSERT_LINE = """
INSERT INTO payment_link_batch_lines (merchant_id, batch_id, line_no, link_id, is_new)
VALUES ($1, $2, $3, $4, $5)
"""
SELECT_ONE = _BATCHES + " WHERE merchant_id = $1 AND batch_id = $2"
SELECT_BY_REFERENCE = _BATCHES + " WHERE merchant_id = $1 AND reference = $2"
SELECT_LIST = _BATCHES + " WHERE merchant_id = $1 ORDER BY batch_id DESC LIMIT $2"
SELECT_LINES = f"""
SELECT b.line_no, b.is_new, {LINK.listed("l")} FROM payment_link_batch_lines b
JOIN payment_links l ON l.merchant_id = $1 AND l.link_id = b.link_id
WHERE b.merchant_id = $1 AND b.batch_id = $2 ORDER BY b.line_no
"""
SELECT_STANDING = f"""
SELECT {LINK.listed()} FROM payment_links WHERE merchant_id = $1 AND reference = ANY ($2::text[])
"""


@dataclass(frozen=True, slots=True)
class BatchedLink:
    """A link of a file. line: of the file. is_new: whether this file made it."""

    line: int
    is_new: bool
    link: Link


async def insert(conn: Connection, batch: LinkBatch) -> bool:
    """Write a file's row; False where its form has made it before."""
    return await conn.fetchval(INSERT, *BATCH.values(batch)) is not None


async def insert_lines(conn: Connection, batch: LinkBatch, lines: Sequence[BatchedLink]) -> None:
    """Write which links a file names."""
    rows = [
        (batch.merchant_id, batch.batch_id, line.line, line.link.link_id, line.is_new)
        for line in lines
    ]
    await conn.executemany(INSERT_LINE, rows)


async def select(db: Queries, merchant_id: int, batch_id: int) -> LinkBatch | None:
    """Return one file's row."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, batch_id)
    return BATCH.read(row) if row else None


async def by_reference(db: Queries, merchant_id: int, reference: str) -> LinkBatch | None:
    """Return the file's row that a form has made."""
    row = await db.fetchrow(SELECT_BY_REFERENCE, merchant_id, reference)
    return BATCH.read(row) if row else None


async def select_list(db: Database, merchant_id: int, limit: int) -> list[LinkBatch]:
    """Return a merchant's newest files."""
    return [BATCH.read(row) for row in await db.fetch(SELECT_LIST, merchant_id, limit)]


async def lines(db: Queries, merchant_id: int, batch_id: int) -> list[BatchedLink]:
    """Return a file's links, in the order of its lines."""
    rows = await db.fetch(SELECT_LINES, merchant_id, batch_id)
    return [BatchedLink(row["line_no"], row["is_new"], LINK.read(row, 2)) for row in rows]


async def standing(db: Queries, merchant_id: int, references: Sequence[str]) -> list[Link]:
    """Return the links that are there under some references."""
    rows = await db.fetch(SELECT_STANDING, merchant_id, references)
    return [LINK.read(row) for row in rows]
