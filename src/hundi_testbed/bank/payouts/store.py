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
SELECT $13, 'payout', 'transfer', $1, $12, $2, $15::text FROM opened WHERE $15 <> 'declined'
"""
_FIND = f"SELECT {_COLUMNS} FROM payouts WHERE reference = $1"
_DUE = "SELECT reference, status, account FROM payouts WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
_GO_ON = """
WITH moved AS (
    UPDATE payouts SET status = $3, code = $4, message = $5, due_at = $6
    WHERE reference = $1 AND status = $2 RETURNING reference, rrn, amount_paise
), told AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $9, reference, $10, $8, $8 FROM moved
), booked AS (
    UPDATE entries SET state = $7::text, at = $8 FROM moved WHERE entries.rrn = moved.rrn
    RETURNING entries.rrn
)
INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
SELECT $8, 'payout', 'transfer', reference, rrn, amount_paise, $7::text FROM moved
WHERE $3 = 'done' AND NOT EXISTS (SELECT FROM booked)
"""
"""A payout that was refused first has no entry before it is paid."""
_AVAILABLE = "SELECT available_paise FROM payout_purse"
_TAKE = """
UPDATE payout_purse SET available_paise = available_paise - $1 WHERE available_paise >= $1
RETURNING available_paise
"""
_EMPTY = "DELETE FROM payout_purse"
_FILL = """
INSERT INTO payout_purse (available_paise) VALUES ($1)
ON CONFLICT (one) DO UPDATE SET available_paise = excluded.available_paise
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
    state = books_state(outcome.status)
    await db.fetch(_OPEN, *values, *decision, *numbers, now, outcome.due_at, state)


async def find(db: BankDatabase, reference: str) -> asyncpg.Record | None:
    """Return a payout."""
    return await db.fetchrow(_FIND, reference)


async def due(db: BankDatabase, now: datetime, limit: int) -> list[asyncpg.Record]:
    """Return the payouts that change by now."""
    return await db.fetch(_DUE, now, limit)


async def go_on(
    db: BankDatabase,
    before: asyncpg.Record,
    decision: PayoutDecision,
    event: tuple[str, str],
    now: datetime,
) -> None:
    """Write the next outcome of a payout with its webhook, unless its state has changed since.

    event: the webhook's id and body.
    """
    state = books_state(decision.status)
    outcome = (decision.status, decision.code, decision.message, decision.due_at)
    await db.fetch(_GO_ON, before["reference"], before["status"], *outcome, state, now, *event)


async def available(db: BankDatabase) -> int | None:
    """Return the balance that payouts leave from, None where it is always enough."""
    return await db.fetchval(_AVAILABLE)


async def take(db: BankDatabase, paise: int) -> bool:
    """Take an amount off that balance, if it is enough."""
    return await available(db) is None or await db.fetchval(_TAKE, paise) is not None


async def set_available(db: BankDatabase, paise: int | None) -> None:
    """Set that balance."""
    await db.fetch(_EMPTY) if paise is None else await db.fetch(_FILL, paise)


async def next_due(db: BankDatabase) -> datetime | None:
    """Return when the next payout changes."""
    return await db.fetchval(_NEXT)


async def of_batch(db: BankDatabase, batch: str) -> list[dict[str, Any]]:
    """Return the payouts of a file."""
    return [dict(row) for row in await db.fetch(_OF_BATCH, batch)]


async def latest(db: BankDatabase, limit: int) -> list[asyncpg.Record]:
    """Return the newest payouts, for people."""
    return await db.fetch(_LATEST, limit)
