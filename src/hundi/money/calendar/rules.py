"""The working days of banks, and the day after a number of them; pure.

See docs/spec/domain.md#working-days.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

NATIONAL = "IN"
"""The centre whose days apply to every other centre as well."""
STATES = (
    "AN AP AR AS BR CG CH DH DL GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD PB PY RJ SK TN"
    " TR TS UK UP WB"
)
CENTRES = (NATIONAL, *STATES.split())
"""The centres: all of India, and each state and territory as the library `holidays` names it."""
CLOSED_SATURDAYS = (2, 4)
"""The Saturdays of a month on which banks are closed, and since when (RBI, 28 August 2015)."""
CLOSED_SATURDAYS_SINCE = date(2015, 9, 1)
WORKING_DAYS_MAX = 250
"""The most working days that a settlement may wait."""
_CLOSED_DAYS_MAX = 31
"""The most days in a row that a bank is closed; a calendar with more is wrong."""
_SATURDAY, _SUNDAY = 5, 6
_DAY = timedelta(days=1)


class NeverOpenError(ValueError):
    """A calendar has no working day in a month, so its holidays must be wrong."""


class BankDay(NamedTuple):
    """A day in a centre's table.

    working: banks work, although it is a Sunday, a closed Saturday or a holiday of all centres.
    """

    day: date
    working: bool
    name: str


@dataclass(frozen=True, slots=True)
class Calendar:
    """The working days of one centre.

    holidays: its banks are closed. extra: they work on days that would be closed.
    """

    centre: str
    holidays: frozenset[date] = frozenset()
    extra: frozenset[date] = frozenset()

    def is_working(self, day: date) -> bool:
        """Return whether banks of the centre settle on a day."""
        if day in self.extra:
            return True
        return day not in self.holidays and not is_weekend(day)

    def after(self, day: date, working_days: int) -> date:
        """Return the day that is a number of working days after a day.

        0 gives the first working day from that day on. Raises NeverOpenError if a whole month has
        no working day.
        """
        if not 0 <= working_days <= WORKING_DAYS_MAX:
            raise ValueError(f"{working_days} working days: 0 to {WORKING_DAYS_MAX} can be counted")
        days_left, closed = working_days, 0
        candidate = day if working_days == 0 else day + _DAY
        while True:
            if self.is_working(candidate):
                days_left, closed = days_left - 1, 0
                if days_left <= 0:
                    return candidate
            else:
                closed += 1
                if closed > _CLOSED_DAYS_MAX:
                    raise NeverOpenError(
                        f"{self.centre} has no working day in the month before {candidate}"
                    )
            candidate += _DAY


def is_centre(centre: str) -> bool:
    """Return whether a centre of this name exists."""
    return centre in CENTRES


def is_weekend(day: date) -> bool:
    """Return whether a day is a Sunday, or a Saturday on which banks are closed."""
    weekday = day.weekday()
    if weekday != _SATURDAY:
        return weekday == _SUNDAY
    return day >= CLOSED_SATURDAYS_SINCE and (day.day + 6) // 7 in CLOSED_SATURDAYS


def calendar(centre: str, national: Iterable[BankDay], own: Iterable[BankDay]) -> Calendar:
    """Return a centre's calendar; its own days override those of all centres."""
    days = {each.day: each.working for each in national} | {each.day: each.working for each in own}
    return Calendar(
        centre,
        frozenset(day for day, working in days.items() if not working),
        frozenset(day for day, working in days.items() if working),
    )
