"""All SQL about vouchers."""

from hundi_testbed.bank.cash.rules import CashVoucher
from hundi_testbed.bank.database import BankDatabase

_COLUMNS = "number, reference, payee_name, amount_paise, currency, expires_at"
_OPEN = f"INSERT INTO vouchers ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING"
_OF_REFERENCE = f"SELECT {_COLUMNS} FROM vouchers WHERE reference = $1"
_OF_NUMBER = f"SELECT {_COLUMNS} FROM vouchers WHERE number = $1"


async def open_voucher(db: BankDatabase, voucher: CashVoucher) -> CashVoucher | None:
    """Write a voucher, and return the stored one of its reference."""
    v = voucher
    await db.fetch(
        _OPEN, v.number, v.reference, v.payee_name, v.amount_paise, v.currency, v.expires_at
    )
    return await of_reference(db, v.reference)


async def of_reference(db: BankDatabase, reference: str) -> CashVoucher | None:
    """Return the voucher of a reference."""
    row = await db.fetchrow(_OF_REFERENCE, reference)
    return CashVoucher(**dict(row)) if row else None


async def find(db: BankDatabase, number: str) -> CashVoucher | None:
    """Return the voucher of a number."""
    row = await db.fetchrow(_OF_NUMBER, number)
    return CashVoucher(**dict(row)) if row else None
