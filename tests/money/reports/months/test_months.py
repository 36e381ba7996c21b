"""Settlements, items and fees of a month agree with the ledger to the paisa, or are not made."""

import csv
import io
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from hundi.infra.postgres.database import Database
from hundi.money.fees import actions as fees
from hundi.money.reports.actions import LineWriter, UnbalancedError
from hundi.money.reports.months import actions
from hundi.money.reports.payments.actions import write_payments
from hundi.money.reports.rules import DaySpan
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay, refund, share
from tests.recording import BY

NOVEMBER = DaySpan(date(2026, 11, 1), date(2026, 11, 30))
PLAN = (
    "[otherwise]\nbasis_points = 200\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)
LEDGER = """
SELECT coalesce(sum(CASE $2 WHEN credit THEN amount_paise WHEN debit THEN -amount_paise END),
    0)::bigint FROM ledger_postings WHERE merchant_id = $1 AND at >= $3 AND at < $4
"""
Write = Callable[[Database, int, DaySpan, LineWriter], Awaitable[int]]


@pytest.fixture
async def books(db: Database) -> Database:
    """Two settled days with fees, a refund, a share, and an order that begins like a formula."""
    await open_merchant(db)
    await fees.publish(db, MERCHANT, PLAN, None, "asha", BY, NOON)
    await pay(db, 1, 5_000_33, method="netbanking")
    await pay(db, 2, 300_00)
    await share(db, 1, 5_000_33, {"WEAVER": 1_000_00})
    await refund(db, 9, 2, 50_07)
    await db.execute("UPDATE payments SET order_id = '-1-2' WHERE payment_id = 2")
    await settlements.run(db, TUESDAY)
    await pay(db, 3, 777_77, at=TUESDAY, method="wallet")
    await settlements.run(db, TUESDAY + timedelta(days=1))
    return db


async def lines_of(db: Database, write: Write, span: DaySpan = NOVEMBER) -> list[dict[str, str]]:
    out = io.StringIO(newline="")
    written = await write(db, MERCHANT, span, csv.writer(out))
    lines = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
    assert written == len(lines) + 1
    return lines


async def posted(db: Database, account: str) -> Decimal:
    bounds: tuple[datetime, datetime] = (NOVEMBER.begins, NOVEMBER.ends)
    return Decimal(await db.fetchval(LEDGER, MERCHANT, account, *bounds)) / 100


async def test_a_month_of_settlements_is_what_the_ledger_says(books: Database) -> None:
    *days, total = await lines_of(books, actions.write_month)
    assert [each["day"] for each in days] == ["2026-11-17", "2026-11-18"]
    assert Decimal(total["fees"]) == await posted(books, "fee_income") > 0
    assert Decimal(total["gst"]) == await posted(books, "tax_payable") > 0
    due = await posted(books, "settlement_due") + await posted(books, "payable_linked")
    assert Decimal(total["paid_out"]) + Decimal(total["linked_accounts"]) == due
    for name in ("gross", "refunds", "disputes_and_corrections", "fees", "gst", "paid_out"):
        assert sum(Decimal(each[name]) for each in days) == Decimal(total[name]), name
    owed = Decimal(total["gross"]) - Decimal(total["refunds"])
    taken = Decimal(total["fees"]) + Decimal(total["gst"])
    assert owed - taken == due
    sums = await actions.sums_of(books, MERCHANT, NOVEMBER)
    assert Decimal(sums.net_paise) / 100 == Decimal(total["paid_out"])
    assert (
        await lines_of(books, actions.write_month, DaySpan(date(2026, 12, 1), date(2026, 12, 31)))
    )[0]["items"] == "0"


async def test_items_and_fees_come_to_the_same(books: Database) -> None:
    month = (await lines_of(books, actions.write_month))[-1]
    *items, total = await lines_of(books, actions.write_items)
    assert [each["order_id"] for each in items if each["payment_id"]] == [
        "order-1",
        "'-1-2",
        "order-3",
    ]
    assert items[0]["rrn"] == "debit-1"
    assert (total["fee"], total["gst"]) == (month["fees"], month["gst"])
    *charged, fee_total = await lines_of(books, actions.write_fees)
    assert (fee_total["fee"], fee_total["gst"]) == (month["fees"], month["gst"])
    assert sum(Decimal(each["fee"]) for each in charged) == Decimal(month["fees"])


async def test_payments_have_their_cost_and_settlement(books: Database) -> None:
    lines = await lines_of(books, write_payments, DaySpan(date(2019, 12, 31), date(2020, 1, 2)))
    assert [(each["orderid"], each["rrn"], each["fee"], each["gst"]) for each in lines] == [
        ("order-1", "debit-1", "100.01", "18.00"),
        ("'-1-2", "debit-2", "0.00", "0.00"),
        ("order-3", "debit-3", "15.56", "2.80"),
    ]
    assert all(each["settlement"].startswith(f"{MERCHANT}-") for each in lines)


DEARER = (
    "UPDATE settlement_items SET fee_paise = fee_paise + 1, net_paise = net_paise - 1"
    " WHERE cause_id = 1"
)


@pytest.mark.parametrize(
    ("change", "write"),
    [
        ("UPDATE settlements SET fee_paise = fee_paise + 1, carried_paise = carried_paise - 1",
         actions.write_month),
        (DEARER, actions.write_items),
        (DEARER, actions.write_fees),
    ],
)  # fmt: skip
async def test_what_differs_from_the_ledger_is_not_made(
    books: Database, change: str, write: Write
) -> None:
    for table in ("settlements", "settlement_items"):
        await books.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await books.execute(change)
    with pytest.raises(UnbalancedError):
        await write(books, MERCHANT, NOVEMBER, csv.writer(io.StringIO()))
