"""All SQL about terminals and what was sold through them."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.database import Connection, Database
from hundi.partners.pos.rules import Kept, Sale, masked

INSERT_TERMINAL = """
INSERT INTO pos_terminals (merchant_id, terminal_id, label, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (merchant_id, terminal_id) DO UPDATE SET label = EXCLUDED.label, closed_at = NULL
"""
CLOSE_TERMINAL = """
UPDATE pos_terminals SET closed_at = $3 WHERE merchant_id = $1 AND terminal_id = $2 AND closed_at IS NULL
RETURNING terminal_id
"""
TERMINALS_OF = """
SELECT terminal_id, label, created_at, closed_at FROM pos_terminals WHERE merchant_id = $1 ORDER BY terminal_id
"""
OPEN_TERMINAL = """
SELECT terminal_id FROM pos_terminals WHERE merchant_id = $1 AND terminal_id = $2 AND closed_at IS NULL
"""
INSERT_SALE = """
INSERT INTO pos_sales (merchant_id, transaction_id, terminal_id, reference, at, kind, amount_paise, edited_paise,
    table_no, masked_mobile)
SELECT merchant_id, $2, terminal_id, $4, $5, $6, $7, $8, $9, $10 FROM pos_terminals
WHERE merchant_id = $1 AND terminal_id = $3 AND closed_at IS NULL
ON CONFLICT (merchant_id, terminal_id, reference) DO NOTHING
RETURNING transaction_id
"""
_KEPT = "transaction_id, at, kind, amount_paise, edited_paise, table_no, masked_mobile"
SALE_OF = f"""
SELECT {_KEPT} FROM pos_sales WHERE merchant_id = $1 AND terminal_id = $2 AND reference = $3
"""  # noqa: S608 (constants only)
SALES_SINCE = f"""
SELECT {_KEPT} FROM pos_sales
WHERE merchant_id = $1 AND terminal_id = $2 AND at > $3 ORDER BY at DESC, transaction_id DESC LIMIT $4
"""  # noqa: S608 (constants only)


async def put_terminal(conn: Connection, merchant_id: int, terminal_id: str, label: str, now: datetime) -> None:
    """Register a terminal, or open it again."""
    await conn.execute(INSERT_TERMINAL, merchant_id, terminal_id, label, now)


async def close_terminal(db: Database, merchant_id: int, terminal_id: str, now: datetime) -> bool:
    """Take a terminal out of use; False when there is none."""
    return await db.fetchval(CLOSE_TERMINAL, merchant_id, terminal_id, now) is not None


async def terminals(db: Database, merchant_id: int) -> list[Record]:
    """Return a merchant's terminals."""
    return await db.fetch(TERMINALS_OF, merchant_id)


async def is_open(db: Database, merchant_id: int, terminal_id: str) -> bool:
    """Return whether a terminal is this merchant's and in use."""
    return await db.fetchval(OPEN_TERMINAL, merchant_id, terminal_id) is not None


async def insert_sale(conn: Connection, sale: Sale, transaction_id: int) -> int | None:
    """Write a sale and return its id; None for a foreign terminal or a repeated reference."""
    return await conn.fetchval(
        INSERT_SALE,
        sale.merchant_id,
        transaction_id,
        sale.terminal_id,
        sale.reference,
        sale.at,
        sale.kind,
        sale.amount_paise,
        sale.edited_paise,
        sale.table_no,
        masked(sale.mobile),
    )


async def sale_of(conn: Connection, sale: Sale) -> Kept | None:
    """Return what is kept under the terminal's own reference of a sale."""
    row = await conn.fetchrow(SALE_OF, sale.merchant_id, sale.terminal_id, sale.reference)
    return Kept(**dict(row)) if row else None


async def sales(db: Database, merchant_id: int, terminal_id: str, since: datetime, limit: int) -> list[Kept]:
    """Return what was sold through a terminal, newest first."""
    return [Kept(**dict(row)) for row in await db.fetch(SALES_SINCE, merchant_id, terminal_id, since, limit)]
