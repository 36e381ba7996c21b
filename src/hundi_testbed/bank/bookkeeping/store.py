"""SQL of the bank's published books, and of its reference numbers."""

import asyncpg

from hundi_testbed.bank.database import BankDatabase

RRN_BLOCK = 1_000

_PLACES_LOCK = 7_160_002  # the same number as in schema.sql


async def take_rrn_block(db: BankDatabase) -> int:
    """Return the number of an unused block of RRN_BLOCK reference numbers."""
    return await db.fetchval("SELECT nextval('rrn_blocks')")


# A refund uses the rate of its charge's day, and so has its own sum in rupees. A payout has a UTR.
_ENTRIES = """
SELECT e.id, e.at, e.kind, e.method, e.reference, e.refund_reference, e.amount_paise, e.state,
    coalesce(x.utr, e.rrn) AS rrn, coalesce(p.currency, 'INR') AS currency,
    coalesce(p.at, e.at) AS charged_at, r.settled_paise
FROM entries e LEFT JOIN payments p ON p.reference = e.reference LEFT
    JOIN refunds r ON r.reference = e.refund_reference
    LEFT JOIN payouts x ON x.rrn = e.rrn AND e.kind = 'payout'
"""


async def read_books(db: BankDatabase, after: int, limit: int) -> list[asyncpg.Record]:
    """Return entries after a place in the books, in order; later ones always follow these."""
    query = f"{_ENTRIES} WHERE e.id > $1 ORDER BY e.id LIMIT $2"
    async with db.transaction() as connection:
        await connection.execute(f"SELECT pg_advisory_xact_lock({_PLACES_LOCK})")
        return await connection.fetch(query, after, limit)


async def latest_entries(db: BankDatabase, limit: int) -> list[asyncpg.Record]:
    """Return the newest entries, newest first, for people."""
    return await db.fetch(f"{_ENTRIES} ORDER BY e.id DESC LIMIT $1", limit)


async def find_receipt(db: BankDatabase, rrn: str) -> asyncpg.Record | None:
    """Return the entry of a reference number, with the bank's last answer about its payment."""
    query = (
        "SELECT e.at, e.reference, e.rrn, e.amount_paise, e.state, p.currency, p.code, p.message,"
        " p.payer_vpa"
        " FROM entries e JOIN payments p USING (reference) WHERE e.rrn = $1"
    )
    return await db.fetchrow(query, rrn)
