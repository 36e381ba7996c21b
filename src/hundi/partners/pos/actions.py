"""The actions of terminals: register, sell, list."""

from datetime import datetime

from asyncpg import ForeignKeyViolationError, UniqueViolationError

from hundi.infra.database import Database
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.rules import Merchant
from hundi.partners.pos import rules, store
from hundi.partners.pos.rules import Kept, Sale

_ID_TRIES_MAX = 5


async def register(db: Database, merchant_id: int, terminal_id: str, label: str, now: datetime) -> None:
    """Register a merchant's terminal, or open it again.

    Raises Refused (FIELD_INVALID, MERCHANT_UNKNOWN).
    """
    rules.check_terminal(terminal_id, label)
    try:
        async with db.transaction() as conn:
            await store.put_terminal(conn, merchant_id, terminal_id, label, now)
    except ForeignKeyViolationError:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)) from None


async def close(db: Database, merchant_id: int, terminal_id: str, now: datetime) -> None:
    """Take a terminal out of use. Raises Refused (NO_RECORDS)."""
    if not await store.close_terminal(db, merchant_id, terminal_id, now):
        raise refuse(RefusalCode.NO_RECORDS, field="terminal_id", received=terminal_id[:32])


async def record(db: Database, sale: Sale) -> int:
    """Record a sale and return its transaction id; a repeated reference returns the same id.

    Raises Refused (FIELD_INVALID, REQUEST_ID_REUSED, NO_RECORDS when the merchant has no such terminal in use).
    """
    rules.check_sale(sale)
    for _ in range(_ID_TRIES_MAX):
        try:
            async with db.transaction() as conn:
                new = await store.insert_sale(conn, sale, new_id(sale.at))
                known = await store.sale_of(conn, sale) if new is None else None
        except UniqueViolationError:
            continue  # duplicate id
        if new is not None:
            return new
        if known is None:
            raise refuse(RefusalCode.NO_RECORDS, field="terminal_id", received=sale.terminal_id[:32])
        if not known.is_of(sale):
            raise refuse(RefusalCode.REQUEST_ID_REUSED, field="reference", received=sale.reference)
        return known.transaction_id
    message = "no free transaction id found"
    raise RuntimeError(message)


def check_asker(merchant: Merchant, address: str) -> None:
    """Raise Refused unless an address may see a merchant's sales.

    Codes: ADDRESS_NOT_LISTED, MERCHANT_SUSPENDED.
    """
    if not rules.may_ask(address, merchant.settings.pos_addresses):
        allowed = ", ".join(merchant.settings.pos_addresses) or "nobody: the list is empty"
        raise refuse(RefusalCode.ADDRESS_NOT_LISTED, detail=f"{address} is not on the list: {allowed}")
    if merchant.suspended:
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)


async def listing(db: Database, merchant: Merchant, terminal_id: str, now: datetime) -> list[Kept]:
    """Return what was sold through a terminal lately. Raises Refused (NO_RECORDS)."""
    if not await store.is_open(db, merchant.merchant_id, terminal_id):
        raise refuse(RefusalCode.NO_RECORDS, field="terminalid", received=terminal_id[:32])
    return await store.sales(db, merchant.merchant_id, terminal_id, now - rules.LISTED_FOR, rules.LISTED_MAX)
