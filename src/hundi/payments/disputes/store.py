"""All SQL about disputes and their documents.

A stage is opened, answered and ended under the lock of its payment's row, so that refunds and
disputes together never exceed what was captured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import AMOUNT, Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.states import DisputePhase, DisputeState
from hundi.payments.disputes.rules import Stage

STAGE = Table(
    Stage,
    {
        "phase": Field(DisputePhase),
        "amount": AMOUNT,
        "state": Field(DisputeState),
    },
)
_CHANGED = STAGE.only(
    "state",
    "due_at",
    "inquiries",
    "reminded_at",
    "answered_at",
    "accepted_paise",
    "note",
    "sent_at",
    "expired_at",
    "taken_paise",
    "taken_settled_paise",
    "rrn",
    "bank_message",
    "settled_at",
)
_PHASES = ", ".join(f"'{phase}'" for phase in DisputePhase)
_IN_ORDER = f"opened_at, array_position(ARRAY[{_PHASES}], phase::text)"
_GOES_BACK = """
SELECT EXISTS (
    SELECT FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2
        AND kind = 'late_refund_due'
)
"""
INSERT = f"INSERT INTO dispute_stages ({STAGE.listed()}) VALUES ({STAGE.numbered(1)})"
UPDATE = f"""
UPDATE dispute_stages SET {_CHANGED.assigned(4)}
WHERE merchant_id = $1 AND stage_id = $2 AND state = $3
RETURNING stage_id
"""
SELECT_ONE = f"SELECT {STAGE.listed()} FROM dispute_stages WHERE merchant_id = $1 AND stage_id = $2"
LOCK = SELECT_ONE + " FOR UPDATE"
SELECT_NAMED = f"""
SELECT {STAGE.listed()} FROM dispute_stages
WHERE merchant_id = $1 AND connector = $2 AND bank_case = $3 ORDER BY {_IN_ORDER}
"""
"""The phases of one dispute by its bank's number."""
SELECT_DISPUTE = f"""
SELECT {STAGE.listed()} FROM dispute_stages WHERE merchant_id = $1 AND dispute_id = $2
    ORDER BY {_IN_ORDER}
"""
SELECT_OF_PAYMENT = f"""
SELECT {STAGE.listed()} FROM dispute_stages WHERE merchant_id = $1 AND payment_id = $2
    ORDER BY {_IN_ORDER}
"""
SELECT_LATEST = f"""
SELECT {STAGE.listed()} FROM (
    SELECT DISTINCT ON (dispute_id) * FROM dispute_stages
    WHERE merchant_id = $1 AND ($3::bigint IS NULL OR dispute_id < $3)
    ORDER BY dispute_id DESC, opened_at DESC, array_position(ARRAY[{_PHASES}], phase::text) DESC
) AS newest WHERE $2::text IS NULL OR state = $2 ORDER BY dispute_id DESC LIMIT $4
"""
"""The current phase of each of a merchant's disputes."""
SELECT_DUE = """
SELECT merchant_id, stage_id, connector, due_at FROM dispute_stages
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the stages to remind of, to answer or to ask about now."""
CLAIM = f"""
UPDATE dispute_stages SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND stage_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {STAGE.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE dispute_stages SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND stage_id = $2 AND due_at = $3
"""
RESCHEDULE = """
UPDATE dispute_stages SET due_at = $4 WHERE merchant_id = $1 AND stage_id = $2 AND due_at = $3
"""
SELECT_NEXT_DUE = "SELECT min(due_at) FROM dispute_stages WHERE due_at > $1 AND state = 'open'"
"""Across merchants: for a demo's clock, which stops at every reminder and deadline."""
ORDER_IDS = (
    "SELECT payment_id, order_id FROM payments WHERE merchant_id = $1 AND payment_id = "
    "ANY ($2::bigint[])"
)
_DOCUMENT = "evidence_id, stage_id, name, media_type, size_bytes, digest, added_at, sent_at"
INSERT_EVIDENCE = """
INSERT INTO dispute_evidence
    (merchant_id, evidence_id, stage_id, name, media_type, size_bytes, digest, sealed_content,
        added_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (merchant_id, stage_id, digest) DO NOTHING
RETURNING evidence_id
"""
SELECT_EVIDENCE = f"""
SELECT {_DOCUMENT} FROM dispute_evidence WHERE merchant_id = $1 AND stage_id = ANY ($2::bigint[])
ORDER BY added_at, evidence_id
"""
SELECT_CONTENT = f"""
SELECT {_DOCUMENT}, sealed_content FROM dispute_evidence WHERE merchant_id = $1 AND evidence_id = $2
"""
EVIDENCE_SENT = (
    "UPDATE dispute_evidence SET sent_at = $3 WHERE merchant_id = $1 AND evidence_id = $2"
)
DELETE_EVIDENCE = """
DELETE FROM dispute_evidence WHERE merchant_id = $1 AND stage_id = $2 AND evidence_id = $3
    AND sent_at IS NULL
RETURNING evidence_id
"""
SELECT_SEALED = """
SELECT merchant_id, evidence_id, sealed_content FROM dispute_evidence
WHERE (merchant_id, evidence_id) > ($1, $2) ORDER BY merchant_id, evidence_id LIMIT 1
"""
"""Across merchants: for a rotation of keys, one document at a time."""
RESEAL = """
UPDATE dispute_evidence SET sealed_content = $3 WHERE merchant_id = $1 AND evidence_id = $2
    AND sealed_content = $4
"""


