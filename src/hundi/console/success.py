"""Success: how many tries are paid, by hour, method, bank, acquirer and reason, and the tries."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlencode

from asyncpg import Record
from litestar import Response

from hundi.console import lists, success_charts
from hundi.console.assets import PREFIX
from hundi.console.drawing import Chart, ChartMark
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import PAGE_ROWS, asked_of, tone_of, words
from hundi.console.queries import home as merchants
from hundi.console.queries import success as queries
from hundi.console.queries import tallies as tally_queries
from hundi.console.queries.success import TryFilters, TryList
from hundi.console.success_charts import (
    NO_CODE_WORDS,
    ComparedTallies,
    SuccessCause,
    SuccessLinks,
    method_words,
)
from hundi.console.success_spans import (
    LONG_SPANS,
    NO_CODE,
    NOT_PAID,
    OFFERED,
    OUTCOMES,
    WEEK,
    ChartSpan,
    SuccessRate,
    narrowed,
    part_of,
    rate_of,
    span_of,
)
from hundi.console.visits import ConsoleVisit
from hundi.infra import demo_past
from hundi.kernel.clock import for_people, ist
from hundi.kernel.ids import first_id
from hundi.kernel.masks import masked_email, masked_phone
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.payments.tallies.rules import HourTally, TallyKind, TallyQuery
from hundi.staff.people.rules import OPERATOR, Permission

SPANS = (
    ("today", "Today"),
    ("yesterday", "Yesterday"),
    *((str(days), f"{days} days") for days in LONG_SPANS),
)
_CHANGES: Mapping[str, str] = {
    "routing.publish": "Routing was changed",
    "risk.publish": "Risk rules were changed",
}
"""Acts that explain a change of success, in words. Those on acquirers' accounts are added."""
_ACCOUNT_WORDS = "An acquirer account was changed"
_TRIES = frozenset({TallyKind.ATTEMPT})
_STRIP_METHODS = 4
_TRAIL_NEWEST = 5_000
"""The newest entries of a place's trail in which changes are looked for."""


async def place_of(visit: ConsoleVisit) -> tuple[list[int], int]:
    """Return the merchants of the place, and how many are left out."""
    if visit.merchant_id:
        return [visit.merchant_id], 0
    ids = [row["merchant_id"] for row in await merchants.select_live(visit.db)]
    most = tally_queries.MERCHANTS_MAX
    return ids[:most], max(0, len(ids) - most)


def filters_of(visit: ConsoleVisit) -> TryFilters:
    """Return what the address narrows to. Acquirers are the operator's."""
    address = asked_of(visit)
    code = address.text("code")
    return TryFilters(
        method=address.text("method"),
        bank=address.text("bank"),
        connector=address.text("acquirer") if visit.is_operator else None,
        code="" if code == NO_CODE else code,
    )


