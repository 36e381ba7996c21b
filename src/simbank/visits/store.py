"""All SQL about visits to the pages of banks and wallets."""

# ruff: noqa: S608  (what is put into a text here is our own lists of columns)

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from simbank.database import Books
from simbank.store import PAYMENT_COLUMNS, Payment, payment_arguments
from simbank.visits.rules import BY_CODE, House, Step

_COLUMNS = "visit_id, reference, method, bank_code, return_url, customer, step, expires_at"
_OPEN = f"""
WITH opened AS (
    INSERT INTO payments ({PAYMENT_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    ON CONFLICT (reference) DO NOTHING
    RETURNING reference, method)
INSERT INTO visits (visit_id, reference, method, bank_code, return_url, step, expires_at)
SELECT $18, reference, method, $19, $20, $21, $22::timestamptz FROM opened
RETURNING true
"""
_MOVE = """
UPDATE visits SET step = $3, customer = $4 WHERE visit_id = $1 AND step = $2 RETURNING true
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A customer at a bank's page."""

    visit_id: str
    reference: str
    house: House
    return_url: str
    step: Step
    expires_at: datetime
    customer: str = ""


def _visit(row: asyncpg.Record) -> Visit:
    return Visit(
        visit_id=row["visit_id"],
        reference=row["reference"],
        house=BY_CODE[row["method"], row["bank_code"]],
        return_url=row["return_url"],
        step=Step(row["step"]),
        expires_at=row["expires_at"],
        customer=row["customer"],
    )


async def open_visit(db: Books, payment: Payment, visit: Visit) -> bool:
    """Write a payment that waits for its customer; False when the reference is taken."""
    where = (visit.visit_id, visit.house.code, visit.return_url, visit.step, visit.expires_at)
    return await db.fetchval(_OPEN, *payment_arguments(payment), *where) is True


async def find(db: Books, visit_id: str) -> Visit | None:
    """Return a visit by its own id."""
    row = await db.fetchrow(f"SELECT {_COLUMNS} FROM visits WHERE visit_id = $1", visit_id)
    return _visit(row) if row else None


async def find_by_reference(db: Books, reference: str) -> Visit | None:
    """Return the visit of a payment."""
    row = await db.fetchrow(f"SELECT {_COLUMNS} FROM visits WHERE reference = $1", reference)
    return _visit(row) if row else None


async def move(db: Books, visit: Visit, step: Step, customer: str) -> bool:
    """Take a visit to its next step; False when it has moved meanwhile."""
    return await db.fetchval(_MOVE, visit.visit_id, visit.step, step, customer) is True


async def stale(db: Books, now: datetime, limit: int) -> list[Visit]:
    """Return open visits whose time is over."""
    query = f"SELECT {_COLUMNS} FROM visits WHERE step <> 'ended' AND expires_at <= $1 LIMIT $2"
    return [_visit(row) for row in await db.fetch(query, now, limit)]
