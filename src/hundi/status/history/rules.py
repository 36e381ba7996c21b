"""A component's days: seconds in each state, the worst of them, and the available share; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from hundi.kernel.clock import INDIA, business_day
from hundi.status.rules import SEVERITY, ComponentSpell, ComponentState

DAYS = 90
"""How many Indian days the page shows, today included."""
_AVAILABLE = (ComponentState.OPERATIONAL, ComponentState.DEGRADED)
_DOWN = (ComponentState.PARTIAL, ComponentState.OUTAGE)


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """One Indian day of a component. seconds: in each state; the rest nobody saw."""

    day: date
    seconds: Mapping[ComponentState, float] = field(default_factory=dict[ComponentState, float])

    @property
    def worst(self) -> ComponentState:
        """Return the worst state of the day."""
        return max(self.seconds, key=SEVERITY.__getitem__, default=ComponentState.UNKNOWN)


def first_day(now: datetime) -> date:
    """Return the first day that is shown."""
    return business_day(now) - timedelta(days=DAYS - 1)


def begin_of(day: date) -> datetime:
    """Return the moment at which an Indian day begins."""
    return datetime.combine(day, time(), INDIA)


def days_of(
    spells: Iterable[ComponentSpell], looked_at: datetime, now: datetime
) -> list[HistoryDay]:
    """Return the days of a component, oldest first.

    spells: its own. looked_at: until then a spell without an end was seen.
    """
    first = first_day(now)
    seconds: list[dict[ComponentState, float]] = [{} for _ in range(DAYS)]
    for spell in spells:
        begun = max(spell.began_at, begin_of(first))
        ended = min(spell.ended_at or looked_at, now)
        while begun < ended:
            day = business_day(begun)
            until = min(begin_of(day + timedelta(days=1)), ended)
            of_day = seconds[(day - first).days]
            of_day[spell.state] = of_day.get(spell.state, 0.0) + (until - begun).total_seconds()
            begun = until
        if spell.ended_at is None and ended >= begin_of(first):
            # It may have begun with the last look, and is the day's state all the same.
            seconds[(business_day(ended) - first).days].setdefault(spell.state, 0.0)
    return [
        HistoryDay(first + timedelta(days=number), of_day) for number, of_day in enumerate(seconds)
    ]


def available(days: Sequence[HistoryDay]) -> float | None:
    """Return the share of the time in which a component was available, from 0 to 1.

    An outage counts whole, also that of a part; announced maintenance and time that nobody saw
    count for nothing. None where nothing was seen.
    """
    up = sum(day.seconds.get(state, 0.0) for day in days for state in _AVAILABLE)
    down = sum(day.seconds.get(state, 0.0) for day in days for state in _DOWN)
    return up / (up + down) if up + down else None
