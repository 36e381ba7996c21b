"""The actions of terminals: register, sell, list."""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import ForeignKeyViolationError, UniqueViolationError

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.directory.rules import Merchant, is_listed
from hundi.partners.pos import rules, store
from hundi.partners.pos.rules import Sale, SaleRecord


async def register(
    db: Database,
    merchant_id: int,
    terminal_id: str,
    label: str,
    now: datetime,
    *,
    manager: str | None = None,
    beside: Beside | None = None,
) -> None:
    """Register a merchant's terminal, or open it again.

    manager: affiliate code of the partner who reports its sales, "" for nobody, None leaves it as
    it is. beside: what is written with it. Raises Refused (FIELD_INVALID, MERCHANT_UNKNOWN).
    """
    rules.check_terminal(terminal_id, label)
    try:
        async with db.transaction() as conn:
            await store.put_terminal(conn, merchant_id, terminal_id, label, manager, now)
            if beside is not None:
                await beside(conn, merchant_id)
    except ForeignKeyViolationError:
        raise refuse(
            RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=str(merchant_id)
        ) from None


async def close(
    db: Database, merchant_id: int, terminal_id: str, now: datetime, beside: Beside | None = None
) -> None:
    """Close a terminal. Raises Refused (NO_RECORDS)."""
    async with db.transaction() as conn:
        if not await store.close_terminal(conn, merchant_id, terminal_id, now):
            raise refuse(RefusalCode.NO_RECORDS, field="terminal_id", received=terminal_id[:32])
        if beside is not None:
            await beside(conn, merchant_id)


async def record(db: Database, sale: Sale) -> int:
    """Record a sale and return its transaction id; a repeated reference returns the same id.

    Raises Refused (FIELD_INVALID, REQUEST_ID_REUSED, NO_RECORDS when the merchant has no such open
    terminal).
    """
    rules.check_sale(sale)
    for _ in range(ID_TRIES_MAX):
        try:
            async with db.transaction() as conn:
                new = await store.insert_sale(conn, sale, new_id(sale.at))
                stored = (
                    await store.sale_of(conn, sale.merchant_id, sale.terminal_id, sale.reference)
                    if new is None
                    else None
                )
        except UniqueViolationError:
            continue  # duplicate id
        if new is not None:
            return new
        if stored is None:
            raise refuse(
                RefusalCode.NO_RECORDS, field="terminal_id", received=sale.terminal_id[:32]
            )
        if not stored.is_of(sale):
            raise refuse(RefusalCode.REQUEST_ID_REUSED, field="reference", received=sale.reference)
        return stored.transaction_id
    message = "no free transaction id found"
    raise RuntimeError(message)


async def record_all(
    db: Database, manager: str, merchant_id: int, sales: Sequence[Sale]
) -> list[tuple[int, bool] | Refusal]:
    """Record a manager's sales in one transaction, and return the result of each.

    A result is the transaction id and whether it is new, or a refusal: NO_RECORDS when this manager
    has no such open terminal of the merchant, REQUEST_ID_REUSED for the reference of another sale.
    The caller has called `check_sale`.
    """
    for _ in range(ID_TRIES_MAX):
        numbered = [(new_id(sale.at), sale) for sale in sales]
        try:
            async with db.transaction() as conn:
                await store.insert_sales(conn, manager, merchant_id, numbered)
                stored = await store.known_sales(conn, manager, merchant_id, sales)
        except UniqueViolationError:
            continue  # duplicate id
        return [
            _became(sale, stored.get((sale.terminal_id, sale.reference)), ours)
            for ours, sale in numbered
        ]
    message = "no free transaction ids found"
    raise RuntimeError(message)


def _became(sale: Sale, stored: SaleRecord | None, ours: int) -> tuple[int, bool] | Refusal:
    if stored is None:
        return Refusal(RefusalCode.NO_RECORDS, field="terminalid", received=sale.terminal_id[:32])
    if not stored.is_of(sale):
        return Refusal(RefusalCode.REQUEST_ID_REUSED, field="reference", received=sale.reference)
    return stored.transaction_id, stored.transaction_id == ours


def check_asker(merchant: Merchant, address: str) -> None:
    """Raise Refused unless an address may see a merchant's sales.

    Codes: ADDRESS_NOT_LISTED, MERCHANT_SUSPENDED.
    """
    if not is_listed(address, merchant.settings.pos_addresses):
        allowed = ", ".join(merchant.settings.pos_addresses) or "nobody: the list is empty"
        # No setting is named that would let this address in: the caller may be anybody.
        raise refuse(
            RefusalCode.ADDRESS_NOT_LISTED, detail=f"{address} is not on the list: {allowed}"
        )
    if merchant.suspended:
        raise refuse(RefusalCode.MERCHANT_SUSPENDED)


async def find(db: Database, merchant: Merchant, terminal_id: str, reference: str) -> SaleRecord:
    """Return a terminal's sale by its own reference. Raises Refused (NO_RECORDS)."""
    if not await store.is_open(db, merchant.merchant_id, terminal_id):
        raise refuse(RefusalCode.NO_RECORDS, field="terminalid", received=terminal_id[:32])
    sale = await store.sale_of(db, merchant.merchant_id, terminal_id, reference)
    if sale is None:
        raise refuse(RefusalCode.NO_RECORDS, field="referenceid", received=reference[:32])
    return sale


async def listing(
    db: Database, merchant: Merchant, terminal_id: str, now: datetime
) -> list[SaleRecord]:
    """Return a terminal's latest sales. Raises Refused (NO_RECORDS)."""
    if not await store.is_open(db, merchant.merchant_id, terminal_id):
        raise refuse(RefusalCode.NO_RECORDS, field="terminalid", received=terminal_id[:32])
    return await store.sales(
        db, merchant.merchant_id, terminal_id, now - rules.LISTED_FOR, rules.LISTED_MAX
    )