def _query(visit: ConsoleVisit, span: ChartSpan) -> dict[str, str]:
    names = ("method", "bank", *(("acquirer",) if visit.is_operator else ()))
    chosen = {name: visit.query.get(name, "")[: lists.TEXT_MAX] for name in names}
    return {"span": span.name, **{name: text for name, text in chosen.items() if text}}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the charts of a span, beside the same hours a week before."""
    span = span_of(visit.query.get("span", ""), visit.now)
    ids, left_out = await place_of(visit)
    both, is_complete = await _read(visit, ids, span, replace(filters_of(visit), code=None))
    query = _query(visit, span)
    links = SuccessLinks(visit.href("success/tries"), {**query, "outcome": "not-paid"})
    charts = [
        success_charts.by_time(both, links, await _changes(visit, span)),
        success_charts.tries_by_time(both, links),
        *_by_names(visit, both, links),
        success_charts.by_reason(both, links, visit.gateway.customer_words),
    ]
    whole, earlier = both.rates
    return visit.page(
        "success.html",
        "Success",
        charts=charts,
        spans=[(name, label, urlencode({**query, "span": name})) for name, label in SPANS],
        span=span.name,
        title_of_span=span_words(span),
        whole=whole,
        earlier=earlier,
        cause=success_charts.cause_of(both, links),
        narrowing=_narrowing(query, both.now),
        clear=urlencode({"span": span.name}),
        is_complete=is_complete,
        past=demo_past.present_since() is not None,
        missed=left_out,
        now=visit.now,
    )


async def _read(
    visit: ConsoleVisit, ids: Sequence[int], span: ChartSpan, filters: TryFilters
) -> tuple[ComparedTallies, bool]:
    """Return the tries of a span and of the week before, and whether none is left out."""
    step: Literal["hour", "day"] = "hour" if span.by_hour else "day"
    pages = [
        await tally_queries.read(
            visit.db,
            ids,
            TallyQuery(span.since - earlier, span.ends - earlier, _TRIES, step),
            visit.now,
        )
        for earlier in (timedelta(), WEEK)
    ]
    now, before = (narrowed(page.tallies, filters) for page in pages)
    return ComparedTallies(span, now, before), all(page.is_complete for page in pages)


@dataclass(frozen=True, slots=True)
class HealthStrip:
    """Today's success in one line, beside the same hours a week before.

    methods: the most tried, each with its rate and the address of its charts. is_complete: nothing
    is left out.
    """

    now: SuccessRate
    before: SuccessRate
    methods: Sequence[tuple[str, SuccessRate, str]]
    cause: SuccessCause | None
    changes: Sequence[ChartMark]
    is_complete: bool


async def strip_of(visit: ConsoleVisit, ids: Sequence[int]) -> HealthStrip:
    """Return how payments do today."""
    span = span_of("today", visit.now)
    both, is_complete = await _read(visit, ids, span, TryFilters())
    links = SuccessLinks(visit.href("success/tries"), {"span": span.name, "outcome": "not-paid"})
    methods = Counter[str]()
    for tally in both.now:
        methods[tally.method] += tally.number
    return HealthStrip(
        *both.rates,
        [
            (
                method_words(method),
                rate_of(tally for tally in both.now if tally.method == method),
                visit.href(f"success?{urlencode({'span': span.name, 'method': method})}"),
            )
            for method, _ in methods.most_common(_STRIP_METHODS)
        ],
        success_charts.cause_of(both, links),
        await _changes(visit, span),
        is_complete and demo_past.present_since() is None,
    )


def _by_names(visit: ConsoleVisit, both: ComparedTallies, links: SuccessLinks) -> list[Chart]:
    def by(title: str, head: str, field: str, name: Callable[[HourTally], str]) -> Chart:
        return success_charts.by_name(title, head, both, links, field, name)

    charts = [
        by("Success by method", "Method", "method", lambda tally: method_words(tally.method)),
        by("Success by bank", "Bank", "bank", lambda tally: tally.bank_name),
    ]
    if visit.is_operator:
        charts.append(by("Success by acquirer", "Acquirer", "connector", lambda t: t.connector))
    return charts


def span_words(span: ChartSpan) -> str:
    """Return a span for people."""
    if span.name.isdigit():
        return f"the last {span.name} days"
    day = ist(span.since)
    return {"today": "today", "yesterday": "yesterday"}.get(
        span.name, f"{day:%A}, {day.day} {day:%b %Y}"
    )


def _narrowing(query: Mapping[str, str], tallies: Iterable[HourTally]) -> list[str]:
    """Return the page's filters in words."""
    names = {tally.bank: tally.bank_name for tally in tallies if tally.bank}
    spoken = {
        "method": method_words,
        "bank": lambda code: names.get(code) or code,
        "acquirer": str,
    }
    return [spoken[name](text) for name, text in query.items() if name in spoken]


async def _changes(visit: ConsoleVisit, span: ChartSpan) -> list[ChartMark]:
    """Return what was changed in a span: by the operator for everybody, and at this place."""
    marks = []
    for place in {OPERATOR, visit.merchant_id}:
        rows = await queries.select_changes(
            visit.db,
            place,
            span.since,
            [*_CHANGES],
            _TRAIL_NEWEST,
            of_merchants=not visit.merchant_id,
        )
        marks += [_mark(visit, span, row, place) for row in rows if row["at"] < span.ends]
    return sorted(marks, key=lambda mark: mark.at)


def _mark(visit: ConsoleVisit, span: ChartSpan, row: Record, place: int) -> ChartMark:
    spoken = _CHANGES.get(row["act"], _ACCOUNT_WORDS)
    # A merchant's people learn that the operator changed something, and neither what nor who.
    sees = visit.may(Permission.TRAIL_SEE) and (visit.is_operator or place == visit.merchant_id)
    if sees and row["act"] not in _CHANGES:
        spoken = f"{spoken}: {row['about']}"
    by = f", by {row['person']}" if sees else ""
    shown_at = PREFIX + ("all" if place == OPERATOR else str(place)) + "/trail"
    return ChartMark(
        span.place(row["at"]),
        row["at"],
        f"{for_people(row['at'])}: {spoken}{by}.",
        f"{shown_at}?{urlencode({'act': row['act']})}" if sees else "",
    )


