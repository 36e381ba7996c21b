"""All SQL about money for account numbers and vouchers of orders."""

import asyncpg

from hundi_testbed.bank.database import BankDatabase

_KEEP = """
INSERT INTO transfers (utr, account, mode, remitter) VALUES ($1, $2, $3, $4) ON CONFLICT (utr)
    DO NOTHING
"""
_FIND = "SELECT account, mode, remitter FROM transfers WHERE utr = $1"
_OF_ACCOUNT = """
SELECT t.utr, t.mode, p.amount_paise, p.currency FROM transfers t
    JOIN payments p ON p.reference = t.utr
WHERE t.account = $1 AND p.status = 'paid' ORDER BY p.at, t.utr
"""
_ACCOUNT_OF = "SELECT account FROM transfers WHERE utr = $1"


async def account_of(db: BankDatabase, utr: str) -> str:
    """Return the reference of a transfer's account or voucher, "" if there is none."""
    return await db.fetchval(_ACCOUNT_OF, utr) or ""


async def keep(db: BankDatabase, utr: str, account: str, mode: str, remitter: str) -> bool:
    """Write a transfer; return whether its UTR's stored transfer is this one."""
    await db.fetch(_KEEP, utr, account, mode, remitter)
    row = await db.fetchrow(_FIND, utr)
    return row is not None and tuple(row.values()) == (account, mode, remitter)


async def of_account(db: BankDatabase, account: str) -> list[asyncpg.Record]:
    """Return every transfer that moved money to the account of a reference, oldest first."""
    return await db.fetch(_OF_ACCOUNT, account)
