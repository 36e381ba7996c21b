"""Rules of the tallies: which hours there are, and which of them are counted anew; pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from enum import StrEnum
from typing import Literal

from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.ids import first_id, time_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FINAL_AFTER = timedelta(days=30)
"""The age from which a counted hour stays as it is: its payments may be in the archive."""
KEPT = timedelta(days=120)
"""The age until which tallies are kept: the longest span of a chart, the week before it, and room.
"""
_HALF_HOUR = timezone(timedelta(minutes=30))
"""India's hours begin where those of this zone do."""


class TallyKind(StrEnum):
    """What a tally counts."""

    PAYMENT = "payment"
    """Orders in rupees, by their state; paise: what was paid."""
    ATTEMPT = "attempt"
    """Tries at paying, by method, bank, acquirer, state and the bank's code."""
    REFUND = "refund"
    """Refunds in rupees, by their state; paise: what is given back."""


@dataclass(frozen=True, slots=True)
class HourTally:
    """One number of an hour.

    hour: its beginning, UTC. method, bank, connector, code: of attempts, else "". paise: of
    payments and refunds, else 0. words: one of the bank's messages under the code.
    """

    merchant_id: int
    hour: datetime
    what: TallyKind
    method: str
    bank: str
    connector: str
    state: str
    code: str
    number: int
    paise: int
    bank_name: str
    words: str


@dataclass(frozen=True, slots=True)
class TallyQuery:
    """Which tallies are wanted: of a span of whole hours, summed by the hour or the Indian day."""

    since: datetime
    until: datetime
    what: frozenset[TallyKind]
    step: Literal["hour", "day"] = "hour"


def hour_of(at: datetime) -> datetime:
    """Return the beginning of the Indian hour of a time."""
    return at.astimezone(_HALF_HOUR).replace(minute=0, second=0, microsecond=0)


def day_of(hour: datetime) -> date:
    """Return the Indian day of an hour."""
    return business_day(hour)


def span_of_day(day: date) -> tuple[datetime, datetime]:
    """Return the beginning of an Indian day, and of the day after it."""
    begins = datetime.combine(day, time(), INDIA)
    return begins, begins + DAY


@dataclass(frozen=True, slots=True)
class TallyParts:
    """How a span is read: its whole days by the day, the rest by the hour.

    days: the first whole day, and the day after the last; None for none. left_out: days between
    them that are read by the hour. spans: what is read by the hour.
    """

    days: tuple[date, date] | None
    left_out: frozenset[date]
    spans: Sequence[tuple[datetime, datetime]]


def parts_of(wanted: TallyQuery, changed: Collection[date]) -> TallyParts:
    """Return how a span is read. changed: days with hours that no worker has counted yet."""
    first = day_of(wanted.since)
    if span_of_day(first)[0] < wanted.since:
        first += DAY
    after = day_of(wanted.until)
    if wanted.step == "hour" or first >= after:
        return TallyParts(None, frozenset(), [(wanted.since, wanted.until)])
    left_out = frozenset(day for day in changed if first <= day < after)
    edges = (wanted.since, span_of_day(first)[0]), (span_of_day(after)[0], wanted.until)
    spans = [each for each in edges if each[0] < each[1]]
    spans += [span_of_day(day) for day in sorted(left_out)]
    return TallyParts((first, after), left_out, spans)


def hours_of(numbers: Iterable[int]) -> set[datetime]:
    """Return the hours in which numbers of ours were made."""
    return {hour_of(time_of(number)) for number in numbers}


def ids_of_hour(hour: datetime) -> tuple[int, int]:
    """Return the lowest id of an hour, and the lowest after it."""
    return first_id(hour), first_id(hour + HOUR)


def to_count(changed: Iterable[datetime], present: set[datetime], now: datetime) -> list[datetime]:
    """Return the hours to count anew, oldest first.

    changed: hours with a changed payment. present: those of them that have tallies. One whose
    payments may be in the archive keeps its tallies.
    """
    return sorted(
        hour
        for hour in changed
        if now - hour < KEPT and (now - hour < FINAL_AFTER or hour not in present)
    )
