"""The actions of invoices: set a party's name, issue a month's invoice."""

from datetime import date, datetime

from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.actions import UnbalancedError
from hundi.money.reports.invoices import store
from hundi.money.reports.invoices.rules import (
    OPERATOR,
    Charges,
    Invoice,
    Party,
    financial_year,
    month_of,
    split_tax,
)
from hundi.money.settlements import store as settlements


async def name_party(
    db: Database, merchant_id: int, party: Party, by: str, now: datetime, recorded: Beside
) -> int:
    """Write the name and address of a merchant or the operator from now on.

    recorded: the entry in the trail. Returns the number of this version.

    Raises Refused: FIELD_INVALID.
    """
    if fault := party.fault():
        field, received, allowed = fault
        raise refuse(RefusalCode.FIELD_INVALID, field=field, received=received, allowed=allowed)
    async with db.transaction() as conn:
        version = await store.insert_party(conn, merchant_id, party, by, now)
        await recorded(conn, version)
    return version


async def party_of(db: Database, merchant_id: int) -> Party | None:
    """Return the present name and address of a merchant, None if the operator wrote none."""
    return await store.party_of(db, merchant_id)


async def issue(db: Database, merchant_id: int, month: date, now: datetime) -> Invoice | None:
    """Issue the invoice of an ended month, once, and return it; None if nothing was charged.

    Raises Refused: FIELD_INVALID for a month that is not over, or a party without a name;
    UnbalancedError if the books differ from the charges.
    """
    first = month.replace(day=1)
    today = business_day(now)
    if month_of(first).last >= today:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="month",
            received=f"{first:%Y-%m}",
            allowed="one that is over",
        )
    issued = await store.invoice_of(db, merchant_id, first)
    if issued is not None:
        return issued
    supplier, recipient = await _named(db, OPERATOR), await _named(db, merchant_id)
    try:
        async with db.transaction() as conn:
            # No day of the month is settled meanwhile; after the invoice none ever is.
            await settlements.lock_mark(conn, merchant_id)
            charged = await _charged(conn, merchant_id, first)
            if not charged.total_paise:
                return None
            year = financial_year(today)
            invoice = Invoice(
                merchant_id, first, year, await store.take_number(conn, year), today, supplier,
                recipient, charged, split_tax(charged.tax_paise, supplier, recipient),
            )  # fmt: skip
            await store.insert_invoice(conn, invoice)
    except UniqueViolationError:
        # Another process issued it; the number taken here is free again.
        return await store.invoice_of(db, merchant_id, first)
    return invoice


async def _named(db: Database, merchant_id: int) -> Party:
    party = await store.party_of(db, merchant_id)
    if party is None:
        who = "the operator" if merchant_id == OPERATOR else f"merchant {merchant_id}"
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="party",
            received="",
            allowed=f"{who} named on invoices before (in More, or by `hundi report party`)",
        )
    return party


async def _charged(conn: Connection, merchant_id: int, first: date) -> Charges:
    """Return the charges of a month, which must agree with the books."""
    span = month_of(first)
    charged = await store.charges(conn, merchant_id, span)
    posted = await store.posted(conn, merchant_id, span)
    if (charged.fee_paise, charged.tax_paise) != posted:
        raise UnbalancedError(
            f"{first:%Y-%m} of merchant {merchant_id}: charged {charged.fee_paise} and"
            f" {charged.tax_paise} paise tax, "
            f"posted {posted[0]} and {posted[1]}"
        )
    return charged
