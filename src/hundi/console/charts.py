"""The charts of a home page: business over a span of days, each with its numbers as a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from asyncpg import Record

from hundi.console.drawing import Chart, Point, bar, columns, short
from hundi.console.payments import words
from hundi.console.queries import charts as queries
from hundi.console.queries import home as merchants
from hundi.console.visits import ConsoleVisit
from hundi.infra import demo_past
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.payments.refunds.rules import CAME_TO_NOTHING
from hundi.staff.people.rules import Permission

SPANS = (7, 30, 90)
"""Spans in days that an address may name: `?days=30`."""
_USUAL = 30
_NAMES_MAX = 8
_PAID = frozenset({"paid", "captured", "authorised", "overpaid"})
_FAILED = frozenset({"failed", "not_registered", "expired"})
_OFFERED = frozenset({"upi_qr", "virtual_account", "cash", "bank_slip", "rtgs_account"})
"""Methods offered to the customer in advance: an unused offer is no failure."""
COUNTING = "Counting."
"""The text of an empty chart before the count is complete."""
_METHODS = {
    "upi_qr": "UPI QR",
    "upi_collect": "UPI request",
    "upi_autopay": "UPI AutoPay",
    "card": "Card",
    "card_moto": "Card by telephone",
    "card_emi": "Card instalments",
    "emi_page": "Card instalments at the acquirer's page",
    "emi_direct": "Card instalments, charged at once",
    "netbanking": "Net banking",
    "wallet": "Wallet",
    "pay_later": "Pay later",
}
_OUR_CODE = "No code: the bank's page was left, or nobody answered in time"


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a page.

    missing: days still to be counted. past: the demo's history is being made. left_out: merchants
    that are not counted.
    """

    days: int
    charts: Sequence[Chart]
    missing: int
    past: bool
    left_out: int
    calendar: Sequence[Sequence[Mapping[str, str]]]


async def of_visit(visit: ConsoleVisit) -> Charts:
    """Return the charts of an address's place and span."""
    days, today = span_of(visit.query), business_day(visit.now)
    listed = [today - timedelta(days=each) for each in reversed(range(days))]
    ids = (
        [visit.merchant_id]
        if visit.merchant_id
        else [r["merchant_id"] for r in await merchants.select_live(visit.db)]
    )
    counted = await queries.COUNTS.read(
        visit.db, visit.merchant_id, ids[: queries.MERCHANTS_MAX], listed, today
    )
    past = demo_past.present_since() is not None
    settled = {}
    if visit.merchant_id and visit.may(Permission.MONEY_SEE):
        settled = await queries.settled_by_day(visit.db, visit.merchant_id, listed[0])
    drawn = charts_of(listed, counted.days, counting=past or counted.missing > 0)
    left_out = max(0, len(ids) - queries.MERCHANTS_MAX)
    return Charts(
        days,
        drawn,
        counted.missing,
        past,
        left_out,
        calendar_of(listed, settled) if settled else (),
    )


def span_of(query: Mapping[str, str]) -> int:
    """Return the span of an address in days; 30 for an unknown one."""
    text = query.get("days", "")
    return int(text) if text in {str(each) for each in SPANS} else _USUAL


def charts_of(
    days: Sequence[date], counted: Mapping[date, Sequence[Record]], *, counting: bool = False
) -> list[Chart]:
    """Return every chart of some days, oldest first.

    counting: the count is not complete, so no chart says that it is empty.
    """
    tries = [
        row
        for rows in counted.values()
        for row in rows
        if row["what"] == "try" and not _is_unused(row)
    ]
    payments = [row for rows in counted.values() for row in rows if row["what"] == "payment"]
    charts = [
        _volume(days, counted),
        _rates("Success rate by method", "Method", tries, _method),
        _rates("Success rate by bank", "Bank", tries, _bank),
        _hours(payments),
        _reasons(tries),
        _refunds(days, counted),
    ]
    return [replace(each, empty=COUNTING) if counting and each.empty else each for each in charts]


def _method(row: Record) -> str:
    return _METHODS.get(row["method"], words(row["method"]))


def _bank(row: Record) -> str:
    return str(row["bank"])


def _is_unused(row: Record) -> bool:
    return row["method"] in _OFFERED and row["state"] in {"offered", "expired"}


