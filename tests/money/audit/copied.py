"""Books as a dump brings them into another server, before they had a block."""

from hundi.infra.postgres.database import Database
from tests.money.audit import books

AHEAD = 20_000
"""How many transactions the server is behind them."""
_BOOKS = ("payment_events", "ledger_postings", "settlements")
_TABLES = (*_BOOKS, "chain_blocks", "chain_links")


async def write_copied(db: Database) -> None:
    """Write the books of the audit's tests as if another server had counted on."""
    await books.write(db)
    for table in _TABLES:
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await db.execute("DELETE FROM chain_links")
    await db.execute("DELETE FROM chain_blocks")
    for table in _BOOKS:
        await db.execute(f"UPDATE {table} SET xact = (xact::text::bigint + {AHEAD})::text::xid8")