# --- the tries behind a bar ---


async def show_tries(visit: ConsoleVisit) -> Response[Any]:
    """Show the tries that a bar counts, newest first."""
    span = span_of(visit.query.get("span", ""), visit.now)
    since, until = part_of(visit.query.get("at", ""), span)
    filters, outcome = filters_of(visit), visit.query.get("outcome", "")
    ids, _ = await place_of(visit)
    before = asked_of(visit).id("before")
    high = min(first_id(until), before) if before else first_id(until)
    tries = TryList(first_id(since), high, OUTCOMES.get(outcome, OUTCOMES[""]), OFFERED, filters)
    rows = await queries.select_tries(
        visit.db, ids, tries, PAGE_ROWS + 1, across=not visit.merchant_id
    )
    if rows is None:
        return lists.too_long(visit)
    wanted = TallyQuery(since, until, _TRIES, "day")
    read = await tally_queries.read(visit.db, ids, wanted, visit.now)
    rate = rate_of(narrowed(read.tallies, filters))
    number = {"not-paid": rate.not_paid, "paid": rate.paid}.get(outcome, rate.ended)
    return visit.page(
        "tries.html",
        {"not-paid": "Tries that were not paid", "paid": "Tries that were paid"}.get(
            outcome, "Tries"
        ),
        rows=[_try(visit, row) for row in rows[:PAGE_ROWS]],
        number=number,
        older=urlencode({**visit.query, "before": rows[PAGE_ROWS - 1]["attempt_id"]})
        if len(rows) > PAGE_ROWS
        else "",
        facts=_facts(visit, since, until, rows),
        outcomes=[
            (label, urlencode({**_without_page(visit), "outcome": name}), name == outcome)
            for name, label in (("not-paid", "Not paid"), ("paid", "Paid"), ("", "All"))
        ],
        charts=urlencode(_query(visit, span)),
        by_hour=f"span={ist(since):%Y-%m-%d}" if not span.by_hour and visit.query.get("at") else "",
        across=not visit.merchant_id,
    )


def _without_page(visit: ConsoleVisit) -> dict[str, str]:
    return {name: text for name, text in visit.query.items() if name != "before"}


def _facts(
    visit: ConsoleVisit, since: datetime, until: datetime, rows: Sequence[Record]
) -> list[str]:
    """Return what the list is narrowed to, in words."""
    filters = filters_of(visit)
    bank = next((row["bank_name"] for row in rows if row["bank"] == filters.bank), filters.bank)
    reason = {None: "", "": NO_CODE_WORDS}.get(filters.code, f"code {filters.code}")
    parts = (
        f"{for_people(since)} to {for_people(min(until, visit.now))}",
        method_words(filters.method) if filters.method else "",
        bank or "",
        filters.connector or "",
        reason,
    )
    return [part for part in parts if part]


def _try(visit: ConsoleVisit, row: Record) -> dict[str, Any]:
    failed = row["state"] in NOT_PAID
    place = PREFIX + str(row["merchant_id"])
    return {
        "order": row["order_id"],
        "href": f"{place}/payments/{row['payment_id']}",
        "id": row["attempt_id"],
        "merchant": row["merchant"],
        "at": row["created_at"],
        "state": words(row["state"]),
        "tone": tone_of(row["state"]),
        "method": method_words(row["method"]),
        "bank": row["bank_name"] or row["bank"],
        "acquirer": row["connector"] if visit.is_operator else "",
        "amount": shown(Money(row["amount_paise"], row["currency"])),
        "customer": masked_phone(row["phone"] or "") or masked_email(row["email"] or ""),
        "said": visit.gateway.customer_words(row["method"], row["state"], row["bank_code"])
        if failed
        else "",
        "bank_said": f"{row['bank_message'] or 'Refused'} ({row['bank_code']})"
        if row["bank_code"]
        else NO_CODE_WORDS
        if failed
        else "",
    }


ROUTES = (
    ConsoleRoute("GET", "success", show, Permission.PAYMENTS_SEE, at="both"),
    ConsoleRoute("GET", "success/tries", show_tries, Permission.PAYMENTS_SEE, at="both"),
)
