"""All SQL of captures and voids."""

from datetime import datetime

import asyncpg

from hundi_testbed.bank.completions.rules import Completion, Hold
from hundi_testbed.bank.rules import Status

_LOCK = "SELECT FROM payments WHERE reference = $1 AND method = 'card' FOR UPDATE"
_SELECT = """
SELECT p.amount_paise, p.currency, p.status, coalesce(p.captured_paise, 0) AS captured_paise,
    coalesce(e.kind, '') AS ended_as, coalesce(e.rrn, '') AS ended_rrn
FROM payments p LEFT JOIN entries e ON e.reference = p.reference AND e.kind IN ('capture', 'void')
WHERE p.reference = $1 AND p.method = 'card'
"""
_END = """
WITH ended AS (
    UPDATE payments SET status = $2, captured_paise = $3, at = $7 WHERE reference = $1
    RETURNING reference, method)
INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
SELECT $7, $4, method, reference, $5, $6, 'done' FROM ended
"""


async def lock(connection: asyncpg.Connection, reference: str) -> Hold | None:
    """Return an authorised payment and lock its row until the transaction ends."""
    # Two statements: one would read the row as changed while it waited, and its entries as before.
    await connection.execute(_LOCK, reference)
    row = await connection.fetchrow(_SELECT, reference)
    return None if row is None else Hold(**{**dict(row), "status": Status(row["status"])})


async def end(
    connection: asyncpg.Connection,
    original: str,
    hold: Hold,
    completion: Completion,
    rrn: str,
    now: datetime,
) -> None:
    """Write a completion with its entry."""
    c = completion
    amount_paise = c.paise or hold.amount_paise
    await connection.execute(
        _END, original, c.status, c.paise or None, c.kind, rrn, amount_paise, now
    )
