"""The charts of a home page: business over a span of days, each with its numbers as a table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hundi.console.drawing import Chart, Point, columns, short
from hundi.console.queries import charts as queries
from hundi.console.queries import tallies
from hundi.console.queries.bounded import midnight
from hundi.console.success_spans import day_words
from hundi.console.visits import ConsoleVisit
from hundi.infra import demo_past
from hundi.kernel.clock import business_day, ist
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.payments.refunds.rules import CAME_TO_NOTHING
from hundi.payments.tallies.rules import HourTally, TallyKind, TallyQuery
from hundi.staff.people.rules import Permission

SPANS = (7, 30, 90)
"""Spans in days that an address may name: `?days=30`."""
_USUAL = 30
_PAID = frozenset({"paid", "captured", "authorised"})
COUNTING = "Counting."
"""The text of an empty chart before the count is complete."""


NO_LISTS: Mapping[TallyKind, str] = {}


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a page.

    is_complete: nothing of the days is left out. past: the demo's history is being made. left_out:
    merchants that are not counted.
    """

    days: int
    charts: Sequence[Chart]
    is_complete: bool
    past: bool
    left_out: int
    calendar: Sequence[Sequence[Mapping[str, str]]]


async def of_visit(visit: ConsoleVisit, merchants: Sequence[int], left_out: int) -> Charts:
    """Return the charts of an address's span.

    merchants: of the place. left_out: how many of them are not in `merchants`.
    """
    days, today = span_of(visit.query), business_day(visit.now)
    listed = [today - timedelta(days=each) for each in reversed(range(days))]
    wanted = TallyQuery(
        midnight(listed[0]),
        midnight(today + timedelta(days=1)),
        frozenset({TallyKind.PAYMENT, TallyKind.REFUND}),
    )
    read = await tallies.read(visit.db, merchants, wanted, visit.now)
    past = demo_past.present_since() is not None
    settled = {}
    if visit.merchant_id and visit.may(Permission.MONEY_SEE):
        settled = await queries.settled_by_day(visit.db, visit.merchant_id, listed[0])
    return Charts(
        days,
        charts_of(listed, read.tallies, _lists_of(visit), counting=past or not read.is_complete),
        read.is_complete,
        past,
        left_out,
        calendar_of(listed, settled) if settled else (),
    )


def _lists_of(visit: ConsoleVisit) -> Mapping[TallyKind, str]:
    """Return the lists behind the charts: across merchants there is one of payments alone."""
    if not visit.merchant_id:
        return {TallyKind.PAYMENT: visit.href("across/payments")}
    return {
        TallyKind.PAYMENT: visit.href("payments"),
        TallyKind.REFUND: visit.href("refunds"),
    }


def span_of(query: Mapping[str, str]) -> int:
    """Return the span of an address in days; 30 for an unknown one."""
    text = query.get("days", "")
    return int(text) if text in {str(each) for each in SPANS} else _USUAL


def charts_of(
    days: Sequence[date],
    tallies: Iterable[HourTally],
    lists: Mapping[TallyKind, str] = NO_LISTS,
    *,
    counting: bool = False,
) -> list[Chart]:
    """Return every chart of some days, oldest first.

    lists: the addresses of the lists behind them, by what is counted. counting: the count is not
    complete, so no chart says that it is empty.
    complete, so no chart says that it is empty.
    """
    payments, refunds = list[HourTally](), list[HourTally]()
    for tally in tallies:
        if tally.what is TallyKind.PAYMENT:
            payments.append(tally)
        elif tally.what is TallyKind.REFUND:
            refunds.append(tally)
    charts = [
        _volume(days, payments, lists.get(TallyKind.PAYMENT, "")),
        _hours(payments),
        _refunds(days, refunds, lists.get(TallyKind.REFUND, "")),
    ]
    return [replace(each, empty=COUNTING) if counting and each.empty else each for each in charts]


