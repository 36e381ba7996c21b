"""Invoices: numbers without a gap, sums that are the books', levies by state."""

from datetime import UTC, date, datetime, timedelta

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.audit import actions as audit
from hundi.money.audit.rules import Violation
from hundi.money.fees import actions as fees
from hundi.money.reports.actions import UnbalancedError
from hundi.money.reports.invoices import actions, rules, store
from hundi.money.reports.invoices.rules import OPERATOR, Charges, Invoice, InvoiceTaxes, Party
from hundi.money.reports.pages import invoice_pdf
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay
from tests.recording import BY, record_act

OURS = Party("Hundi Payments", "1 Fort, Mumbai 400001", "27", "27AAPFU0939F1ZV", "AAPFU0939F")
SHOP = Party("Asha & Sons <Books>", "2 MG Road, Bengaluru", "29")
DECEMBER = datetime(2026, 12, 2, 6, 30, tzinfo=UTC)
NOVEMBER = date(2026, 11, 1)
PLAN = (
    "[otherwise]\nfixed_paise = 1001\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)


async def sell(db: Database, merchant_id: int) -> None:
    await open_merchant(db, merchant_id)
    await fees.publish(db, merchant_id, PLAN, None, "asha", BY, NOON)
    await pay(db, merchant_id * 10, 5_000_00, method="netbanking", merchant_id=merchant_id)
    await pay(
        db,
        merchant_id * 10 + 1,
        500_00,
        method="card",
        merchant_id=merchant_id,
        card={"type": "credit"},
    )


async def name_all(db: Database, *merchant_ids: int) -> None:
    await actions.name_party(db, OPERATOR, OURS, "asha", NOON, record_act)
    for each in merchant_ids:
        await actions.name_party(db, each, SHOP, "asha", NOON, record_act)


async def test_a_month_has_one_invoice_that_is_what_was_posted(db: Database) -> None:
    await sell(db, MERCHANT)
    await settlements.run(db, TUESDAY)
    await name_all(db, MERCHANT)
    issued = await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER)
    assert issued is not None
    assert (issued.number, issued.issued_on) == ("26-27/000001", date(2026, 12, 2))
    assert issued.charges == Charges(10_01, 10_01, 0, 1_80)
    assert issued.taxes == InvoiceTaxes(igst_paise=1_80)
    await actions.name_party(db, MERCHANT, replace(SHOP, state="27"), "asha", DECEMBER, record_act)
    assert await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER + timedelta(days=40)) == issued
    assert await store.invoices_of(db, MERCHANT) == [issued]
    pdf = invoice_pdf(issued)
    assert pdf.startswith(b"%PDF-")
    assert pdf == invoice_pdf(issued)


async def test_what_is_settled_after_the_invoice_is_on_the_next_one(db: Database) -> None:
    await sell(db, MERCHANT)
    await settlements.run(db, TUESDAY)
    await name_all(db, MERCHANT)
    issued = await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER)
    await pay(db, 7, 5_000_00, method="netbanking", at=TUESDAY)
    last_day = date(2026, 11, 30)
    assert (
        await settlements.run_one(db, MERCHANT, DECEMBER, last_day)
    ).outcome is settlements.DayOutcome.PASSED
    assert (
        await settlements.run_one(db, MERCHANT, DECEMBER)
    ).outcome is settlements.DayOutcome.SETTLED
    assert await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER) == issued
    after = await actions.issue(db, MERCHANT, date(2026, 12, 1), DECEMBER + timedelta(days=31))
    assert after is not None
    assert after.charges.fee_paise == 10_01
    report = await audit.audit(db, [], DECEMBER)
    assert Violation.INVOICE_DIFFERS not in {
        each.violation for each in report.checked if each.count
    }


