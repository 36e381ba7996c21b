"""Days that an address of the console names."""

from datetime import date

_YEAR_MIN, _YEAR_MAX = 2000, 2999
"""Far from the calendar's ends, so that a day before or after is a day too."""


def day_of(text: str) -> date | None:
    """Return the day of a text such as 2026-11-23.

    What it cannot mean is as if it were not there.
    """
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if _YEAR_MIN <= found.year <= _YEAR_MAX else None
