"""Totals without lines are kept, compared with our account and with files, and never posted."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import SettlementTotal, TotalsPage
from hundi.infra.postgres.database import Database
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.fetching import rules
from hundi.money.reconciliation.fetching.actions import Fetched, fetch, fetch_run
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.rules import StatementError
from hundi_testbed.bank.statements.rules import Statement
from tests.money.reconciliation.fetching.test_actions import Reporter, reported
from tests.money.reconciliation.test_actions import (
    DAY,
    MERCHANTS,
    NOW,
    balances,
    bank_says,
    movements,
)

PAID_OUT = Statement(DAY, tuple(movements()))
TOTAL = SettlementTotal("S1", PAID_OUT.utr, PAID_OUT.net_paise, DAY)


@dataclass
class TotalReporter:
    """An acquirer that says these totals, one a page."""

    totals: list[SettlementTotal] = field(default_factory=list)

    async def settlement_totals(self, day: date, after: str = "") -> TotalsPage | Unknown:
        place = int(after or 0)
        found = tuple(each for each in self.totals if each.day == day)[place : place + 1]
        return TotalsPage(found, str(place + 1) if len(self.totals) > place + 1 else "")


class SilentReporter(TotalReporter):
    """An acquirer that says nothing."""

    async def settlement_totals(self, day: date, after: str = "") -> TotalsPage | Unknown:
        return Unknown(message="no answer")


async def ask(db: Database, *totals: SettlementTotal) -> Fetched:
    fetched = await fetch(db, "sandbox", TotalReporter(list(totals)), DAY, "asha", NOW)
    await actions.compare(db, NOW)
    return fetched


async def left(db: Database) -> list[dict[str, Any]]:
    return (await proposals.work(db))["totals"]


async def test_a_total_is_proved_by_its_money_and_then_by_its_lines(
    books: Database, tmp_path: Path
) -> None:
    assert await ask(books, TOTAL) == Fetched(DAY, 1, 1, 0)
    assert await ask(books, TOTAL) == Fetched(DAY, 1, 0, 0)
    (waits,) = await left(books)
    assert (waits["settlement"], waits["proof"], waits["lines_paise"]) == ("S1", "waiting", None)
    await bank_says(books, tmp_path, PAID_OUT)
    (arrived,) = await left(books)
    assert (arrived["proof"], arrived["arrived_paise"]) == ("arrived", TOTAL.net_paise)
    # A total names no payment, so it moves nobody's money.
    assert await balances(books, MERCHANTS[0]) == {}
    assert (await proposals.work(books))["account_lines_unexplained"] == 0
    await fetch(books, "sandbox", Reporter(reported()), DAY, "asha", NOW)
    await actions.compare(books, NOW)
    assert await left(books) == []
    assert (await balances(books, MERCHANTS[0]))["escrow"] > 0


async def test_a_file_that_lacks_lines_of_a_total_is_named(books: Database) -> None:
    await ask(books, TOTAL)
    await fetch(books, "sandbox", Reporter(reported()[:-1]), DAY, "asha", NOW)
    (differs,) = await left(books)
    assert differs["proof"] == "lines_differ"
    assert differs["lines_paise"] == TOTAL.net_paise + 5_000


async def test_a_settlement_that_is_told_twice_otherwise_is_two_rows(books: Database) -> None:
    other = SettlementTotal("S1", TOTAL.utr, TOTAL.net_paise + 1, DAY)
    await ask(books, TOTAL)
    assert await ask(books, TOTAL, other) == Fetched(DAY, 2, 1, 0)
    assert {each["net_paise"] for each in await left(books)} == {TOTAL.net_paise, other.net_paise}


async def test_a_run_fetches_totals_and_says_which_days_it_could_not(books: Database) -> None:
    run = rules.ReportRun("sandbox", NOW, NOW)
    assert await fetch_run(books, TotalReporter([TOTAL]), run, NOW) == {}
    assert len(await left(books)) == 1
    errors = await fetch_run(books, SilentReporter(), run, NOW)
    assert set(errors) == set(rules.days_of(run, NOW))
    with pytest.raises(StatementError, match="no answer"):
        await fetch(books, "sandbox", SilentReporter(), DAY, "asha", NOW)