async def test_numbers_follow_each_other_over_all_merchants(db: Database) -> None:
    merchants = (MERCHANT, MERCHANT + 1, MERCHANT + 2)
    for each in merchants:
        await sell(db, each)
    await settlements.run(db, TUESDAY)
    await name_all(db, MERCHANT, MERCHANT + 2)
    assert (await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER) or OURS).number == "26-27/000001"  # type: ignore[union-attr]
    with pytest.raises(Refused):
        await actions.issue(db, MERCHANT + 1, NOVEMBER, DECEMBER)
    assert await actions.issue(db, MERCHANT + 2, date(2026, 10, 1), DECEMBER) is None
    assert (
        await actions.issue(db, MERCHANT + 2, NOVEMBER, DECEMBER) or OURS
    ).number == "26-27/000002"  # type: ignore[union-attr]
    assert await db.fetchval("SELECT last_no FROM invoice_series WHERE financial_year = 2026") == 2


async def test_what_the_books_do_not_say_is_not_invoiced(db: Database) -> None:
    await sell(db, MERCHANT)
    await settlements.run(db, TUESDAY)
    await name_all(db, MERCHANT)
    await db.execute("ALTER TABLE ledger_postings DISABLE TRIGGER USER")
    await db.execute(
        "UPDATE ledger_postings SET amount_paise = amount_paise + 1 WHERE kind = 'settlement_fee'"
    )
    with pytest.raises(
        UnbalancedError, match="charged 2002 and 180 paise tax, posted 2003 and 180"
    ):
        await actions.issue(db, MERCHANT, NOVEMBER, DECEMBER)
    assert await db.fetchval("SELECT count(*) FROM invoice_series") == 0


async def test_a_month_that_is_not_over_has_no_invoice(db: Database) -> None:
    with pytest.raises(Refused) as refused:
        await actions.issue(db, MERCHANT, NOVEMBER, datetime(2026, 11, 30, 18, 0, tzinfo=UTC))
    assert refused.value.refusal.field == "month"


async def test_an_invoice_never_changes(db: Database) -> None:
    await test_a_month_has_one_invoice_that_is_what_was_posted(db)
    for statement in (
        "UPDATE fee_invoices SET serial_no = 2",
        "DELETE FROM fee_invoices",
        "DELETE FROM tax_parties",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)


@pytest.mark.parametrize(
    ("party", "field"),
    [
        (replace(OURS, name=""), "name"),
        (replace(OURS, address="a\nb"), "address"),
        (replace(OURS, state="00"), "state"),
        (replace(OURS, gstin="27AAPFU0939F1ZX"), "gstin"),
        (replace(OURS, state="29"), "gstin"),
        (replace(OURS, pan="X"), "pan"),
        (replace(OURS, pan="AAPFU0939G"), "pan"),
    ],
)
def test_what_is_wrong_with_a_party_is_named(party: Party, field: str) -> None:
    fault = party.fault()
    assert fault is not None
    assert fault[0] == field
    assert OURS.fault() is None
    assert SHOP.fault() is None


@given(st.integers(0, 10**12), st.booleans())
def test_levies_are_the_tax(tax: int, same: bool) -> None:  # noqa: FBT001 (Hypothesis)
    taxes = rules.split_tax(tax, OURS, OURS if same else SHOP)
    assert taxes.cgst_paise + taxes.sgst_paise + taxes.igst_paise == tax
    assert (taxes.igst_paise == tax) is (not same or tax == 0)
    assert 0 <= taxes.cgst_paise - taxes.sgst_paise <= 1


def test_numbers_are_short_enough() -> None:
    assert rules.number_of(2099, 10**9 - 1) == "99-00/999999999"
    assert len(rules.number_of(2099, 10**10 - 1)) <= rules.NUMBER_LENGTH_MAX
    years = {date(2026, 3, 31): 2025, date(2026, 4, 1): 2026, date(2027, 1, 1): 2026}
    assert {day: rules.financial_year(day) for day in years} == years


def test_letters_that_no_font_has_stop_no_invoice() -> None:
    party = replace(SHOP, name="\u0906\u0936\u093e \u20b9")
    drawn = Invoice(
        7,
        NOVEMBER,
        2026,
        1,
        date(2026, 12, 1),
        OURS,
        party,
        Charges(100, 0, 0, 18),
        InvoiceTaxes(9, 9),
    )
    assert invoice_pdf(drawn).startswith(b"%PDF-")
