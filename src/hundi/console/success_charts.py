"""The charts of success, beside the same hours a week before, and the cause of a drop; pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from hundi.api.context import CustomerWords
from hundi.console.drawing import Chart, ChartMark, ComparedColumn, Point, bar, compared
from hundi.console.lists import counted, words
from hundi.console.success_spans import (
    NO_CODE,
    NOT_PAID,
    WEEK,
    ChartSpan,
    SuccessRate,
    rate_of,
)
from hundi.payments.tallies.rules import HourTally

_NAMES_MAX = 10
_DROP_TRIES_MIN = 5
"""Tries, now and a week before, without which nothing is said about a drop."""
_DROP_MIN = 0.03
"""The fall of the paid part from which on it is a drop, and no chance of few tries."""
_KEY = "Bars: this time. Lines across: the same time a week before. Each bar leads to its tries."
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
NO_CODE_WORDS = "No code: the bank's page was left, or nobody answered in time"


def method_words(method: str) -> str:
    """Return a method's name for people."""
    return _METHODS.get(method, words(method))


@dataclass(frozen=True, slots=True)
class SuccessLinks:
    """Addresses of tries. base: of the list. query: the span and the filters of the page."""

    base: str
    query: Mapping[str, str]

    def tries(self, **more: str) -> str:
        """Return the address of a list of tries, narrowed further."""
        return f"{self.base}?{urlencode({**self.query, **more})}"


@dataclass(frozen=True, slots=True)
class ComparedTallies:
    """Ended tries of a span, and those of the same hours a week before."""

    span: ChartSpan
    now: Sequence[HourTally]
    before: Sequence[HourTally]

    @property
    def rates(self) -> tuple[SuccessRate, SuccessRate]:
        """Return both rates."""
        return rate_of(self.now), rate_of(self.before)


def by_time(both: ComparedTallies, links: SuccessLinks, marks: Sequence[ChartMark]) -> Chart:
    """Return the success of each hour or day, beside that of a week before."""
    span = both.span
    now, before = _by_column(span, both.now), _by_column(span, both.before, WEEK)
    points, drawn = [], []
    for column in span.columns:
        rate, earlier = now[column], before[column]
        name = span.words_of(column)
        href = links.tries(at=span.name_of(column)) if rate.ended else ""
        points.append(Point(name, rate.part or 0, rate.words, rate.counts, _earlier(earlier), href))
        title = f"{name}: {rate.words}, {rate.counts}; a week before {earlier.words}"
        drawn.append(ComparedColumn(rate.part, earlier.part, title, href))
    shown = [mark for mark in marks if 0 <= mark.place < len(drawn)]
    whole, earlier = both.rates
    return Chart(
        f"Success by {'hour' if span.by_hour else 'day'}",
        f"{whole.words}, {whole.counts}; a week before {earlier.words}, {earlier.counts}"
        if whole.ended or earlier.ended
        else "",
        "columns",
        points,
        ("Hour (IST)" if span.by_hour else "Day", "Success", "Tries", *_BEFORE),
        compared(drawn, shown),
        "100 %",
        "" if whole.ended or earlier.ended else "No try ended in this time, or a week before.",
        _KEY,
        shown,
    )


def tries_by_time(both: ComparedTallies, links: SuccessLinks) -> Chart:
    """Return the number of tries of each hour or day, beside that of a week before."""
    span = both.span
    now, before = _by_column(span, both.now), _by_column(span, both.before, WEEK)
    most = max((rate.ended for rate in (*now.values(), *before.values())), default=0) or 1
    points, drawn = [], []
    for column in span.columns:
        rate, earlier = now[column], before[column]
        name = span.words_of(column)
        href = links.tries(at=span.name_of(column), outcome="") if rate.ended else ""
        points.append(
            Point(
                name, rate.ended, str(rate.ended), f"{rate.paid} paid", (str(earlier.ended),), href
            )
        )
        title = f"{name}: {counted(rate.ended, 'try', 'tries')}; a week before {earlier.ended}"
        parts = [each.ended / most if each.ended else None for each in (rate, earlier)]
        drawn.append(ComparedColumn(parts[0], parts[1], title, href))
    whole, earlier = both.rates
    return Chart(
        f"Tries by {'hour' if span.by_hour else 'day'}",
        f"{counted(whole.ended, 'try', 'tries')}; a week before {earlier.ended}",
        "columns",
        points,
        ("Hour (IST)" if span.by_hour else "Day", "Tries", "Paid", "A week before"),
        compared(drawn, ()),
        str(most) if whole.ended or earlier.ended else "0",
        "" if whole.ended or earlier.ended else "No try ended in this time, or a week before.",
        _KEY,
    )


_BEFORE = ("A week before", "Tries then")


def _earlier(rate: SuccessRate) -> tuple[str, str]:
    return rate.words, rate.counts


def _by_column(
    span: ChartSpan, tallies: Iterable[HourTally], later: timedelta = timedelta()
) -> Mapping[datetime, SuccessRate]:
    """Return rates by the column of their hour. later: added to the hours of a week before."""
    rates: dict[datetime, SuccessRate] = defaultdict(SuccessRate)
    for tally in tallies:
        column = span.since + span.place(tally.hour + later) * span.step
        rates[column] = rates[column].plus(tally)
    return rates


