"""All SQL of invoices and their parties."""

from dataclasses import asdict, fields
from datetime import date, datetime
from typing import Any

from msgspec import convert

from hundi.infra.postgres.database import Connection, Queries, Record
from hundi.money.reports.invoices.rules import Charges, Invoice, InvoiceTaxes, Party
from hundi.money.reports.rules import DaySpan

_PARTY = ", ".join(each.name for each in fields(Party))
SELECT_PARTY = f"""
SELECT {_PARTY} FROM tax_parties WHERE merchant_id = $1 ORDER BY party_no DESC LIMIT 1
"""
NEXT_PARTY = "SELECT coalesce(max(party_no), 0) + 1 FROM tax_parties WHERE merchant_id = $1"
INSERT_PARTY = f"""
INSERT INTO tax_parties (merchant_id, party_no, {_PARTY}, written_by, written_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""

# The fees and tax posted in a month: the invoice must have the same sums.
SUM_POSTED = """
SELECT coalesce(sum(CASE 'fee_income' WHEN credit THEN amount_paise
    WHEN debit THEN -amount_paise END), 0)::bigint
        AS fee_paise,
    coalesce(sum(CASE 'tax_payable' WHEN credit THEN amount_paise
        WHEN debit THEN -amount_paise END), 0)::bigint
        AS tax_paise
FROM ledger_postings WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND ('fee_income' IN (debit, credit) OR 'tax_payable' IN (debit, credit))
        AND kind <> 'correction'
"""
# The same sums from the charged items. The cost of an attempt's instalments is the lender's part of
# the fee.
SUM_ITEMS = """
SELECT coalesce(sum(fee_paise - interest_paise) FILTER (WHERE tax_paise > 0),
    0)::bigint AS taxable_paise,
    coalesce(sum(fee_paise - interest_paise) FILTER (WHERE tax_paise = 0),
    0)::bigint AS exempt_paise, coalesce(sum(interest_paise), 0)::bigint AS other_paise,
    coalesce(sum(tax_paise), 0)::bigint AS tax_paise
FROM (
    SELECT i.fee_paise, i.tax_paise, least(coalesce(a.emi_discount_paise, 0),
    i.fee_paise) AS interest_paise
    FROM settlements s JOIN settlement_items i ON i.merchant_id = s.merchant_id
        AND i.settlement_id = s.settlement_id
        LEFT JOIN attempts a ON a.merchant_id = i.merchant_id AND a.attempt_id = i.cause_id
    WHERE s.merchant_id = $1 AND s.at >= $2 AND s.at < $3
) AS charged
"""
SUM_PRICES = """
SELECT coalesce(sum(price_paise), 0)::bigint AS taxable_paise, 0::bigint AS exempt_paise,
    0::bigint AS other_paise, coalesce(sum(price_tax_paise), 0)::bigint AS tax_paise
FROM settlements WHERE merchant_id = $1 AND at >= $2 AND at < $3
"""
SUM_DISPUTES = """
SELECT coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_fee'), 0)::bigint AS taxable_paise,
    0::bigint AS exempt_paise, 0::bigint AS other_paise,
    coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_tax'), 0)::bigint AS tax_paise
