"""All SQL of refunds."""

from datetime import datetime

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.refunds.rules import BankRefund, RefundableDebit

_LOCK_ORIGINAL = """
SELECT p.reference, p.method, coalesce(p.captured_paise, p.amount_paise) AS amount_paise,
    p.currency, p.status, p.at, lower(coalesce(r.customer, t.remitter, p.payer_vpa)) AS payer
FROM payments p LEFT JOIN redirects r ON r.reference = p.reference LEFT
    JOIN transfers t ON t.utr = p.reference
WHERE p.reference = $1 FOR UPDATE OF p
"""
_FIND = """
SELECT reference, original, amount_paise, currency, status, code, message, rrn, told_from
    FROM refunds
WHERE reference = $1
"""
_BEFORE = """
SELECT coalesce(sum(amount_paise), 0)::bigint AS refunded_paise,
    coalesce(sum(settled_paise), 0)::bigint AS settled_paise,
    (SELECT coalesce(sum(CASE WHEN standing IN ('open', 'under_review')
        THEN amount_paise ELSE taken_paise END), 0)::bigint
        FROM disputes WHERE original = $1 AND phase <> 'retrieval') AS disputed_paise
FROM refunds WHERE original = $1 AND status = 'done'
"""
_WRITE = """
WITH written AS (
    INSERT INTO refunds (reference, original, amount_paise, currency, status, code, message, rrn,
        at, told_from, settled_paise, comes_back_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $11, $12, $13) RETURNING rrn)
INSERT INTO entries (at, kind, method, reference, refund_reference, rrn, amount_paise, state)
SELECT $9, 'refund', $10, $2, $1, rrn, $3, $5 FROM written
"""
_COMING_BACK = """
SELECT r.reference, r.amount_paise, r.currency, r.rrn, p.method
FROM refunds r JOIN payments p ON p.reference = r.original
WHERE r.comes_back_at <= $1 ORDER BY r.comes_back_at LIMIT $2
"""
_TAKE_BACK = """
WITH back AS (
    UPDATE refunds SET status = 'reversed', reversed_at = $2, comes_back_at = NULL
    WHERE reference = $1 AND comes_back_at IS NOT NULL RETURNING rrn),
booked AS (UPDATE entries SET state = 'reversed' FROM back WHERE entries.rrn = back.rrn),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $3, $1, $4, $2, $5::timestamptz FROM back)
SELECT count(*) FROM back
"""
_NEXT = "SELECT min(comes_back_at) FROM refunds WHERE comes_back_at IS NOT NULL"


async def find(db: BankDatabase, reference: str) -> BankRefund | None:
    """Return a refund."""
    row = await db.fetchrow(_FIND, reference)
    return BankRefund(**dict(row)) if row else None


async def lock_original(connection: asyncpg.Connection, original: str) -> asyncpg.Record | None:
    """Return a payment and lock its row until the transaction ends."""
    return await connection.fetchrow(_LOCK_ORIGINAL, original)


async def find_locked(connection: asyncpg.Connection, reference: str) -> BankRefund | None:
    """Return a refund, in the transaction that locked its payment."""
    row = await connection.fetchrow(_FIND, reference)
    return BankRefund(**dict(row)) if row else None


async def debit_of(connection: asyncpg.Connection, original: asyncpg.Record) -> RefundableDebit:
    """Return a locked payment with what went back of it, and what is disputed, before."""
    (before,) = await connection.fetch(_BEFORE, original["reference"])
    names = ("amount_paise", "currency", "at", "payer")
    facts = {name: original[name] for name in names}
    return RefundableDebit(is_paid=original["status"] == "paid", **facts, **dict(before))


async def write(
    connection: asyncpg.Connection, refund: BankRefund, method: str, now: datetime
) -> None:
    """Write a refund with its entry in the books. method: of the payment."""
    r = refund
    decision = (r.status, r.code, r.message, r.rrn, now, method)
    times = (r.told_from, r.settled_paise, r.comes_back_at)
    await connection.execute(
        _WRITE, r.reference, r.original, r.amount_paise, r.currency, *decision, *times
    )


async def coming_back(db: BankDatabase, now: datetime, limit: int) -> list[asyncpg.Record]:
    """Return the refunds that customers' banks return by now."""
    return await db.fetch(_COMING_BACK, now, limit)


async def take_back(db: BankDatabase, reference: str, now: datetime, callback: Callback) -> bool:
    """Take a refund back, and queue its callback; False when it came back before."""
    return (
        await db.fetchval(
            _TAKE_BACK, reference, now, callback.event_id, callback.body, callback.due_at
        )
        == 1
    )


async def next_due(db: BankDatabase) -> datetime | None:
    """Return when the next refund comes back."""
    return await db.fetchval(_NEXT)
