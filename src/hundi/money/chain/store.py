"""All SQL of the chain's blocks; the texts of their rows are in `rows`."""

from collections.abc import Mapping

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.postgres.looks import look
from hundi.money.chain.rows.store import OF_EVENTS, OF_POSTINGS, OF_SETTLEMENTS
from hundi.money.chain.rules import BlockLimits, Book, Head

ROWS_MAX = 5_000
"""The most events or postings in one block; the rows they made final add further links."""
WHOLE_BOOK_S_MAX = 200
"""Seconds for the block that looks through a whole book, after a restore into another cluster."""
_ROOM = f"SET LOCAL statement_timeout = '{WHOLE_BOOK_S_MAX}s'"

# A block's hash covers its own columns and the block before, a line each, and its links in order.
_SEAL = """
WITH taken AS MATERIALIZED (
    SELECT * FROM {table} AS newer
    WHERE merchant_id = $1 AND (xact, {key}) > ($2::text::xid8, $3)
        AND ($4::text IS NULL OR xact < $4::text::xid8)
        -- In another cluster what has its link is passed by: to hash all of it takes too long.
        AND ($4 IS NOT NULL OR NOT EXISTS (SELECT FROM chain_links l WHERE l.merchant_id = $1
            AND l.book = '{book}' AND l.id = newer.{key} AND l.part = {part}))
    ORDER BY xact, {key} FETCH FIRST $5 ROWS WITH TIES
),
linked AS (
    INSERT INTO chain_links (merchant_id, book, id, part, block_no, digest)
    SELECT $1, '{book}', id, part, $6, sha256(convert_to(said, 'UTF8')) FROM ({rows}) AS final
    ON CONFLICT DO NOTHING RETURNING id, part, digest
),
block AS (
    SELECT count(*)::int AS links,
    sha256(coalesce(string_agg(digest, '' ORDER BY id, part COLLATE "C"), '')) AS digests
    FROM linked
),
newest AS (
    SELECT xact, {key} FROM taken ORDER BY xact DESC, {key} DESC LIMIT 1
),
upto AS (
    SELECT coalesce($7::text, (SELECT xact FROM newest)::text) AS xact,
        CASE WHEN $7 IS NULL THEN (SELECT {key} FROM newest) ELSE -1 END AS id
)
INSERT INTO chain_blocks (merchant_id, book, block_no, links, upto_xact, upto_id, cluster, day,
    hash, sealed_at)
SELECT $1, '{book}', $6, links, upto.xact::xid8, upto.id, $11, $8::date, sha256(convert_to(format(
    E'hundi block 1\\nmerchant=%s\\nbook={book}\\nblock=%s\\nlinks=%s\\n'
    'upto=%s %s of %s\\nday=%s\\nrows=%s\\nprevious=%s\\n',
    $1::bigint, $6::int, links, upto.xact, upto.id, $11::text, $8::date,
    encode(digests, 'hex'), encode($9::bytea, 'hex')), 'UTF8')), $10
FROM block, upto WHERE upto.xact IS NOT NULL
RETURNING links
"""
SEALS: Mapping[Book, str] = {
    book: _SEAL.format(book=book, table=table, key=key, part=part, rows=rows)
    for book, table, key, part, rows in (
        (Book.EVENTS, "payment_events", "payment_id", "'event ' || newer.event_no", OF_EVENTS),
        (Book.POSTINGS, "ledger_postings", "cause_id", "newer.kind", OF_POSTINGS),
        (Book.SETTLEMENTS, "settlements", "settlement_id", "'settlement'", OF_SETTLEMENTS),
    )
}
"""For each book the statement that seals its next rows in one block."""

# One index step for each merchant, however many events it has. Nothing is posted for a payment
# without events; a merchant whose events are all archived still has its blocks.
_NEXT_MERCHANT = """
SELECT min(merchant_id) FROM (
    (SELECT merchant_id FROM payment_events WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1)
    UNION ALL (SELECT merchant_id FROM chain_blocks WHERE merchant_id > $1 ORDER BY merchant_id
        LIMIT 1)
) AS next
"""
_HORIZON = "pg_snapshot_xmin(pg_current_snapshot())::text"
# The table of blocks says which node this is, and whether the merchant has been elsewhere since.
HEAD = f"""
SELECT block_no, hash, upto_xact::text, upto_id, cluster, {_HORIZON},
    CASE WHEN is_home(cluster, tableoid) THEN cluster ELSE this_home(tableoid) END
FROM chain_blocks WHERE merchant_id = $1 AND book = $2 ORDER BY block_no DESC LIMIT 1
"""
# The first block of a book names no table: if a merchant may move, the second block reads the whole
# book again.
NO_HEAD = f"SELECT {_HORIZON}, this_cluster() FROM payment_events WHERE merchant_id = $1 LIMIT 1"
"""Run on the merchant's node, which counts its transactions."""


async def next_merchant(db: Database, after: int, *, whole: bool = False) -> int | None:
    """Return the next merchant that has events, or None.

    whole: raise NodeLostError if a node is lost; otherwise its merchants are left out.
    """
    rows = await db.fetch(_NEXT_MERCHANT, after) if whole else await look(db, _NEXT_MERCHANT, after)
    return rows[0][0]


async def head(db: Database, merchant_id: int, book: Book) -> Head:
    """Return the newest block of a merchant's book."""
    row = await db.fetchrow(HEAD, merchant_id, book)
    if row is None:
        row = await db.fetchrow(NO_HEAD, merchant_id)
        return Head(horizon=row[0], cluster=row[1], in_cluster=row[1]) if row else Head()
    return Head(*row)


async def seal(
    conn: Connection, merchant_id: int, book: Book, head: Head, limits: BlockLimits
) -> int | None:
    """Seal the rows after the newest block in another one; return its number of links, or None.

    None means that there are no new rows. After a restore into another cluster the whole book is
    searched for rows without a link. Raises asyncpg.UniqueViolationError if another worker was
    first.
    """
    block_no = head.block_no + 1
    if head.is_foreign:
        await conn.execute(_ROOM)
        marks = ("0", -1, None, 2**31 - 1, block_no, head.horizon)
    else:
        marks = (head.upto_xact, head.upto_id, head.horizon, limits.rows_max, block_no, None)
    values = (*marks, limits.day, head.hash, limits.now, head.in_cluster)
    return await conn.fetchval(SEALS[book], merchant_id, *values, timeout=WHOLE_BOOK_S_MAX)
