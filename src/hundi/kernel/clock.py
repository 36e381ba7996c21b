"""Time: stored in UTC, shown in business days of Asia/Kolkata (docs/spec/domain.md#time)."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial

# India has had one zone without daylight saving since 1945, so a fixed offset needs no zone
# database.
INDIA = timezone(timedelta(hours=5, minutes=30), "IST")


_ahead = timedelta()
_world = partial(datetime.now, UTC)
_wall: Callable[[], datetime] = _world
_ticks: Callable[[], float] = time.monotonic


def utc_now() -> datetime:
    """Return the present time of this gateway, in UTC; a demo's clock can be moved forward."""
    return _wall() + _ahead


def world_now() -> datetime:
    """Return the world's present time, by which others date signatures and tokens."""
    return _wall()


def ticks_s() -> float:
    """Return the seconds of a clock that never jumps and has no time of day."""
    return _ticks()


def run_by(
    wall: Callable[[], datetime] = _world,
    ticks: Callable[[], float] = time.monotonic,
    ahead: timedelta = timedelta(),
) -> None:
    """Let other clocks drive this process: a simulation's, or without arguments the world's again.

    ahead: how far `utc_now` is ahead of them; an earlier move of a demo's clock is undone.
    """
    global _wall, _ticks
    _wall, _ticks = wall, ticks
    set_ahead(ahead)


def ahead_by() -> timedelta:
    """Return how far `utc_now` is ahead of the world in this process."""
    return _ahead


def set_ahead(ahead: timedelta) -> None:
    """Set how far `utc_now` is ahead of the world here, for a demo (`infra.demo_clock`)."""
    global _ahead  # noqa: PLW0603 (one clock for a process)
    _ahead = ahead


def ist(moment: datetime) -> datetime:
    """Return the same moment in Indian time."""
    return moment.astimezone(INDIA)


def business_day(moment: datetime) -> date:
    """Return the Indian calendar day of a moment."""
    return ist(moment).date()


def minute_and_day(moment: datetime) -> tuple[datetime, datetime]:
    """Return the starts of a moment's minute and day (UTC), in which limits count."""
    minute = moment.replace(second=0, microsecond=0)
    return minute, minute.replace(hour=0, minute=0)


MINUTE_S, DAY_S = 60, 86_400


def left_of(span_s: int, now_s: float) -> int:
    """Return the whole seconds until the next minute or day (UTC) has begun."""
    return span_s - int(now_s % span_s)


def to_the_second(moment: datetime) -> str:
    """Return a moment where steps follow within a minute: `20 Nov 2026, 14:05:31 IST`."""
    return ist(moment).strftime("%d %b %Y, %H:%M:%S IST").lstrip("0")


def for_people(moment: datetime) -> str:
    """Return a moment in the form of pages: `20 Nov 2026, 14:05 IST`."""
    return ist(moment).strftime("%d %b %Y, %H:%M IST").lstrip("0")
