"""A fetched report is compared with the books; fetched again, it changes nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import refund_reference
from hundi.kernel.records import replace
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.fetching.actions import Fetched, fetch
from hundi.money.reconciliation.rules import StatementError
from hundi_testbed.bank.statements.rules import Statement, fee_of
from tests.money.reconciliation.test_actions import (
    DAY,
    MERCHANTS,
    NOW,
    PAID,
    attempt_id,
    balances,
    bank_says,
    classes,
    gross,
    movements,
    named,
    rrn,
)

UTR = Statement(DAY, tuple(movements())).utr


@dataclass
class Reporter:
    """An acquirer that says these lines, some a page.

    breaks_at: the page that it does not answer.
    """

    lines: list[ReportLine] = field(default_factory=list)
    page: int = 5
    breaks_at: int = -1
    repeats: bool = False
    asked: list[tuple[date, str]] = field(default_factory=list)

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        self.asked.append((day, after))
        start = 0 if self.repeats else int(after or "0")
        if start == self.breaks_at:
            return Unknown(message="the bank cannot be reached")
        end = start + self.page
        return ReportPage(tuple(self.lines[start:end]), str(end) if end < len(self.lines) else "")


def reported() -> list[ReportLine]:
    """Return the day as an aggregator reports it: the acquirer's own number in place of the RRN."""
    found: list[ReportLine] = []
    for merchant_id in MERCHANTS:
        for number in range(1, PAID + 1):
            paise = gross(number)
            net = paise - fee_of("upi" if number == 1 else "card", paise)
            theirs = f"pay_{merchant_id}{number}"
            reference = named(merchant_id, number)
            row = (ReportedKind.PAYMENT, True, paise, net, reference, theirs, "setl_1", UTR, DAY)
            found.append(ReportLine(*row))
        refund = refund_reference(merchant_id, attempt_id(90))
        theirs = f"rfnd_{merchant_id}"
        row = (ReportedKind.REFUND, False, 5_000, 5_000, refund, theirs, "setl_1", UTR, DAY)
        found.append(ReportLine(*row))
    return found


async def ask(db: Database, lines: Sequence[ReportLine], day: date = DAY) -> Fetched:
    fetched = await fetch(db, "sandbox", Reporter(list(lines)), day, "asha", NOW)
    await actions.compare(db, NOW)
    return fetched


async def ask_at_once(db: Database, lines: Sequence[ReportLine], day: date) -> Fetched:
    """Fetch a day as one of several: an import that came in between is no fault."""
    return await fetch(db, "sandbox", Reporter(list(lines)), day, "asha", NOW)


async def test_a_report_is_posted_once_its_transfer_came(books: Database, tmp_path: Path) -> None:
    assert await ask(books, reported()) == Fetched(DAY, 14, 14, 0)
    assert await classes(books) == {"matched": (0, 14)}
    assert await balances(books, MERCHANTS[0]) == {}
    await bank_says(books, tmp_path, Statement(DAY, tuple(movements())))
    fees = sum(fee_of("card", gross(number)) for number in range(2, PAID + 1))
    total = sum(gross(number) for number in range(1, PAID + 1))
    for merchant_id in MERCHANTS:
        assert await balances(books, merchant_id) == {
            "escrow": total - 5_000 - fees,
            "acquirer_cost": fees,
            "receivable:sandbox": 5_000 - total,
        }


async def test_the_same_report_again_changes_nothing_and_a_longer_one_adds_what_is_new(
    books: Database,
) -> None:
    await ask(books, reported()[:-3])
    assert await ask(books, reported()[:-3]) == Fetched(DAY, 11, 0, 0)
    assert await books.fetchval("SELECT count(*) FROM statement_files") == 1
    assert await ask(books, reported()) == Fetched(DAY, 14, 3, 0)
    assert await ask(books, reported()) == Fetched(DAY, 14, 0, 0)
    assert await classes(books) == {"matched": (0, 14)}


async def test_of_two_fetches_at_once_a_line_is_imported_by_one(books: Database) -> None:
    for number in range(20):
        day = DAY - timedelta(days=number)
        lines = [replace(each, day=day, utr=f"UTR{number}") for each in reported()]
        fetches = [ask_at_once(books, lines[:-3], day), ask_at_once(books, lines, day)]
        fetched = await asyncio.gather(*fetches[:: 1 if number % 2 else -1])
        assert sum(each.new for each in fetched) == len(lines)
    assert await books.fetchval("SELECT count(*) FROM statement_lines") == 20 * len(lines)


async def test_a_report_that_breaks_off_imports_nothing_until_it_is_whole(books: Database) -> None:
    broken = Reporter(reported(), breaks_at=10)
    with pytest.raises(
        StatementError,
        match="sandbox does not say what it handed over on 2026-11-20: the bank cannot",
    ):
        await fetch(books, "sandbox", broken, DAY, "asha", NOW)
    assert await books.fetchval("SELECT count(*) FROM statement_files") == 0
    assert [after for _, after in broken.asked] == ["", "5", "10"]
    assert (await ask(books, reported())).new == 14


async def test_a_report_that_repeats_a_page_is_refused(books: Database) -> None:
    with pytest.raises(StatementError, match="repeats a page"):
        await fetch(books, "sandbox", Reporter(reported(), repeats=True), DAY, "asha", NOW)


async def test_a_day_that_has_not_ended_is_not_asked_about(books: Database) -> None:
    reporter = Reporter(reported())
    with pytest.raises(StatementError, match="has not ended"):
        await fetch(books, "sandbox", reporter, NOW.date(), "asha", NOW)
    assert reporter.asked == []


async def test_what_waits_for_its_transfer_is_imported_when_that_is_known(books: Database) -> None:
    waiting = [replace(each, utr="") for each in reported()]
    assert await ask(books, waiting) == Fetched(DAY, 14, 0, 14)
    assert await ask(books, reported()) == Fetched(DAY, 14, 14, 0)
    assert await classes(books) == {"matched": (0, 14)}


async def test_lines_are_compared_by_reference_and_never_by_amount_alone(books: Database) -> None:
    lines = reported()
    nobodys = replace(lines[3], reference="order_of_somebody", number="pay_9")
    wrong = replace(
        lines[4], gross_paise=lines[4].gross_paise + 1, net_paise=lines[4].net_paise + 1
    )
    dear = replace(lines[5], net_paise=lines[5].net_paise - 1)
    await ask(books, [*lines[:3], nobodys, wrong, dear, *lines[6:]])
    assert await classes(books) == {
        "matched": (0, 11),
        "missing_here": (1, 0),
        "amount_differs": (1, 0),
        "fee_differs": (1, 0),
    }


async def test_a_payment_that_no_report_has_is_missing_there(books: Database) -> None:
    await ask(books, reported()[1:])
    assert await ask(books, [], date(2026, 11, 22)) == Fetched(date(2026, 11, 22), 0, 0, 0)
    assert await classes(books) == {"matched": (0, 13), "missing_there": (1, 0)}


async def test_a_payment_that_is_known_by_the_banks_number_alone_is_found(books: Database) -> None:
    lines = reported()
    lines[2] = replace(lines[2], reference="order_of_a_link", number=rrn(MERCHANTS[0], 3))
    await ask(books, lines)
    assert await classes(books) == {"matched": (0, 14)}