@dataclass(frozen=True, slots=True)
class EvidenceDocument:
    """One document of a merchant's answer, without its content.

    digest: its SHA-256. sent_at: when the bank took it.
    """

    evidence_id: int
    stage_id: int
    name: str
    media_type: str
    size_bytes: int
    digest: bytes
    added_at: datetime
    sent_at: datetime | None


async def insert(conn: Connection, new: Stage) -> None:
    """Write a new stage; the caller holds the payment's lock.

    Raises UniqueViolationError for a second one of a phase, or for a duplicate id.
    """
    await conn.execute(INSERT, *STAGE.values(new))


async def update(db: Queries, before: Stage, after: Stage) -> bool:
    """Write a stage's change if its state is still the one that was read."""
    values = _CHANGED.values(after)
    return (
        await db.fetchval(UPDATE, before.merchant_id, before.stage_id, before.state, *values)
        is not None
    )


async def select(db: Queries, merchant_id: int, stage_id: int) -> Stage | None:
    """Return one stage."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, stage_id)
    return STAGE.read(row) if row else None


async def lock(conn: Connection, merchant_id: int, stage_id: int) -> Stage | None:
    """Return one stage, locked until the caller's transaction ends."""
    row = await conn.fetchrow(LOCK, merchant_id, stage_id)
    return STAGE.read(row) if row else None


async def phases_of(db: Queries, merchant_id: int, connector: str, case: str) -> list[Stage]:
    """Return the stages of the dispute that has this number at its bank, oldest first."""
    return [STAGE.read(row) for row in await db.fetch(SELECT_NAMED, merchant_id, connector, case)]


async def of_dispute(db: Queries, merchant_id: int, dispute_id: int) -> list[Stage]:
    """Return the stages of a dispute, oldest first."""
    return [STAGE.read(row) for row in await db.fetch(SELECT_DISPUTE, merchant_id, dispute_id)]


async def of_payment(db: Queries, merchant_id: int, payment_id: int) -> list[Stage]:
    """Return every stage of a payment's disputes, oldest first."""
    return [STAGE.read(row) for row in await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)]


async def latest(
    db: Queries, merchant_id: int, state: DisputeState | None, before: int | None, limit: int
) -> list[Stage]:
    """Return the newest stage of each of a merchant's disputes, newest first.

    before: a dispute's id.
    """
    return [
        STAGE.read(row) for row in await db.fetch(SELECT_LATEST, merchant_id, state, before, limit)
    ]


