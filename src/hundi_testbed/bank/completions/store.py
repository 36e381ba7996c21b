"""All SQL of captures and voids."""

import asyncpg

from hundi_testbed.bank.completions.rules import HoldCompletion
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import FIND_PAYMENT, payment_of

_LOCK = "SELECT FROM payments WHERE reference = $1 AND method = 'card' FOR UPDATE"
_END = """
WITH ended AS (
    UPDATE payments SET status = $2, captured_paise = $3, at = $7 WHERE reference = $1
    RETURNING reference, method)
INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
SELECT $7, $4, method, reference, $5, $6, 'done' FROM ended
"""


async def lock(connection: asyncpg.Connection, reference: str) -> BankPayment | None:
    """Return a card payment and lock its row until the transaction ends."""
    # Two statements: one would read the row as changed while it waited, and its entries as before.
    await connection.execute(_LOCK, reference)
    row = await connection.fetchrow(FIND_PAYMENT, reference)
    return payment_of(row) if row is not None and row["method"] == "card" else None


async def end(
    connection: asyncpg.Connection, ended: BankPayment, completion: HoldCompletion
) -> None:
    """Write a completed hold with its entry."""
    p, paise = ended, completion.paise or ended.amount_paise
    values = (p.status, p.captured_paise, completion.kind, p.ended_rrn, paise, p.at)
    await connection.execute(_END, p.reference, *values)
