"""The working days of banks."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.money.calendar.rules import BankDay, Calendar, NeverOpenError, calendar, is_weekend

PLAIN = Calendar("IN")


def test_a_friday_before_the_fourth_saturday_is_followed_by_monday() -> None:
    assert PLAIN.after(date(2026, 11, 27), 1) == date(2026, 11, 30)


@pytest.mark.parametrize(
    ("day", "working"),
    [
        ("2026-11-07", True),  # first Saturday
        ("2026-11-14", False),
        ("2026-11-21", True),
        ("2026-11-28", False),
        ("2026-10-31", True),  # fifth
        ("2026-11-22", False),  # Sunday
        ("2026-11-23", True),
        ("2015-08-22", True),  # before banks closed on Saturdays
        ("2015-09-12", False),
    ],
)
def test_sundays_and_two_saturdays_are_free(day: str, *, working: bool) -> None:
    assert PLAIN.is_working(date.fromisoformat(day)) is working
    assert is_weekend(date.fromisoformat(day)) is not working


def test_holidays_are_passed_by() -> None:
    closed = Calendar("IN", frozenset({date(2026, 11, 24)}))
    assert closed.after(date(2026, 11, 23), 1) == date(2026, 11, 25)
    assert closed.after(date(2026, 11, 24), 0) == date(2026, 11, 25)
    assert closed.after(date(2026, 11, 23), 0) == date(2026, 11, 23)


def test_a_day_can_be_a_working_day_after_all() -> None:
    march = Calendar(
        "IN", extra=frozenset({date(2024, 3, 31)})
    )  # a Sunday on which agency banks were open
    assert march.after(date(2024, 3, 30), 1) == date(2024, 3, 31)


def test_a_centre_has_the_days_of_every_centre_unless_its_own_table_says_else() -> None:
    national = [BankDay(date(2026, 10, 20), working=False, name="Dussehra")]
    own = [BankDay(date(2026, 11, 2), working=False, name="of the state")]
    assert calendar("MH", national, own).holidays == {date(2026, 10, 20), date(2026, 11, 2)}
    lifted = calendar("MH", national, [BankDay(date(2026, 10, 20), working=True, name="open")])
    assert lifted.is_working(date(2026, 10, 20))


def test_a_calendar_that_never_opens_is_found_out() -> None:
    year = frozenset(date(2026, 1, 1) + timedelta(days=each) for each in range(60))
    with pytest.raises(NeverOpenError):
        Calendar("IN", year).after(date(2026, 1, 1), 1)


@pytest.mark.parametrize("working_days", [-1, 251])
def test_days_that_cannot_be_counted_are_refused(working_days: int) -> None:
    with pytest.raises(ValueError, match="0 to 250"):
        PLAIN.after(date(2026, 1, 1), working_days)


@given(
    st.dates(date(2016, 1, 1), date(2040, 1, 1)),
    st.integers(1, 40),
    st.sets(st.integers(1, 60), max_size=10),
)
def test_so_many_working_days_lie_between(day: date, working_days: int, closed: set[int]) -> None:
    found = Calendar("IN", frozenset(day + timedelta(days=each) for each in closed))
    after = found.after(day, working_days)
    between = [day + timedelta(days=each + 1) for each in range((after - day).days)]
    assert sum(found.is_working(each) for each in between) == working_days
    assert between[-1] == after
    assert found.is_working(after)
