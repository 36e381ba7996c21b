"""A worker fetches each acquirer's reports each morning, and again what was not readable."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.payments import InquirySchedule
from hundi.acquirers.port.settlement_reports import ReportPage
from hundi.acquirers.registry import Registry
from hundi.infra.background.due import DueLoop
from hundi.infra.postgres.database import Database
from hundi.money.reconciliation.fetching import store
from hundi.money.reconciliation.fetching.actions import fetch
from hundi.money.reconciliation.fetching.jobs import LEASE, reports
from hundi.money.reconciliation.fetching.rules import ReportRun
from hundi.money.reconciliation.proposals import actions as proposals
from tests.money.reconciliation.fetching.test_actions import Reporter, reported
from tests.money.reconciliation.test_actions import DAY, classes

NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
MORNING = NOW.replace(hour=0, minute=30) + timedelta(days=1)
"""06:00 in India."""


@dataclass
class Bank(Reporter):
    """An acquirer that reports each day's own lines.

    silent_on: the days of which it says nothing.
    """

    name: str = "sandbox"
    simulated: bool = True
    silent_on: tuple[object, ...] = ()
    refuses: bool = False

    async def settlement_lines(self, day: object, after: str = "") -> ReportPage | Unknown:  # type: ignore[override] (any day)
        self.asked.append((day, after))  # type: ignore[arg-type] (as above)
        if self.refuses or day in self.silent_on:
            return Unknown(message="the bank's answer cannot be used (HTTP 401)")
        return ReportPage(tuple(each for each in self.lines if each.day == day))

    @property
    def days(self) -> list[str]:
        return [str(day) for day, _ in self.asked]

    inquiry_schedule = InquirySchedule((1,))

    async def inquire(self, reference: str) -> Unknown:
        return Unknown(message=reference)

    def reachable(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def bank() -> Bank:
    return Bank(reported())


@pytest.fixture
def worker(books: Database, bank: Bank) -> DueLoop[ReportRun]:
    return reports(books, Registry([bank]), clock=lambda: NOW)


async def run(books: Database) -> ReportRun:
    (found,) = await store.runs(books)
    return found


def overdue_s(name: str = "sandbox") -> float | None:
    return REGISTRY.get_sample_value("hundi_settlement_reports_overdue_seconds", {"acquirer": name})


async def test_a_new_acquirer_is_asked_at_once_and_then_each_morning(
    books: Database, bank: Bank, worker: DueLoop[ReportRun]
) -> None:
    assert await worker.once(NOW) == 1
    assert bank.days == ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"]
    assert await classes(books) == {"matched": (0, 14)}
    assert await run(books) == ReportRun("sandbox", MORNING, MORNING, last_day=DAY, fetched_at=NOW)
    assert await worker.once(MORNING - timedelta(seconds=1)) == 0
    assert await worker.once(MORNING) == 1
    assert bank.days[4:] == ["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"]
    assert await books.fetchval("SELECT count(*) FROM statement_lines") == 14, (
        "nothing is imported twice"
    )


async def test_what_no_report_shows_is_told_of_without_a_person(
    books: Database, bank: Bank
) -> None:
    bank.lines = bank.lines[1:]
    labels = ("hundi_settlements_missing_total", {"acquirer": "sandbox"})
    before = REGISTRY.get_sample_value(*labels) or 0
    with capture_logs() as logged:
        for days in range(3):
            now = NOW + timedelta(days=days)
            await reports(books, Registry([bank]), clock=lambda now=now: now).once(now)
    assert (await classes(books))["missing_there"] == (1, 0)
    assert REGISTRY.get_sample_value(*labels) == before + 1
    told = [each for each in logged if each["event"] == "settlements_are_missing"]
    assert [(each["acquirer"], each["payments"], each["log_level"]) for each in told] == [
        ("sandbox", 1, "warning")
    ]


async def test_a_failure_is_seen_everywhere_and_tried_again(
    books: Database, bank: Bank, worker: DueLoop[ReportRun]
) -> None:
    bank.refuses = True
    with capture_logs() as logged:
        await worker.once(NOW)
    assert {each["event"] for each in logged} >= {"settlement_report_not_fetched"}
    why = (
        "sandbox does not say what it handed over on 2026-11-17: the bank's answer cannot be used"
        " (HTTP 401)"
    )
    again = NOW + timedelta(minutes=15)
    assert await run(books) == ReportRun("sandbox", NOW, again, 1, why)
    (shown,) = (await proposals.work(books))["reports"]
    assert (shown["connector"], shown["error"]) == ("sandbox", why)
    assert await worker.once(again - timedelta(seconds=1)) == 0
    assert overdue_s() == 15 * 60 - 1
    bank.refuses = False
    assert await worker.once(again) == 1
    assert (await run(books)).failures == 0
    assert (await proposals.work(books))["reports"] == []
    await worker.once(again)
    assert overdue_s() == 0


async def test_a_day_that_cannot_be_read_keeps_no_other_from_being_imported(
    books: Database, bank: Bank, worker: DueLoop[ReportRun]
) -> None:
    bank.silent_on = (DAY - timedelta(days=1),)
    await worker.once(NOW)
    assert await classes(books) == {"matched": (0, 14)}
    assert (await run(books)).failures == 1


async def test_of_two_workers_one_asks_and_a_killed_one_is_followed(
    books: Database, bank: Bank
) -> None:
    await store.add_run(books, "sandbox", NOW)
    claims = [await store.claim(books, "sandbox", NOW, NOW + LEASE) for _ in range(2)]
    assert [each is not None for each in claims] == [True, False]
    following = reports(books, Registry([bank]), clock=lambda: NOW + LEASE)
    assert await following.once(NOW + LEASE - timedelta(seconds=1)) == 0
    assert await following.once(NOW + LEASE) == 1
    done = await run(books)
    assert claims[0] is not None
    await store.end(books, claims[0], ReportRun("sandbox", NOW, NOW))
    assert await run(books) == done, "who lost the lease changes nothing"


async def test_days_on_which_no_worker_ran_are_fetched_later(
    books: Database, bank: Bank, worker: DueLoop[ReportRun]
) -> None:
    await worker.once(NOW)
    bank.asked.clear()
    await worker.once(NOW + timedelta(days=6))
    assert bank.days == [str(DAY + timedelta(days=each)) for each in range(-2, 7)]


async def test_a_person_may_fetch_beside_the_worker(
    books: Database, bank: Bank, worker: DueLoop[ReportRun]
) -> None:
    await fetch(books, "sandbox", bank, DAY, "asha", NOW)
    await worker.once(NOW)
    assert await books.fetchval("SELECT count(*) FROM statement_lines") == 14


async def test_a_run_that_breaks_is_a_failure_and_no_end(books: Database, bank: Bank) -> None:
    async def broken(day: object, after: str = "") -> ReportPage:
        raise RuntimeError(day, after)

    bank.settlement_lines = broken  # type: ignore[method-assign, assignment] (a connector with a bug)
    worker = reports(books, Registry([bank]), clock=lambda: NOW)
    await worker.once(NOW)
    assert (await run(books)).error == "the run broke off: RuntimeError"


async def test_an_acquirer_without_reports_is_never_asked(books: Database) -> None:
    assert await reports(books, Registry([])).once(NOW) == 0
    assert await store.runs(books) == []