def by_name(
    title: str,
    head: str,
    both: ComparedTallies,
    links: SuccessLinks,
    field: str,
    name_of: Callable[[HourTally], str],
) -> Chart:
    """Return the success of each method, bank or acquirer, the most tried first.

    field: of the tally, and of the address. Tries without a value of it are left out.
    """
    now, before = _by(both.now, field), _by(both.before, field)
    names = {getattr(tally, field): name_of(tally) for tally in (*both.before, *both.now)}
    keys = sorted((key for key in now if key), key=lambda key: (-now[key].ended, key))
    points = [
        Point(
            names[key] or key,
            now[key].part or 0,
            now[key].words,
            now[key].counts,
            _earlier(before[key]),
            links.tries(**{_ADDRESS.get(field, field): key}),
        )
        for key in keys[:_NAMES_MAX]
    ]
    summary = f"The {_NAMES_MAX} most tried of {len(keys)}" if len(keys) > _NAMES_MAX else ""
    return Chart(
        title,
        summary,
        "bars",
        points,
        (head, "Success", "Tries", *_BEFORE),
        [bar(point.number) for point in points],
        "",
        "" if points else "No try ended in this time.",
    )


_ADDRESS = {"connector": "acquirer"}
"""Names of fields in addresses where they differ."""


def _by(tallies: Iterable[HourTally], field: str) -> Mapping[str, SuccessRate]:
    rates: dict[str, SuccessRate] = defaultdict(SuccessRate)
    for tally in tallies:
        key = getattr(tally, field)
        rates[key] = rates[key].plus(tally)
    return rates


def by_reason(both: ComparedTallies, links: SuccessLinks, said: CustomerWords) -> Chart:
    """Return why tries were not paid: in the bank's words, and in those that customers read."""
    now, before = _reasons(both.now), _reasons(both.before)
    tallies = {each.code: each for each in (*both.before, *both.now) if each.state in NOT_PAID}
    keys = sorted(now, key=lambda key: (-now[key], key))
    most = max(now.values(), default=1)
    points = []
    for key in keys[:_NAMES_MAX]:
        tally = tallies[key]
        bank = f"{tally.words or 'Refused'} ({key})" if key else NO_CODE_WORDS
        customer = said(tally.method, tally.state, key)
        href = links.tries(code=key or NO_CODE)
        more = (str(before.get(key, 0)),)
        read = f"The customer reads: {customer}" if customer else "The customer is told to wait."
        points.append(Point(bank, now[key] / most, str(now[key]), read, more, href))
    number, earlier = sum(now.values()), sum(before.values())
    return Chart(
        "Why tries were not paid",
        f"{number} not paid; a week before {earlier}",
        "bars",
        points,
        ("The bank's words", "Not paid", "In the customer's words", "A week before"),
        [bar(point.number, "bad") for point in points],
        "",
        "" if points else "Every try that ended in this time was paid.",
    )


def _reasons(tallies: Iterable[HourTally]) -> Mapping[str, int]:
    numbers: dict[str, int] = defaultdict(int)
    for tally in tallies:
        if tally.state in NOT_PAID:
            numbers[tally.code] += tally.number
    return numbers


@dataclass(frozen=True, slots=True)
class SuccessCause:
    """Where the most tries were lost against a week before."""

    words: str
    href: str


def cause_of(both: ComparedTallies, links: SuccessLinks) -> SuccessCause | None:
    """Return where most of a drop is, by method and bank; None where success did not drop."""
    whole, earlier = both.rates
    if min(whole.ended, earlier.ended) < _DROP_TRIES_MIN:
        return None
    if (earlier.part or 0) - (whole.part or 0) < _DROP_MIN:
        return None
    lost: dict[tuple[str, str], float] = {}
    now, before = _pairs(both.now), _pairs(both.before)
    for key, rate in now.items():
        usual = before[key].part if key in before else earlier.part
        lost[key] = rate.not_paid - rate.ended * (1 - (usual or 0))
    key = max(sorted(lost), key=lambda each: lost[each])
    if lost[key] <= 0:
        return None
    method, bank = key
    tally = next(each for each in both.now if (each.method, each.bank) == key)
    name = f"{method_words(method)}, {tally.bank_name or bank}" if bank else method_words(method)
    then = before.get(key, SuccessRate())
    sentence = f"Most of the drop: {name}. {now[key].counts}; a week before {then.counts}."
    narrowing = {"method": method, **({"bank": bank} if bank else {})}
    return SuccessCause(sentence, links.tries(**narrowing))


def _pairs(tallies: Iterable[HourTally]) -> Mapping[tuple[str, str], SuccessRate]:
    rates: dict[tuple[str, str], SuccessRate] = {}
    for tally in tallies:
        key = tally.method, tally.bank
        rates[key] = rates.get(key, SuccessRate()).plus(tally)
    return rates
