"""All SQL about redirects to the pages of banks and wallets."""

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.redirects.rules import BY_CODE, ListedBank, PageStep
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import PAYMENT_COLUMNS, payment_arguments

_COLUMNS = "redirect_id, reference, method, bank_code, return_url, customer, step, expires_at"
_OPEN = f"""
WITH opened AS (
    INSERT INTO payments ({PAYMENT_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    ON CONFLICT (reference) DO NOTHING
    RETURNING reference, method)
INSERT INTO redirects (redirect_id, reference, method, bank_code, return_url, step, expires_at)
SELECT $18, reference, method, $19, $20, $21, $22::timestamptz FROM opened
RETURNING true
"""
_MOVE = """
UPDATE redirects SET step = $3, customer = $4 WHERE redirect_id = $1 AND step = $2 RETURNING true
"""


@dataclass(frozen=True, slots=True)
class RedirectVisit:
    """A customer at a bank's page."""

    redirect_id: str
    reference: str
    bank: ListedBank
    return_url: str
    step: PageStep
    expires_at: datetime
    customer: str = ""


def _redirect(row: asyncpg.Record) -> RedirectVisit:
    return RedirectVisit(
        redirect_id=row["redirect_id"],
        reference=row["reference"],
        bank=BY_CODE[row["method"], row["bank_code"]],
        return_url=row["return_url"],
        step=PageStep(row["step"]),
        expires_at=row["expires_at"],
        customer=row["customer"],
    )


async def open_redirect(db: BankDatabase, payment: BankPayment, redirect: RedirectVisit) -> bool:
    """Write a payment that waits for its customer; False when the reference is used."""
    where = (
        redirect.redirect_id,
        redirect.bank.code,
        redirect.return_url,
        redirect.step,
        redirect.expires_at,
    )
    return await db.fetchval(_OPEN, *payment_arguments(payment), *where) is True


async def find(db: BankDatabase, redirect_id: str) -> RedirectVisit | None:
    """Return a redirect by its own id."""
    row = await db.fetchrow(f"SELECT {_COLUMNS} FROM redirects WHERE redirect_id = $1", redirect_id)
    return _redirect(row) if row else None


async def find_by_reference(db: BankDatabase, reference: str) -> RedirectVisit | None:
    """Return the redirect of a payment."""
    row = await db.fetchrow(f"SELECT {_COLUMNS} FROM redirects WHERE reference = $1", reference)
    return _redirect(row) if row else None


async def move(db: BankDatabase, redirect: RedirectVisit, step: PageStep, customer: str) -> bool:
    """Move a redirect to another step; False when its step was changed in the meantime."""
    return await db.fetchval(_MOVE, redirect.redirect_id, redirect.step, step, customer) is True


async def stale(db: BankDatabase, now: datetime, limit: int) -> list[RedirectVisit]:
    """Return expired open redirects."""
    query = f"SELECT {_COLUMNS} FROM redirects WHERE step <> 'ended' AND expires_at <= $1 LIMIT $2"
    return [_redirect(row) for row in await db.fetch(query, now, limit)]