FROM ledger_postings WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND kind IN ('dispute_fee', 'dispute_tax')
"""
_INVOICE = (
    "merchant_id, month, financial_year, serial_no, issued_on, supplier, recipient, taxable_paise,"
    " exempt_paise, "
    "other_paise, cgst_paise, sgst_paise, igst_paise, total_paise"
)
SELECT_INVOICE = f"SELECT {_INVOICE} FROM fee_invoices WHERE merchant_id = $1 AND month = $2"
SELECT_INVOICES = f"""
SELECT {_INVOICE} FROM fee_invoices WHERE merchant_id = $1 ORDER BY month
"""
TAKE_NUMBER = """
INSERT INTO invoice_series (financial_year, last_no) VALUES ($1, 1)
ON CONFLICT (financial_year) DO UPDATE SET last_no = invoice_series.last_no + 1 RETURNING last_no
"""
INSERT_INVOICE = f"""
INSERT INTO fee_invoices ({_INVOICE}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    $13, $14)
"""


async def party_of(db: Queries, merchant_id: int) -> Party | None:
    """Return the current name and address of a merchant or the operator."""
    row = await db.fetchrow(SELECT_PARTY, merchant_id)
    return None if row is None else Party(**dict(row))


async def insert_party(db: Queries, merchant_id: int, party: Party, by: str, now: datetime) -> int:
    """Write the next version of a party, and return its number."""
    party_no = await db.fetchval(NEXT_PARTY, merchant_id)
    values = asdict(party)
    await db.execute(INSERT_PARTY, merchant_id, party_no, *values.values(), by, now)
    return party_no


async def posted(conn: Connection, merchant_id: int, span: DaySpan) -> tuple[int, int]:
    """Return the fees and the tax posted on some days."""
    row = await conn.fetchrow(SUM_POSTED, merchant_id, span.begins, span.ends)
    assert row is not None
    return row["fee_paise"], row["tax_paise"]


async def charges(conn: Connection, merchant_id: int, span: DaySpan) -> Charges:
    """Return a merchant's charges of some days, from the charged items."""
    sums = [
        await conn.fetchrow(query, merchant_id, span.begins, span.ends)
        for query in (SUM_ITEMS, SUM_PRICES, SUM_DISPUTES)
    ]
    return Charges(*(sum(row[each.name] for row in sums if row) for each in fields(Charges)))


async def prices(conn: Connection, merchant_id: int, span: DaySpan) -> Charges:
    """Return what settling at once was charged on some days."""
    row = await conn.fetchrow(SUM_PRICES, merchant_id, span.begins, span.ends)
    assert row is not None
    return Charges(**dict(row))


async def invoice_of(db: Queries, merchant_id: int, month: date) -> Invoice | None:
    """Return the invoice of a merchant's month."""
    row = await db.fetchrow(SELECT_INVOICE, merchant_id, month)
    return None if row is None else _invoice(row)


async def invoices_of(db: Queries, merchant_id: int) -> list[Invoice]:
    """Return a merchant's invoices, oldest first."""
    return [_invoice(row) for row in await db.fetch(SELECT_INVOICES, merchant_id)]


async def take_number(conn: Connection, year: int) -> int:
    """Return the next number of a financial year; a transaction without commit gives it back."""
    number: int | None = await conn.fetchval(TAKE_NUMBER, year)
    assert number is not None
    return number


async def insert_invoice(conn: Connection, invoice: Invoice) -> None:
    """Write an invoice. Raises asyncpg.UniqueViolationError if the month has one."""
    charges, taxes = invoice.charges, invoice.taxes
    await conn.execute(
        INSERT_INVOICE,
        invoice.merchant_id,
        invoice.month,
        invoice.financial_year,
        invoice.serial_no,
        invoice.issued_on,
        asdict(invoice.supplier),
        asdict(invoice.recipient),
        charges.taxable_paise,
        charges.exempt_paise,
        charges.other_paise,
        taxes.cgst_paise,
        taxes.sgst_paise,
        taxes.igst_paise,
        charges.total_paise,
    )


def _invoice(row: Record) -> Invoice:
    values: dict[str, Any] = dict(row)
    taxes = InvoiceTaxes(*(values[each.name] for each in fields(InvoiceTaxes)))
    tax_paise = taxes.cgst_paise + taxes.sgst_paise + taxes.igst_paise
    return Invoice(
        *(
            values[name]
            for name in ("merchant_id", "month", "financial_year", "serial_no", "issued_on")
        ),
        supplier=convert(values["supplier"], Party),
        recipient=convert(values["recipient"], Party),
        charges=Charges(
            values["taxable_paise"], values["exempt_paise"], values["other_paise"], tax_paise
        ),
        taxes=taxes,
    )
