"""Reports over all merchants are the merchants' own reports, and their sums are the ledger's."""

import csv
import io
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refused
from hundi.money.fees import actions as fees
from hundi.money.reports.across.rules import MerchantTotals, is_total, paise_of
from hundi.money.reports.actions import write_day_book
from hundi.money.reports.files import actions, jobs, store
from hundi.money.reports.files.rules import (
    ALL_MERCHANTS,
    KINDS,
    FileState,
    ReportFile,
    ReportFormat,
    ReportKind,
    ReportRequest,
    kinds_of,
)
from hundi.money.reports.months.actions import write_fees, write_month
from hundi.money.reports.rules import DAY_BOOK_HEAD, DaySpan
from hundi.money.reports.schedules import actions as schedules
from hundi.money.reports.tds.actions import write_tds
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay, post, refund
from tests.recording import BY, record_act

OTHER, IDLE = 10_002, 10_003
DECEMBER = datetime(2026, 12, 2, 6, 30, tzinfo=UTC)
NOVEMBER = DaySpan(date(2026, 11, 1), date(2026, 11, 30))
_PLAN = """
[otherwise]
{}
[[rules]]
name = 'debit'
channels = ['pg']
card_types = ['debit']
"""
PLANS = {
    MERCHANT: _PLAN.format("basis_points = 200"),
    OTHER: _PLAN.format("fixed_paise = 333"),
}
WRITERS: dict[ReportKind, actions.Writer] = {
    ReportKind.MONTH: write_month,
    ReportKind.FEES: write_fees,
    ReportKind.TDS: partial(write_tds, today=date(2026, 12, 2)),
    ReportKind.DAY_BOOK: write_day_book,
}
LEDGER = """
SELECT sum(amount_paise * ((debit = $1)::integer - (credit = $1)::integer))::bigint
FROM ledger_postings WHERE at < $2
"""


@pytest.fixture
async def books(db: Database) -> Database:
    """Two merchants with plans of their own, refunds and a dispute's fee, and an idle one."""
    for merchant_id in (MERCHANT, OTHER, IDLE):
        await open_merchant(db, merchant_id)
    await db.execute("UPDATE merchants SET name = '=Bela' WHERE merchant_id = $1", OTHER)
    for merchant_id, plan in PLANS.items():
        await fees.publish(db, merchant_id, plan, None, "asha", BY, NOON)
    await pay(db, 1, 5_000_33, method="netbanking")
    await pay(db, 2, 300_00)
    await refund(db, 9, 2, 50_07)
    await pay(db, 4, 777_77, merchant_id=OTHER, method="wallet")
    await post(db, 4, "dispute_fee", 5_00, merchant_id=OTHER)
    await settlements.run(db, TUESDAY)
    return db


async def made(db: Database, kind: ReportKind, form: ReportFormat, span: DaySpan) -> ReportFile:
    request = ReportRequest(kind, form, span.first, span.last)
    file = await actions.ask(db, ALL_MERCHANTS, request, "Ravi", DECEMBER, record_act)
    assert await jobs.report_files(db).once(DECEMBER) == 1
    kept = await store.select(db, ALL_MERCHANTS, file.report_id)
    assert kept is not None
    return kept


async def rows_of(db: Database, file: ReportFile) -> list[list[str]]:
    assert file.state is FileState.MADE, file.problem
    body = b"".join([part async for part in store.parts(db, file)])
    return list(csv.reader(io.StringIO(body.decode(), newline="")))


async def own_rows(
    db: Database, kind: ReportKind, merchant_id: int, span: DaySpan
) -> list[list[str]]:
    out = io.StringIO(newline="")
    await WRITERS[kind](db, merchant_id, span, csv.writer(out))
    return list(csv.reader(io.StringIO(out.getvalue(), newline="")))


def summed(head: list[str], rows: Iterable[list[str]], column: str) -> Decimal:
    place = head.index(column)
    return sum((Decimal(row[place] or 0) for row in rows), Decimal(0))


@pytest.mark.parametrize("kind", WRITERS)
async def test_it_has_each_merchants_own_lines_and_the_sums_of_their_totals(
    books: Database, kind: ReportKind
) -> None:
    head, *rows = await rows_of(books, await made(books, kind, ReportFormat.CSV, NOVEMBER))
    own = {each: await own_rows(books, kind, each, NOVEMBER) for each in PLANS}
    assert head == ["merchant_id", "mode", "merchant", *own[MERCHANT][0]]
    for merchant_id, name in ((MERCHANT, "Asha"), (OTHER, "'=Bela")):
        mode = "live"
        theirs = [row[3:] for row in rows if row[:3] == [str(merchant_id), mode, name]]
        assert theirs == own[merchant_id][1:], merchant_id
    sums = [row[3:] for row in rows if row[:3] == ["", "live", "all merchants"]]
    assert len(rows) == sum(len(each) - 1 for each in own.values()) + len(sums)
    if kind is ReportKind.DAY_BOOK:
        return
    totals = [row for each in own.values() for row in each[1:] if "total" in row[:2]]
    (whole,) = (row for row in sums if "total" in row[:2])
    for column in set(head[3:]) & {"gross", "refunds", "fees", "fee", "gst", "sales", "paid_out"}:
        assert summed(head[3:], totals, column) == summed(head[3:], [whole], column), column
        assert summed(head[3:], [whole], column) > 0 or column == "refunds"
    if kind is ReportKind.TDS:
        assert [row[1] for row in sums][1:] == [
            "commission or brokerage",
            "sales through an e-commerce operator",
        ]


