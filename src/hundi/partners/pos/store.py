"""All SQL about terminals and their sales."""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.partners.pos.rules import Sale, SaleRecord, masked

INSERT_TERMINAL = """
INSERT INTO pos_terminals AS t (merchant_id, terminal_id, label, manager, created_at)
VALUES ($1, $2, $3, nullif($4, ''), $5)
ON CONFLICT (merchant_id, terminal_id) DO UPDATE
SET label = EXCLUDED.label, closed_at = NULL, manager = CASE
    WHEN $4 IS NULL THEN t.manager ELSE EXCLUDED.manager END
"""
CLOSE_TERMINAL = """
UPDATE pos_terminals SET closed_at = $3 WHERE merchant_id = $1 AND terminal_id = $2
    AND closed_at IS NULL
RETURNING terminal_id
"""
TERMINALS_OF = """
SELECT terminal_id, label, manager, created_at, closed_at FROM pos_terminals WHERE merchant_id = $1
    ORDER BY terminal_id
"""
OPEN_TERMINAL = """
SELECT terminal_id FROM pos_terminals WHERE merchant_id = $1 AND terminal_id = $2
    AND closed_at IS NULL
"""
INSERT_SALE = """
INSERT INTO pos_sales (merchant_id, transaction_id, terminal_id, reference, at, kind, amount_paise,
    edited_paise, table_no, masked_mobile)
SELECT merchant_id, $2, terminal_id, $4, $5, $6, $7, $8, $9, $10 FROM pos_terminals
WHERE merchant_id = $1 AND terminal_id = $3 AND closed_at IS NULL
ON CONFLICT (merchant_id, terminal_id, reference) DO NOTHING
RETURNING transaction_id
"""
_KEPT = "transaction_id, at, kind, amount_paise, edited_paise, table_no, masked_mobile"
SALE_OF = f"""
SELECT {_KEPT} FROM pos_sales WHERE merchant_id = $1 AND terminal_id = $2 AND reference = $3
"""
# In the order of the key, so that two messages with the same sales wait for each other and never
# deadlock.
INSERT_SALES = """
INSERT INTO pos_sales (merchant_id, transaction_id, terminal_id, reference, at, kind, amount_paise,
    edited_paise, table_no, masked_mobile)
SELECT t.merchant_id, told.transaction_id, t.terminal_id, told.reference, told.at, told.kind,
    told.amount_paise, told.edited_paise, told.table_no, told.masked_mobile
FROM unnest($3::bigint[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::bigint[],
        $9::bigint[], $10::text[], $11::text[])
    AS told (transaction_id, terminal_id, reference, at, kind, amount_paise, edited_paise, table_no,
        masked_mobile)
JOIN pos_terminals t ON t.merchant_id = $1 AND t.terminal_id = told.terminal_id AND t.manager = $2
    AND t.closed_at IS NULL
ORDER BY told.terminal_id, told.reference
ON CONFLICT (merchant_id, terminal_id, reference) DO NOTHING
"""
KNOWN_SALES = f"""
SELECT s.terminal_id, s.reference, {_KEPT}
FROM unnest($3::text[], $4::text[]) AS told (terminal_id, reference)
JOIN pos_terminals t ON t.merchant_id = $1 AND t.terminal_id = told.terminal_id AND t.manager = $2
    AND t.closed_at IS NULL
JOIN pos_sales s ON s.merchant_id = $1 AND s.terminal_id = told.terminal_id
    AND s.reference = told.reference
"""
SALES_SINCE = f"""
SELECT {_KEPT} FROM pos_sales
WHERE merchant_id = $1 AND terminal_id = $2 AND at > $3 ORDER BY at DESC, transaction_id DESC
    LIMIT $4
"""


async def put_terminal(
    conn: Connection,
    merchant_id: int,
    terminal_id: str,
    label: str,
    manager: str | None,
    now: datetime,
) -> None:
    """Register a terminal, or open it again. manager: "" for nobody, None to leave it as it is."""
    await conn.execute(INSERT_TERMINAL, merchant_id, terminal_id, label, manager, now)


async def close_terminal(db: Queries, merchant_id: int, terminal_id: str, now: datetime) -> bool:
    """Close a terminal; False when there is none."""
    return await db.fetchval(CLOSE_TERMINAL, merchant_id, terminal_id, now) is not None


async def terminals(db: Database, merchant_id: int) -> list[Record]:
    """Return a merchant's terminals."""
    return await db.fetch(TERMINALS_OF, merchant_id)


async def is_open(db: Database, merchant_id: int, terminal_id: str) -> bool:
    """Return whether a terminal is this merchant's and open."""
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


async def insert_sales(
    conn: Connection, manager: str, merchant_id: int, numbered: Sequence[tuple[int, Sale]]
) -> None:
    """Write the new ones of many sales, each with its id.

    Those of foreign terminals are left out.
    """
    sales = [sale for _, sale in numbered]
    await conn.execute(
        INSERT_SALES,
        merchant_id,
        manager,
        [transaction_id for transaction_id, _ in numbered],
        [each.terminal_id for each in sales],
        [each.reference for each in sales],
        [each.at for each in sales],
        [each.kind for each in sales],
        [each.amount_paise for each in sales],
        [each.edited_paise for each in sales],
        [each.table_no for each in sales],
        [masked(each.mobile) for each in sales],
    )


async def known_sales(
    conn: Connection, manager: str, merchant_id: int, sales: Sequence[Sale]
) -> dict[tuple[str, str], SaleRecord]:
    """Return a manager's stored sales, by terminal and reference."""
    terminals, references = [each.terminal_id for each in sales], [each.reference for each in sales]
    rows = await conn.fetch(KNOWN_SALES, merchant_id, manager, terminals, references)
    return {(row["terminal_id"], row["reference"]): SaleRecord(*tuple(row)[2:]) for row in rows}


async def sale_of(
    source: Connection | Database, merchant_id: int, terminal_id: str, reference: str
) -> SaleRecord | None:
    """Return the stored sale with a terminal's own reference."""
    row = await source.fetchrow(SALE_OF, merchant_id, terminal_id, reference)
    return SaleRecord(**dict(row)) if row else None


async def sales(
    db: Database, merchant_id: int, terminal_id: str, since: datetime, limit: int
) -> list[SaleRecord]:
    """Return a terminal's sales, newest first."""
    return [
        SaleRecord(**dict(row))
        for row in await db.fetch(SALES_SINCE, merchant_id, terminal_id, since, limit)
    ]