def _by_day(tallies: Iterable[HourTally]) -> Mapping[date, tuple[int, int]]:
    """Return amount in paise and number of each day."""
    sums: dict[date, tuple[int, int]] = {}
    for tally in tallies:
        day = business_day(tally.hour)
        paise, number = sums.get(day, (0, 0))
        sums[day] = paise + tally.paise, number + tally.number
    return sums


def _volume(days: Sequence[date], payments: Iterable[HourTally], behind: str) -> Chart:
    """Return the amount paid on each day, before refunds."""
    sums = _by_day(tally for tally in payments if tally.state in _PAID)
    points = _amounts(days, sums, behind)
    whole, number = _whole(days, sums)
    return Chart(
        "Paid by day",
        f"{shown(Money(whole))} in {number} payment{'s' * (number != 1)}",
        "columns",
        points,
        ("Day", "Amount", "Payments"),
        columns(points),
        short(int(max(each.number for each in points))),
        "" if number else "Nothing was paid in these days.",
    )


def _amounts(
    days: Sequence[date], sums: Mapping[date, tuple[int, int]], behind: str
) -> list[Point]:
    """Return a point for each day. behind: the address of the list, "" for none."""
    points = []
    for day in days:
        paise, number = sums.get(day, (0, 0))
        href = f"{behind}?since={day}&until={day}" if behind and number else ""
        points.append(Point(day_words(day), paise, shown(Money(paise)), str(number), href=href))
    return points


def _whole(days: Sequence[date], sums: Mapping[date, tuple[int, int]]) -> tuple[int, int]:
    there = [sums[day] for day in days if day in sums]
    return sum(paise for paise, _ in there), sum(number for _, number in there)


def _hours(payments: Iterable[HourTally]) -> Chart:
    """Return the number of payments begun in each hour of the Indian day."""
    begun, paid = Counter[int](), Counter[int]()
    for tally in payments:
        hour = ist(tally.hour).hour
        begun[hour] += tally.number
        paid[hour] += tally.number * (tally.state in _PAID)
    points = [
        Point(f"{hour:02}:00", begun[hour], f"{begun[hour]} started", f"{paid[hour]} paid")
        for hour in range(24)
    ]
    busiest = begun.most_common(1)
    summary = (
        f"Busiest from {busiest[0][0]:02}:00 to {(busiest[0][0] + 1) % 24:02}:00" if busiest else ""
    )
    return Chart(
        "Payments by hour of the day",
        summary,
        "columns",
        points,
        ("Hour (IST)", "Started", "Paid"),
        columns(points),
        str(max(begun.values(), default=0)),
        "" if begun else "No payment was started in these days.",
    )


def _refunds(days: Sequence[date], refunds: Iterable[HourTally], behind: str) -> Chart:
    """Return the amount refunded on each day, by the day of the request."""
    sums = _by_day(tally for tally in refunds if tally.state not in CAME_TO_NOTHING)
    points = _amounts(days, sums, behind)
    whole, number = _whole(days, sums)
    return Chart(
        "Refunds by day",
        f"{shown(Money(whole))} in {number} refund{'s' * (number != 1)}" if number else "",
        "columns",
        points,
        ("Day", "Amount", "Refunds"),
        columns(points, "back"),
        short(int(max(each.number for each in points))),
        "" if number else "Nothing was given back in these days.",
    )


def calendar_of(
    days: Sequence[date], settled: Mapping[date, tuple[int, int]]
) -> list[list[dict[str, str]]]:
    """Return weeks from Monday to Sunday with the settled amount of each day of the span."""
    first = days[0] - timedelta(days=days[0].weekday())
    weeks = []
    while first <= days[-1]:
        week = []
        for each in (first + timedelta(days=number) for number in range(7)):
            paise, number = settled.get(each, (0, 0))
            inside = days[0] <= each <= days[-1]
            week.append(
                {
                    "day": f"{each.day} {each:%b}" if inside else "",
                    "short": short(paise) if number else "",
                    "whole": shown(Money(paise)) if number else "",
                }
            )
        weeks.append(week)
        first += timedelta(days=7)
    return weeks