@pytest.mark.parametrize("kind", WRITERS)
async def test_sandbox_merchants_are_summed_apart_from_live_ones(
    books: Database, kind: ReportKind
) -> None:
    await books.execute("UPDATE merchants SET mode = 'sandbox' WHERE merchant_id = $1", MERCHANT)
    span = DaySpan(TUESDAY.date(), NOVEMBER.last) if kind is ReportKind.DAY_BOOK else NOVEMBER
    _, *rows = await rows_of(books, await made(books, kind, ReportFormat.CSV, span))
    modes = {row[0]: row[1] for row in rows if row[0]}
    assert list(modes.items()) == [(str(OTHER), "live"), (str(MERCHANT), "sandbox")]
    sums = [row for row in rows if not row[0]]
    assert [row[1] for row in sums] == sorted(row[1] for row in sums), "live ones first"
    if kind is ReportKind.DAY_BOOK:
        return
    for mode, merchant_id in (("live", OTHER), ("sandbox", MERCHANT)):
        own = await own_rows(books, kind, merchant_id, span)
        (total,) = (row[3:] for row in sums if row[1] == mode and "total" in row[3:5])
        (theirs,) = (row for row in own[1:] if "total" in row[:2])
        assert total == theirs, "a merchant alone in its mode is its sum"


async def test_the_sums_of_a_quarter_that_is_not_over_say_so(books: Database) -> None:
    """The report is asked for in December, of November, and of days until the year's end."""
    span = DaySpan(date(2026, 10, 1), date(2026, 12, 31))
    _, *rows = await rows_of(books, await made(books, ReportKind.TDS, ReportFormat.CSV, span))
    sums = [row for row in rows if not row[0]]
    assert [row[4] for row in sums][:2] == ["not over yet: as of 2026-12-02", "total"]
    assert not any(sums[0][5:])


async def test_the_balances_of_the_day_book_are_the_whole_ledgers(books: Database) -> None:
    span = DaySpan(TUESDAY.date(), NOVEMBER.last)
    head, *rows = await rows_of(
        books, await made(books, ReportKind.DAY_BOOK, ReportFormat.CSV, span)
    )
    for entry, at in (("opening balance", span.begins), ("closing balance", span.ends)):
        lines = [
            dict(zip(head, row, strict=True)) for row in rows if not row[0] and row[4] == entry
        ]
        accounts = {each["debit_account"] or each["credit_account"]: each for each in lines}
        assert accounts.keys() >= {"receivable:sandbox", "payable"}, entry
        for account, line in accounts.items():
            ledger = await books.fetchval(LEDGER, account, at)
            sign = 1 if line["debit_account"] else -1
            assert sign * paise_of(line["amount"]) == ledger, (entry, account)


async def test_balances_on_both_sides_are_netted() -> None:
    totals = MerchantTotals(DAY_BOOK_HEAD)
    for account, other, amount in (("payable", "", "30.00"), ("", "payable", "100.00")):
        totals.count(("", "closing balance", "", account, other, amount, "INR"))
    assert list(totals.lines()) == [("", "closing balance", "", "", "payable", "70.00", "INR")]
    assert totals.closing() == {("payable", "INR"): -70_00}


def test_a_rule_called_total_is_no_total() -> None:
    assert not is_total(("payments", "total", "1", "2.00", "0.10", "0.02"))
    assert is_total(("total", "", "1", "2.00", "0.10", "0.02"))


@pytest.mark.parametrize("kind", WRITERS)
async def test_a_posting_of_nobody_is_seen(books: Database, kind: ReportKind) -> None:
    await books.execute(
        "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,"
        " currency, at) VALUES (99, 7, 'settlement_fee', 'payable', 'fee_income', 1, 'INR', $1)",
        TUESDAY,
    )
    file = await made(books, kind, ReportFormat.CSV, NOVEMBER)
    assert file.state is FileState.FAILED
    assert "the ledger says" in file.problem
    assert "all merchants" in file.problem


async def test_every_kind_is_made_in_every_form(books: Database) -> None:
    assert set(kinds_of(ALL_MERCHANTS)) == set(WRITERS)
    for kind in kinds_of(ALL_MERCHANTS):
        for form in KINDS[kind].forms:
            file = await made(books, kind, form, NOVEMBER)
            assert file.state is FileState.MADE, (kind, form, file.problem)


@pytest.mark.parametrize("kind", sorted({*KINDS} - {*WRITERS}))
async def test_other_kinds_are_of_one_merchant(books: Database, kind: ReportKind) -> None:
    request = ReportRequest(kind, KINDS[kind].forms[0], NOVEMBER.first, NOVEMBER.last)
    with pytest.raises(Refused):
        await actions.ask(books, ALL_MERCHANTS, request, "Ravi", DECEMBER, record_act)
    with pytest.raises(Refused):
        await schedules.set_schedule(
            books, ALL_MERCHANTS, (kind, request.form, 3), [1], "Ravi", DECEMBER, record_act
        )


async def test_a_schedule_asks_for_the_month_before(books: Database) -> None:
    wanted = ReportKind.FEES, ReportFormat.XLSX, 3
    schedule = await schedules.set_schedule(
        books, ALL_MERCHANTS, wanted, [7], "Ravi", DECEMBER, record_act
    )
    assert schedule.due_at is not None
    assert await schedules.ask_due(books, ALL_MERCHANTS, 1, schedule.due_at)
    (file,) = await store.page_of(books, ALL_MERCHANTS, 0, 9)
    assert (file.kind, file.first_day, file.last_day) == (ReportKind.FEES, *NOVEMBER_DAYS)


NOVEMBER_DAYS = (NOVEMBER.first, NOVEMBER.last)
