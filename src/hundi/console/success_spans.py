"""Spans of the charts of success, and tries by their outcome; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hundi.console.days import day_of
from hundi.console.queries.bounded import midnight
from hundi.console.queries.success import TryFilters
from hundi.kernel.clock import business_day, ist
from hundi.payments.tallies.rules import HOUR, HourTally, TallyKind, hour_of

WEEK = timedelta(days=7)
LONG_SPANS = (7, 30, 90)
"""Spans in days that an address may name: `?span=30`."""
PAID = frozenset({"paid", "authorised", "overpaid"})
NOT_PAID = frozenset({"failed", "not_registered", "expired", "unknown"})
OFFERED = frozenset({"upi_qr", "virtual_account", "cash", "bank_slip", "rtgs_account"})
"""Methods offered to the customer in advance: an unused offer is no try."""
OUTCOMES: Mapping[str, frozenset[str]] = {"not-paid": NOT_PAID, "paid": PAID, "": NOT_PAID | PAID}
"""States by the name of an outcome in addresses; "" for both."""
NO_CODE = "none"
"""The name in addresses of tries without a code of the bank."""
_DAY, _HOUR = "%Y-%m-%d", "%Y-%m-%dT%H"


@dataclass(frozen=True, slots=True)
class ChartSpan:
    """A span of whole hours. name: in addresses. step: of one column. ends: of the last hour begun.

    until: the end of the last column, which may be later than `ends`.
    """

    name: str
    since: datetime
    until: datetime
    ends: datetime
    step: timedelta

    @property
    def by_hour(self) -> bool:
        """Return whether a column is an hour, and not a day."""
        return self.step == HOUR

    @property
    def columns(self) -> list[datetime]:
        """Return the beginnings of the columns."""
        number = round((self.until - self.since) / self.step)
        return [self.since + each * self.step for each in range(number)]

    def place(self, at: datetime) -> int:
        """Return the number of a time's column."""
        return int((at - self.since) / self.step)

    def name_of(self, column: datetime) -> str:
        """Return a column's name in addresses."""
        return ist(column).strftime(_HOUR if self.by_hour else _DAY)

    def words_of(self, column: datetime) -> str:
        """Return a column's name for people."""
        local = ist(column)
        return f"{local:%H}:00" if self.by_hour else f"{local:%a} {local.day} {local:%b}"


def span_of(text: str, now: datetime) -> ChartSpan:
    """Return the span of an address: today, yesterday, a day, or a number of days up to today."""
    today, ends = business_day(now), hour_of(now) + HOUR
    if text.isascii() and text.isdigit() and int(text) in LONG_SPANS:
        since = midnight(today - timedelta(days=int(text) - 1))
        return ChartSpan(text, since, midnight(today + timedelta(days=1)), ends, timedelta(days=1))
    day = today - timedelta(days=1) if text == "yesterday" else day_of(text) or today
    day = min(day, today)
    name = {today: "today", today - timedelta(days=1): "yesterday"}.get(day, f"{day:{_DAY}}")
    since, until = midnight(day), midnight(day + timedelta(days=1))
    return ChartSpan(name, since, until, min(until, ends), HOUR)


def part_of(text: str, span: ChartSpan) -> tuple[datetime, datetime]:
    """Return the part of a span that an address names, an hour or a day; else all of it."""
    day, _, hour = text.partition("T")
    begins = day_of(day)
    if begins is None:
        return span.since, span.ends
    since = midnight(begins)
    if hour.isascii() and hour.isdigit() and len(hour) <= 2:  # noqa: PLR2004 (the digits of an hour)
        since += int(hour) * HOUR
        return since, since + HOUR
    return since, since + timedelta(days=1)


def day_words(day: date) -> str:
    """Return a day for people, with its weekday."""
    return f"{day:%a} {day.day} {day:%b}"


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """Tries that ended, and those of them that were paid."""

    ended: int = 0
    paid: int = 0

    def plus(self, tally: HourTally) -> "SuccessRate":
        """Return it with another tally."""
        paid = tally.number if tally.state in PAID else 0
        return SuccessRate(self.ended + tally.number, self.paid + paid)

    @property
    def not_paid(self) -> int:
        """Return the tries that were not paid."""
        return self.ended - self.paid

    @property
    def part(self) -> float | None:
        """Return the paid part, from 0 to 1; None without a try."""
        return self.paid / self.ended if self.ended else None

    @property
    def words(self) -> str:
        """Return the paid part for people."""
        return f"{100 * self.paid / self.ended:.1f} %" if self.ended else "none"

    @property
    def counts(self) -> str:
        """Return both numbers for people."""
        return f"{self.paid} of {self.ended} paid" if self.ended else "no try"


def rate_of(tallies: Iterable[HourTally]) -> SuccessRate:
    """Return the rate of tallies together."""
    rate = SuccessRate()
    for tally in tallies:
        rate = rate.plus(tally)
    return rate


def is_ended(tally: HourTally) -> bool:
    """Return whether a tally is of tries that ended: an offer that nobody used is no try."""
    return (
        tally.what is TallyKind.ATTEMPT
        and tally.state in PAID | NOT_PAID
        and not (tally.method in OFFERED and tally.state == "expired")
    )


def narrowed(tallies: Iterable[HourTally], filters: TryFilters) -> list[HourTally]:
    """Return the tallies of ended tries that fit filters."""
    return [
        tally
        for tally in tallies
        if is_ended(tally)
        and filters.method in {None, tally.method}
        and filters.bank in {None, tally.bank}
        and filters.connector in {None, tally.connector}
        and filters.code in {None, tally.code}
    ]
