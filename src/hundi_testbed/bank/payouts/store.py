"""All SQL about payouts."""

from datetime import datetime
from typing import Any

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.payouts.rules import PayoutDecision, PayoutInstruction, books_state

_COLUMNS = (
    "reference, amount_paise, rail, account, ifsc, holder, batch, status, code, message, utr, at"
)
_OPEN = """
WITH opened AS (
    INSERT INTO payouts (reference, amount_paise, rail, account, ifsc, holder, batch, status, code,
        message, utr, rrn, at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (reference) DO NOTHING RETURNING reference
)
INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
SELECT $13, 'payout', 'transfer', $1, $12, $2, $8::text FROM opened WHERE $8 <> 'declined'
"""
_FIND = f"SELECT {_COLUMNS} FROM payouts WHERE reference = $1"
_DUE = "SELECT reference, status, account FROM payouts WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
_GO_ON = """
WITH moved AS (
    UPDATE payouts SET status = $3, code = $4, message = $5, due_at = $6
    WHERE reference = $1 AND status = $2 RETURNING rrn
)
UPDATE entries SET state = $7::text, at = $8 FROM moved WHERE entries.rrn = moved.rrn
"""
_NEXT = "SELECT min(due_at) FROM payouts"
_OF_BATCH = f"SELECT {_COLUMNS} FROM payouts WHERE batch = $1 ORDER BY reference"
_LATEST = f"SELECT {_COLUMNS} FROM payouts ORDER BY at DESC, reference LIMIT $1"


async def open_payout(
    db: BankDatabase,
    instruction: PayoutInstruction,
    outcome: PayoutDecision,
    numbers: tuple[str, str],
    now: datetime,
) -> None:
    """Write a payout with its entry in the books, unless its reference has one.

    numbers: UTR and RRN.
    """
    values = (
        instruction.reference,
        instruction.amount_paise,
        instruction.rail,
        instruction.account,
        instruction.ifsc,
        instruction.holder,
        instruction.batch,
    )
    decision = (outcome.status, outcome.code, outcome.message)
    await db.fetch(_OPEN, *values, *decision, *numbers, now, outcome.due_at)


async def find(db: BankDatabase, reference: str) -> asyncpg.Record | None:
    """Return a payout."""
    return await db.fetchrow(_FIND, reference)


async def due(db: BankDatabase, now: datetime, limit: int) -> list[asyncpg.Record]:
    """Return the payouts that change by now."""
    return await db.fetch(_DUE, now, limit)


async def go_on(
    db: BankDatabase, reference: str, before: str, decision: PayoutDecision, now: datetime
) -> None:
    """Write the next outcome of a payout, unless its state has changed since it was read."""
    state = books_state(decision.status)
    outcome = (decision.status, decision.code, decision.message, decision.due_at)
    await db.fetch(_GO_ON, reference, before, *outcome, state, now)


async def next_due(db: BankDatabase) -> datetime | None:
    """Return when the next payout changes."""
    return await db.fetchval(_NEXT)


async def of_batch(db: BankDatabase, batch: str) -> list[dict[str, Any]]:
    """Return the payouts of a file."""
    return [dict(row) for row in await db.fetch(_OF_BATCH, batch)]


async def latest(db: BankDatabase, limit: int) -> list[asyncpg.Record]:
    """Return the newest payouts, for people."""
    return await db.fetch(_LATEST, limit)