async def order_ids_of(db: Queries, merchant_id: int, payment_ids: Sequence[int]) -> dict[int, str]:
    """Return the order ids of some payments; archived ones are left out."""
    return {
        row["payment_id"]: row["order_id"]
        for row in await db.fetch(ORDER_IDS, merchant_id, list(payment_ids))
    }


async def goes_back(conn: Connection, merchant_id: int, attempt_id: int) -> bool:
    """Return whether an attempt paid too late for its merchant, so the gateway refunds it."""
    return bool(await conn.fetchval(_GOES_BACK, merchant_id, attempt_id))


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the stages to work on now, most overdue first, without some acquirers'."""
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, stage_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Stage]:
    """Claim those of a merchant's stages that are still due."""
    return [
        STAGE.read(row) for row in await db.fetch(CLAIM, merchant_id, stage_ids, now, lease_until)
    ]


async def put_back(db: Database, claimed: Stage, due_at: datetime) -> None:
    """Release a claimed stage for which nothing could be sent.

    It is not counted and is due again.
    """
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.stage_id, claimed.due_at, due_at)


async def reschedule(db: Database, claimed: Stage, due_at: datetime) -> None:
    """Set when a claimed stage is due next, unless it was moved meanwhile."""
    await db.execute(RESCHEDULE, claimed.merchant_id, claimed.stage_id, claimed.due_at, due_at)


async def next_due(db: Database, now: datetime) -> datetime | None:
    """Return when an open stage is due next, of any merchant."""
    return await db.fetchval(SELECT_NEXT_DUE, now)


async def add_evidence(
    conn: Connection, merchant_id: int, new: EvidenceDocument, sealed: bytes
) -> bool:
    """Write a document; False when the stage has the same one already."""
    values = (
        new.evidence_id,
        new.stage_id,
        new.name,
        new.media_type,
        new.size_bytes,
        new.digest,
        sealed,
        new.added_at,
    )
    return await conn.fetchval(INSERT_EVIDENCE, merchant_id, *values) is not None


async def evidence_of(
    db: Queries, merchant_id: int, stage_ids: Sequence[int]
) -> list[EvidenceDocument]:
    """Return the documents of some stages, oldest first."""
    return [_document(row) for row in await db.fetch(SELECT_EVIDENCE, merchant_id, list(stage_ids))]


async def content_of(
    db: Queries, merchant_id: int, evidence_id: int
) -> tuple[EvidenceDocument, bytes] | None:
    """Return a document with its sealed content."""
    row = await db.fetchrow(SELECT_CONTENT, merchant_id, evidence_id)
    return (_document(row), row["sealed_content"]) if row else None


async def evidence_sent(db: Queries, merchant_id: int, evidence_id: int, now: datetime) -> None:
    """Note that the bank took a document."""
    await db.execute(EVIDENCE_SENT, merchant_id, evidence_id, now)


async def remove_evidence(
    conn: Connection, merchant_id: int, stage_id: int, evidence_id: int
) -> bool:
    """Remove a document that the bank has not got; return whether there was one.

    The caller holds the stage's lock, and has seen that it is not answered.
    """
    key = merchant_id, stage_id, evidence_id
    return await conn.fetchval(DELETE_EVIDENCE, *key) is not None


async def next_sealed(db: Database, merchant_id: int, evidence_id: int) -> Record | None:
    """Return the next document after this one with its sealed content, of any merchant."""
    return await db.fetchrow(SELECT_SEALED, merchant_id, evidence_id)


async def reseal(db: Database, row: Record, sealed: bytes) -> None:
    """Replace a document's sealed content, unless it was replaced meanwhile."""
    await db.execute(RESEAL, row["merchant_id"], row["evidence_id"], sealed, row["sealed_content"])


def _document(row: Record) -> EvidenceDocument:
    return EvidenceDocument(*(row[name] for name in _DOCUMENT.split(", ")))
