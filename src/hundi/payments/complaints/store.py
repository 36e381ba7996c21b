"""All SQL about complaints."""

from datetime import datetime

from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Queries
from hundi.payments.complaints.rules import (
    Complaint,
    ComplaintKind,
    ComplaintState,
    states_before,
)

COMPLAINT = Table(Complaint, {"kind": choice(ComplaintKind), "state": choice(ComplaintState)})
INSERT = f"""
INSERT INTO complaints ({COMPLAINT.listed()}) VALUES ({COMPLAINT.numbered(1)})
ON CONFLICT DO NOTHING RETURNING complaint_id
"""
_COMPLAINTS = f"SELECT {COMPLAINT.listed()} FROM complaints"
SELECT = _COMPLAINTS + " WHERE merchant_id = $1 AND complaint_id = $2"
SELECT_OF_PAYMENT = (
    _COMPLAINTS + " WHERE merchant_id = $1 AND payment_id = $2 ORDER BY complaint_id"
)
SELECT_OPEN = _COMPLAINTS + " WHERE merchant_id = $1 AND state = 'open' ORDER BY answer_by LIMIT $2"
ANSWER = f"""
UPDATE complaints SET state = 'answered', answer = $3, answered_by = $4, answered_at = $5
WHERE merchant_id = $1 AND complaint_id = $2 AND state = ANY ($6::text[])
RETURNING {COMPLAINT.listed()}
"""
CLOSE = """
UPDATE complaints SET state = 'closed', closed_at = $3
WHERE merchant_id = $1 AND payment_id = $2 AND state = ANY ($4::text[])
"""


async def insert(db: Queries, complaint: Complaint) -> bool:
    """Write a complaint; False where its id is taken or another one of the payment waits."""
    return await db.fetchval(INSERT, *COMPLAINT.values(complaint)) is not None


async def select(db: Queries, merchant_id: int, complaint_id: int) -> Complaint | None:
    """Return one complaint."""
    row = await db.fetchrow(SELECT, merchant_id, complaint_id)
    return COMPLAINT.read(row) if row else None


async def of_payment(db: Queries, merchant_id: int, payment_id: int) -> list[Complaint]:
    """Return the complaints about a payment, oldest first."""
    rows = await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)
    return [COMPLAINT.read(row) for row in rows]


async def waiting(db: Queries, merchant_id: int, limit: int) -> list[Complaint]:
    """Return a merchant's complaints that wait for an answer, the earliest deadline first."""
    return [COMPLAINT.read(row) for row in await db.fetch(SELECT_OPEN, merchant_id, limit)]


async def answer(
    db: Queries, key: tuple[int, int], text: str, by: str, now: datetime
) -> Complaint | None:
    """Answer a complaint that waits; None for any other. key: merchant, complaint."""
    before = states_before(ComplaintState.ANSWERED)
    row = await db.fetchrow(ANSWER, *key, text, by, now, before)
    return COMPLAINT.read(row) if row else None


async def close(db: Queries, merchant_id: int, payment_id: int, now: datetime) -> None:
    """Close what is not closed of a payment's complaints."""
    await db.execute(CLOSE, merchant_id, payment_id, now, states_before(ComplaintState.CLOSED))
