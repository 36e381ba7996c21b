"""Schedules ask for the report of each month that is over, once, on their day."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.reports.files import store as files
from hundi.money.reports.files.rules import ReportFormat, ReportKind
from hundi.money.reports.schedules import actions, jobs, store
from hundi.money.reports.schedules.rules import DAY_MAX, SCHEDULES_MAX, ReportSchedule, next_due
from tests.money.settlements.books import MERCHANT, open_merchant
from tests.recording import record_act

NOW = datetime(2026, 11, 20, 6, 30, tzinfo=UTC)
WANTED = ReportKind.MONTH, ReportFormat.XLSX, 3


async def set_one(
    db: Database, wanted: tuple[ReportKind, ReportFormat, int] = WANTED
) -> ReportSchedule:
    return await actions.set_schedule(db, MERCHANT, wanted, [7], "Asha Iyer", NOW, record_act)


@given(st.integers(1, DAY_MAX), st.integers(0, 10 * 365 * 24))
def test_it_is_due_on_its_day_of_this_month_or_the_next(day: int, hours: int) -> None:
    after = NOW + timedelta(hours=hours)
    due = next_due(day, after)
    assert after < due <= after + timedelta(days=32)
    assert (ist(due).day, ist(due).hour) == (day, 6)
    assert next_due(day, due) > due + timedelta(days=27)


async def test_a_month_that_is_over_is_reported_once(db: Database) -> None:
    await open_merchant(db)
    schedule = await set_one(db)
    assert schedule.due_at is not None
    loops = [jobs.report_schedules(db) for _ in range(2)]
    assert [await each.once(schedule.due_at - timedelta(seconds=1)) for each in loops] == [0, 0]
    for each in loops:
        await each.once(schedule.due_at)
    (file,) = await files.page_of(db, MERCHANT, 0, 9)
    assert (file.first_day, file.last_day) == (date(2026, 11, 1), date(2026, 11, 30))
    assert (file.schedule_no, file.asked_by) == (1, "Asha Iyer")
    (standing,) = await store.standing(db, MERCHANT)
    assert standing.due_at is not None
    assert ist(standing.due_at).date() == date(2027, 1, 3)


async def test_months_without_a_worker_become_one_report_of_the_newest(db: Database) -> None:
    await open_merchant(db)
    await set_one(db)
    await jobs.report_schedules(db).once(datetime(2027, 3, 9, tzinfo=UTC))
    (file,) = await files.page_of(db, MERCHANT, 0, 9)
    assert file.first_day == date(2027, 2, 1)


async def test_an_ended_schedule_asks_for_nothing(db: Database) -> None:
    await open_merchant(db)
    schedule = await set_one(db)
    assert schedule.due_at is not None
    await actions.end_schedule(db, MERCHANT, 1, NOW, record_act)
    assert await jobs.report_schedules(db).once(schedule.due_at) == 0
    assert await actions.ask_due(db, MERCHANT, 1, schedule.due_at) is False
    with pytest.raises(Refused) as refused:
        await actions.end_schedule(db, MERCHANT, 1, NOW, record_act)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS
    assert (await set_one(db)).schedule_no == 2


async def test_what_no_schedule_can_ask_for_is_refused(db: Database) -> None:
    await open_merchant(db)
    for wanted in (
        (ReportKind.SETTLEMENT, ReportFormat.CSV, 3),
        (ReportKind.INVOICE, ReportFormat.XLSX, 3),
    ):
        with pytest.raises(Refused):
            await set_one(db, wanted)
    for _ in range(SCHEDULES_MAX):
        await set_one(db)
    with pytest.raises(Refused):
        await set_one(db)
