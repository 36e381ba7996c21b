"""The bank calendar on PostgreSQL."""

from datetime import UTC, date, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.calendar import actions, store
from hundi.money.calendar.rules import CENTRES, BankDay

NOW = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)


async def test_the_table_begins_with_national_holidays(db: Database) -> None:
    found = await store.calendar_of(db)
    assert found.after(date(2026, 11, 23), 1) == date(2026, 11, 25)  # Guru Nanak's birthday between
    assert found.after(date(2026, 11, 27), 1) == date(2026, 11, 30)
    for year in (2026, 2027, 2028):
        listed = await store.select_year(db, "IN", year)
        assert [row["day"] for row in listed] == [
            each.day for each in actions.holidays_of("IN", year)
        ]


async def test_a_day_is_written_and_removed(db: Database) -> None:
    day = date(2026, 12, 1)
    await actions.write_day(db, "MH", BankDay(day, working=False, name="elections"), "asha", NOW)
    assert not (await store.calendar_of(db, "MH")).is_working(day)
    assert (await store.calendar_of(db, "KA")).is_working(day)
    assert not (await store.calendar_of(db, "MH")).is_working(date(2026, 12, 25))
    await actions.write_day(
        db, "MH", BankDay(date(2026, 12, 25), working=True, name="open"), "asha", NOW
    )
    assert (await store.calendar_of(db, "MH")).is_working(date(2026, 12, 25))
    assert (await actions.remove_day(db, "MH", day)).name == "elections"
    assert (await store.calendar_of(db, "MH")).is_working(day)
    with pytest.raises(Refused) as refused:
        await actions.remove_day(db, "MH", day)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS


async def test_a_year_is_taken_from_the_library_once(db: Database) -> None:
    assert await actions.seed(db, "IN", 2027, "asha", NOW) == 0
    written = await actions.seed(db, "MH", 2027, "asha", NOW)
    assert written > 0
    assert await actions.seed(db, "MH", 2027, "asha", NOW) == 0
    listed = [row["day"] for row in await store.select_year(db, "MH", 2027)]
    assert len(listed) == len(set(listed)), "no day of the state is one of every centre"
    assert date(2027, 5, 1) in listed  # Maharashtra Day


@pytest.mark.parametrize(
    ("centre", "year", "name"), [("ZZ", 2027, "x"), ("IN", 1999, "x"), ("IN", 2027, "")]
)
async def test_what_is_no_day_is_refused(db: Database, centre: str, year: int, name: str) -> None:
    with pytest.raises(Refused) as refused:
        await actions.write_day(
            db, centre, BankDay(date(year, 1, 2), working=False, name=name), "asha", NOW
        )
    assert refused.value.refusal.code is RefusalCode.FIELD_INVALID


def test_the_library_knows_every_centre() -> None:
    assert all(isinstance(actions.holidays_of(each, 2027), list) for each in CENTRES)
