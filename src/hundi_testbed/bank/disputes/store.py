"""All SQL of disputes."""

from datetime import datetime

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.disputes.rules import BankDispute, Phase, PhaseStanding
from hundi_testbed.bank.outbox.store import Callback

_COLUMNS = (
    "case_no, phase, original, amount_paise, currency, reason, standing, opened_at, changed_at,"
    " respond_by, answer,"
    " accepted_paise, takes_paise, taken_paise, rrn, due_at"
)
# By the gateway's reference, or by the number that the customer's bank knows.
_PAYMENT = """
SELECT p.reference, p.method, p.status, p.currency, coalesce(p.captured_paise,
    p.amount_paise) AS amount_paise,
    (SELECT coalesce(sum(r.amount_paise), 0)::bigint FROM refunds r
        WHERE r.original = p.reference AND r.status = 'done') AS refunded_paise,
    (SELECT coalesce(sum(CASE
        WHEN d.standing IN ('open', 'under_review') THEN d.amount_paise ELSE d.taken_paise END),
        0)::bigint FROM disputes d WHERE d.original = p.reference
            AND d.phase <> 'retrieval') AS disputed_paise
FROM payments p WHERE p.reference = $1 OR p.rrn = $1 AND $1 <> ''
ORDER BY p.reference = $1 DESC LIMIT 1 FOR UPDATE OF p
"""
_LATEST = (
    f"SELECT {_COLUMNS} FROM disputes WHERE original = $1 ORDER BY opened_at DESC, phase DESC"
    " LIMIT 1"
)
_INSERT = f"""
INSERT INTO disputes ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
    $14, $15, $16)
"""
_FIND = f"SELECT {_COLUMNS} FROM disputes WHERE case_no = $1 AND phase = $2"
_OF_PAYMENT = f"""
SELECT {_COLUMNS} FROM disputes
WHERE original IN (SELECT reference FROM payments WHERE reference = $1 OR rrn = $1 AND $1 <> '')
ORDER BY opened_at, phase
"""
_LISTED = f"""
SELECT {_COLUMNS} FROM disputes
WHERE (standing IN ('open', 'under_review') OR changed_at >= $1) AND (case_no, phase) > ($2, $3)
ORDER BY case_no, phase LIMIT $4
"""
_DUE = f"SELECT {_COLUMNS} FROM disputes WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
_ANSWER = """
UPDATE disputes SET standing = 'under_review', answer = $3, accepted_paise = $4, takes_paise = $5,
    due_at = $6, changed_at = $7
WHERE case_no = $1 AND phase = $2 AND standing = 'open'
"""
_END = """
WITH ended AS (
    UPDATE disputes SET standing = $3, taken_paise = $4, rrn = $5, due_at = NULL, changed_at = $6
    WHERE case_no = $1 AND phase = $2 AND standing IN ('open', 'under_review') AND standing = $11
    RETURNING original, taken_paise, rrn),
booked AS (
    INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
    SELECT $6, 'chargeback', p.method, original, ended.rrn, taken_paise, 'done'
    FROM ended JOIN payments p ON p.reference = original WHERE taken_paise > 0)
INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
SELECT $7, $8, $9, $6, $10::timestamptz FROM ended
RETURNING event_id
"""
_TELL = (
    "INSERT INTO callbacks (event_id, reference, body, created_at, due_at) VALUES ($1, $2, $3, $4,"
    " $5)"
)
_EVIDENCE = """
INSERT INTO dispute_evidence (case_no, phase, evidence, media_type, size_bytes, digest)
    VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (case_no, phase, evidence) DO NOTHING
"""
_EVIDENCE_OF = """
SELECT evidence, media_type, size_bytes, digest FROM dispute_evidence
WHERE case_no = $1 AND phase = $2 ORDER BY evidence
"""


def _read(row: asyncpg.Record) -> BankDispute:
    return BankDispute(
        **{**dict(row), "phase": Phase(row["phase"]), "standing": PhaseStanding(row["standing"])}
    )


async def lock_payment(connection: asyncpg.Connection, reference: str) -> asyncpg.Record | None:
    """Return a payment by reference or RRN, locked, with its refunded and disputed amounts."""
    return await connection.fetchrow(_PAYMENT, reference)


async def latest(connection: asyncpg.Connection, original: str) -> BankDispute | None:
    """Return the newest phase of a payment's newest dispute."""
    row = await connection.fetchrow(_LATEST, original)
    return _read(row) if row else None


async def insert(connection: asyncpg.Connection, new: BankDispute, callback: Callback) -> None:
    """Write a new phase and its callback."""
    await connection.execute(_INSERT, *(getattr(new, name.strip()) for name in _COLUMNS.split(",")))
    callback_values = (
        callback.event_id,
        callback.reference,
        callback.body,
        callback.created_at,
        callback.due_at,
    )
    await connection.execute(_TELL, *callback_values)


async def find(db: BankDatabase, case_no: str, phase: str) -> BankDispute | None:
    """Return one phase of a dispute."""
    row = await db.fetchrow(_FIND, case_no, phase)
    return _read(row) if row else None


async def of_payment(db: BankDatabase, reference: str) -> list[BankDispute]:
    """Return the phases of a payment's disputes, oldest first."""
    return [_read(row) for row in await db.fetch(_OF_PAYMENT, reference)]


async def listed(
    db: BankDatabase, since: datetime, after: tuple[str, str], limit: int
) -> list[BankDispute]:
    """Return undecided phases, and those changed since a time."""
    return [_read(row) for row in await db.fetch(_LISTED, since, *after, limit)]


async def due(db: BankDatabase, now: datetime, limit: int) -> list[BankDispute]:
    """Return the phases that end by now."""
    return [_read(row) for row in await db.fetch(_DUE, now, limit)]


async def answer(db: BankDatabase, answered: BankDispute) -> None:
    """Write an answer; a phase that is no longer open stays as it is."""
    d = answered
    values = (d.answer, d.accepted_paise, d.takes_paise, d.due_at, d.changed_at)
    await db.fetch(_ANSWER, d.case_no, d.phase, *values)


async def end(
    db: BankDatabase, before: PhaseStanding, ended: BankDispute, callback: Callback
) -> bool:
    """Write the end of a phase, with its entry and callback; False when it has changed since."""
    d = ended
    values = (d.case_no, d.phase, d.standing, d.taken_paise, d.rrn, d.changed_at)
    callback_values = (callback.event_id, callback.reference, callback.body, callback.due_at)
    return bool(await db.fetch(_END, *values, *callback_values, before))


async def add_evidence(db: BankDatabase, dispute: BankDispute, *values: object) -> None:
    """Write the facts of a document: its number, media type, size and digest."""
    await db.fetch(_EVIDENCE, dispute.case_no, dispute.phase, *values)


async def evidence_of(db: BankDatabase, dispute: BankDispute) -> list[asyncpg.Record]:
    """Return the documents of a phase."""
    return await db.fetch(_EVIDENCE_OF, dispute.case_no, dispute.phase)