def _day(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _volume(days: Sequence[date], counted: Mapping[date, Sequence[Record]]) -> Chart:
    """Return the amount paid on each day, before refunds."""
    points = []
    for day in days:
        rows = [
            row
            for row in counted.get(day, ())
            if row["what"] == "payment" and row["state"] in _PAID
        ]
        paise, number = sum(row["paise"] or 0 for row in rows), sum(row["number"] for row in rows)
        points.append(Point(_day(day), paise, shown(Money(paise)), str(number)))
    whole, number = sum(int(each.number) for each in points), sum(int(each.note) for each in points)
    return Chart(
        "Paid by day",
        f"{shown(Money(whole))} in {number} payment{'s' * (number != 1)}",
        "columns",
        points,
        ("Day", "Amount", "Payments"),
        columns([each.number for each in points]),
        short(int(max(each.number for each in points))),
        "" if number else "Nothing was paid in these days.",
    )


def _rates(
    title: str, head: str, tries: Iterable[Record], name_of: Callable[[Record], str]
) -> Chart:
    """Return the paid share of the ended tries, by a name.

    Names without tries are left out.
    """
    paid, ended = Counter[str](), Counter[str]()
    for row in tries:
        name = name_of(row)
        if name and row["state"] in _PAID | _FAILED:
            ended[name] += row["number"]
            paid[name] += row["number"] * (row["state"] in _PAID)
    points = [
        Point(
            name,
            paid[name] / number,
            f"{100 * paid[name] / number:.1f} %",
            f"{paid[name]} of {number} tries",
        )
        for name, number in ended.most_common(_NAMES_MAX)
    ]
    whole = f"{100 * paid.total() / ended.total():.1f} % of {ended.total()} tries" if ended else ""
    return _listed(
        title, whole, points, (head, "Success rate", "Tries"), "No try ended in these days."
    )


def _hours(payments: Iterable[Record]) -> Chart:
    """Return the number of payments begun in each hour of the Indian day."""
    begun, paid = Counter[int](), Counter[int]()
    for row in payments:
        begun[row["hour"]] += row["number"]
        paid[row["hour"]] += row["number"] * (row["state"] in _PAID)
    points = [
        Point(f"{hour:02}:00", begun[hour], f"{begun[hour]} begun", f"{paid[hour]} paid")
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
        ("Hour (IST)", "Begun", "Paid"),
        columns([each.number for each in points]),
        str(max(begun.values(), default=0)),
        "" if begun else "No payment was begun in these days.",
    )


def _reasons(tries: Iterable[Record]) -> Chart:
    """Return the reasons of failed tries, in the bank's code and words."""
    counts, reasons = Counter[str](), dict[str, str]()
    for row in tries:
        if row["state"] in _FAILED:
            counts[row["code"]] += row["number"]
            reasons[row["code"]] = row["words"] or "Refused"
    most = max(counts.values(), default=1)
    points = [
        Point(
            f"{reasons[code]} ({code})" if code else _OUR_CODE,
            number / most,
            str(number),
            code or "none",
        )
        for code, number in counts.most_common(_NAMES_MAX)
    ]
    summary = f"{counts.total()} tries failed" if counts else ""
    return _listed(
        "Reasons of failure", summary, points, ("Reason", "Tries", "Code"), "No try failed.", "bad"
    )


def _refunds(days: Sequence[date], counted: Mapping[date, Sequence[Record]]) -> Chart:
    """Return the amount refunded on each day, by the day of the request."""
    points = []
    for day in days:
        rows = [
            row
            for row in counted.get(day, ())
            if row["what"] == "refund" and row["state"] not in CAME_TO_NOTHING
        ]
        paise, number = sum(row["paise"] for row in rows), sum(row["number"] for row in rows)
        points.append(Point(_day(day), paise, shown(Money(paise)), str(number)))
    whole, number = sum(int(each.number) for each in points), sum(int(each.note) for each in points)
    return Chart(
        "Refunds by day",
        f"{shown(Money(whole))} in {number} refund{'s' * (number != 1)}" if number else "",
        "columns",
        points,
        ("Day", "Amount", "Refunds"),
        columns([each.number for each in points], "back"),
        short(int(max(each.number for each in points))),
        "" if number else "Nothing was given back in these days.",
    )


def _listed(
    title: str,
    summary: str,
    points: Sequence[Point],
    heads: tuple[str, ...],
    empty: str,
    mark: str = "",
) -> Chart:
    bars = [bar(each.number, mark) for each in points]
    return Chart(title, summary, "bars", points, heads, bars, "", "" if points else empty)


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
