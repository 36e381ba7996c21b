"""All SQL of terminal sales and their delivery to the gateway."""

from datetime import datetime

from asyncpg import Record

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.terminals.rules import SaleBody

_WRITE = """
WITH sold AS (
    INSERT INTO terminal_sales (event_id, at, merchant_id, terminal_id, txn_type, amount_paise)
    VALUES ($1, $3, $5, $6, $7, $8)
)
INSERT INTO callbacks (event_id, reference, body, created_at, due_at) VALUES ($1, $1, $2, $3, $4)
"""
# The outbox holds only undelivered callbacks.
_FIND = """
SELECT event_id, at, merchant_id, terminal_id, txn_type, amount_paise,
    c.event_id IS NULL AS taken, coalesce(last_answer, '') AS answer, coalesce(tries, 0) AS tries,
        due_at AS again_at
FROM terminal_sales LEFT JOIN callbacks c USING (event_id) WHERE event_id = $1
"""
_SWEEP = "DELETE FROM terminal_sales WHERE at < $1"


async def write(db: BankDatabase, callback: Callback, sale: SaleBody) -> None:
    """Write a sale and its callback."""
    callback_values = callback.event_id, callback.body, callback.created_at, callback.due_at
    await db.fetch(
        _WRITE,
        *callback_values,
        sale.merchant_id,
        sale.terminal_id,
        sale.txn_type,
        sale.amount_paise,
    )


async def find(db: BankDatabase, event_id: str) -> Record | None:
    """Return a sale and its delivery; again_at None: delivered, or given up."""
    return await db.fetchrow(_FIND, event_id)


async def sweep(db: BankDatabase, before: datetime) -> None:
    """Delete older sales."""
    await db.fetch(_SWEEP, before)
