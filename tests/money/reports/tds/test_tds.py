"""TDS data: quarters, sections of a day, and lines that agree with books and invoices."""

import csv
import io
from datetime import UTC, date, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refused
from hundi.money.fees import actions as fees
from hundi.money.reports.actions import UnbalancedError
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices.rules import OPERATOR, Party
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.tds import rules
from hundi.money.reports.tds.actions import write_tds
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay
from tests.recording import BY, record_act

LATER = date(2027, 6, 1)
QUARTER = DaySpan(date(2026, 10, 1), date(2026, 12, 31))
MORE = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
    at)
    VALUES ($1, 217383559999999, 'settlement_fee', 'payable', 'fee_income', 1, 'INR', $2)
"""
PLAN = (
    "[otherwise]\nfixed_paise = 1001\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-27-Q1", date(2026, 4, 1), date(2026, 6, 30)),
        ("2026-27-Q3", date(2026, 10, 1), date(2026, 12, 31)),
        ("2026-27-Q4", date(2027, 1, 1), date(2027, 3, 31)),
        ("2024-25-Q3", date(2024, 10, 1), date(2024, 12, 31)),
        ("2027-28-Q1", date(2027, 4, 1), date(2027, 6, 30)),
    ],
)
def test_a_quarter_is_of_the_financial_year(text: str, first: date, last: date) -> None:
    assert rules.quarter(text, LATER) == DaySpan(first, last)


@pytest.mark.parametrize(
    "text", ["", "2026-Q3", "2026-28-Q3", "2026-27-Q5", "2026-27-q3", "2024-25-Q2", "2027-28-Q2"]
)
def test_what_is_no_quarter_or_has_not_begun_or_is_too_early_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        rules.quarter(text, LATER)


def test_sections_are_those_of_the_act_in_force() -> None:
    for about in (rules.FEES, rules.SALES):
        assert "of 1961" in rules.section_of(about, date(2026, 3, 31)).name
        assert "of 2025" in rules.section_of(about, date(2026, 4, 1)).name


async def written(
    db: Database, span: DaySpan = QUARTER, today: date = LATER
) -> list[dict[str, str]]:
    out = io.StringIO()
    lines = await write_tds(db, MERCHANT, span, csv.writer(out), today)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert lines == len(rows) + 1
    return rows


async def settle_two(db: Database) -> None:
    await open_merchant(db, MERCHANT)
    await fees.publish(db, MERCHANT, PLAN, None, "asha", BY, NOON)
    for payment in (1, 2):
        await pay(db, payment, 5_000_00, method="netbanking")
    await settlements.run(db, TUESDAY)


async def test_the_lines_come_to_the_ledger_and_the_invoice(db: Database) -> None:
    await settle_two(db)
    for who in (OPERATOR, MERCHANT):
        await invoices.name_party(
            db, who, Party("Asha", "1 Fort, Mumbai", "27"), "asha", NOON, record_act
        )
    issued = await invoices.issue(
        db, MERCHANT, date(2026, 11, 1), datetime(2026, 12, 2, 6, 30, tzinfo=UTC)
    )
    assert issued is not None
    settled, invoice, total, commission, sales = await written(db)
    assert (settled["entry"], settled["sales"], settled["fee"], settled["gst"]) == (
        *("settlement", "10000.00"),
        *("20.02", "3.60"),
    )
    assert (invoice["reference"], invoice["fee"], invoice["gst"]) == (
        issued.number,
        "20.02",
        "3.60",
    )
    assert (total["sales"], total["fee"], total["gst"]) == ("10000.00", "20.02", "3.60")
    assert (commission["section"], commission["rate_percent"], commission["fee"]) == (
        *("393(1) Sl. 1(ii) of 2025", "2"),
        "20.02",
    )
    assert (sales["section"], sales["rate_percent"], sales["sales"]) == (
        "393(1) Sl. 8(v) of 2025",
        "0.1",
        "10000.00",
    )
    running = await written(db, today=date(2026, 12, 31))
    assert [row["entry"] for row in running] == [
        *(
            "settlement",
            "not over yet: as of 2026-12-31",
            "invoice of 2026-11",
            "total",
            rules.FEES,
            rules.SALES,
        )
    ]
    assert running[-3:] == [total, commission, sales]
    nothing = await written(db, DaySpan(date(2026, 7, 1), date(2026, 9, 30)))
    assert [row["entry"] for row in nothing] == ["total", rules.FEES, rules.SALES]


async def test_a_report_that_differs_from_the_books_is_not_printed(db: Database) -> None:
    await settle_two(db)
    await db.execute(MORE, MERCHANT, TUESDAY)
    with pytest.raises(UnbalancedError, match="the books say 2003"):
        await written(db)
