"""Days in addresses of the console."""

from datetime import date

_YEAR_MIN, _YEAR_MAX = 2000, 2999
"""Far from the calendar's ends, so that the day before or after exists."""


def day_of(text: str) -> date | None:
    """Return the day of a text such as 2026-11-23; None for any other text."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if _YEAR_MIN <= day.year <= _YEAR_MAX else None


def month_of(text: str) -> date | None:
    """Return the first day of a month such as 2026-11; None for any other text."""
    return day_of(f"{text}-01")
