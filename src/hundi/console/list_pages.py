"""One component for every list of the console: its page, order, sums, days and saved filters.

A list declares a `ListKind`; its handler calls `page_of` and hands `values_of` to its template,
which draws them by `_lists.html`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from asyncpg import Record

from hundi.console.lists import ID_DIGITS, PAGE_ROWS, TEXT_MAX, Read, asked_of
from hundi.console.queries.bounded import ListCursor
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, group_indian, shown
from hundi.kernel.records import replace
from hundi.staff.people.rules import Permission
from hundi.staff.saved_filters import store as saved_filters

ORDER, TURNED = "order", "turned"
"""The part of an address that turns a list around, and its value."""
BY, AMOUNT = "by", "amount"
"""The part of an address that orders a list by another column, and its value."""
_LARGER, _SMALLER = "Larger", "Smaller"
_DAYS = ("since", "until")
_KEY_DIGITS = ID_DIGITS + 3

SelectListPage = Callable[[Database, int, Any, ListCursor, int], Awaitable[list[Record] | None]]
"""Reads rows nearest to a cursor: of a merchant, by filters, at most a number of them."""
SelectListSums = Callable[[Database, int, Any], Awaitable[list[Record] | None]]
"""Adds up all rows of a merchant that fit the filters, by currency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKind:
    """A list of the console: what its address names, and how its rows are read.

    path: below the place; "" where no filter can be saved. noun: of one row and of several.
    filters: the names in the address. key: the columns that its rows are ordered by. is_rising:
    whether the smallest key comes first. sums: the columns of `select_sums` in paise, with their
    words. export: the permission for the file, None for none. words: of the links to the pages
    before and after. by_amount: whether it can be ordered by `amount_paise`, too. is_bounded:
    whether it goes back `DAYS` without a first day.
    """

    path: str
    noun: tuple[str, str]
    filters: Sequence[str]
    key: Sequence[str]
    select_page: SelectListPage
    select_sums: SelectListSums | None = None
    sums: Mapping[str, str] = field(default_factory=dict[str, str])
    is_rising: bool = False
    export: Permission | None = Permission.PAYMENTS_EXPORT
    words: tuple[str, str] = ("Newer", "Older")
    by_amount: bool = False
    is_bounded: bool = True


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list, in the list's order.

    has_earlier, has_later: whether there are rows before the first and after the last.
    """

    rows: Sequence[Record]
    cursor: ListCursor
    has_earlier: bool
    has_later: bool


@dataclass(frozen=True, slots=True)
class ListLink:
    """A link of a list's bar. is_here: whether it is what the page shows."""

    words: str
    href: str
    is_here: bool = False


PLAIN: Mapping[str, Any] = {"quick": (), "saved": (), "saving": "", "earlier": None, "export": None}
"""The values of `_lists.html` for a list that has neither sums, days nor a way back."""


def cursor_of(visit: ConsoleVisit, kind: ListKind) -> ListCursor:
    """Return the place that the address names; the beginning for any other text."""
    by_amount = kind.by_amount and visit.query.get(BY, "") == AMOUNT
    rising = _rises(kind, by_amount=by_amount) != (visit.query.get(ORDER, "") == TURNED)
    parts = len(_columns(kind, by_amount=by_amount))
    before = _key_of(visit.query.get("before", ""), parts)
    after = () if before else _key_of(visit.query.get("after", ""), parts)
    return ListCursor(before, after, rising, by_amount)


def _rises(kind: ListKind, *, by_amount: bool) -> bool:
    """Return whether an order shows the smallest key first as long as nobody turns it around."""
    return kind.is_rising and not by_amount


def _columns(kind: ListKind, *, by_amount: bool) -> tuple[str, ...]:
    """Return the columns that an order goes by."""
    return (*(("amount_paise",) if by_amount else ()), *kind.key)


def _key_of(text: str, parts: int) -> tuple[int, ...]:
    numbers = text.split("-")
    is_key = len(numbers) == parts and all(
        each.isascii() and each.isdigit() and len(each) <= _KEY_DIGITS for each in numbers
    )
    return tuple(int(each) for each in numbers) if is_key else ()


async def page_of(visit: ConsoleVisit, kind: ListKind, filters: object) -> ListPage | None:
    """Return the page that the address names; None where that takes too long.

    A way back that reaches the beginning shows the whole first page.
    """
    cursor = cursor_of(visit, kind)
    rows = await kind.select_page(visit.db, visit.merchant_id, filters, cursor, PAGE_ROWS + 1)
    if rows is not None and cursor.goes_back and len(rows) <= PAGE_ROWS:
        cursor = replace(cursor, before=(), after=())
        rows = await kind.select_page(visit.db, visit.merchant_id, filters, cursor, PAGE_ROWS + 1)
    if rows is None:
        return None
    more, rows = len(rows) > PAGE_ROWS, rows[:PAGE_ROWS]
    if cursor.goes_back:
        return ListPage(rows[::-1], cursor, has_earlier=more, has_later=True)
    return ListPage(rows, cursor, has_earlier=not cursor.is_first, has_later=more)


async def values_of(
    visit: ConsoleVisit, kind: ListKind, filters: object, page: ListPage
) -> dict[str, Any]:
    """Return the values of `_lists.html` for a page of a list."""
    address = asked_of(visit)
    chosen = {name: visit.query.get(name, "")[:TEXT_MAX] for name in kind.filters}
    narrowed = {name: text for name, text in chosen.items() if text}
    by_amount = page.cursor.by_amount
    by = {BY: AMOUNT} if by_amount else {}
    is_turned = page.cursor.is_rising != _rises(kind, by_amount=by_amount)
    turned = {**by, **({ORDER: TURNED} if is_turned else {})}
    other_way = "?" + urlencode({**narrowed, **by, **({} if is_turned else {ORDER: TURNED})})
    order = "ascending" if page.cursor.is_rising else "descending"
    here = urlencode({**narrowed, **turned})
    whose = visit.merchant_id, visit.person.person_id
    saved = await saved_filters.of_list(visit.db, *whose, kind.path) if kind.path else []
    beside = (_LARGER, _SMALLER) if by_amount else kind.words
    earlier, later = beside[::-1] if is_turned else beside
    return {
        "chosen": chosen,
        "narrowed": bool(narrowed),
        "earlier": _beside(kind, page, {**narrowed, **turned}, earlier, is_earlier=True),
        "later": _beside(kind, page, {**narrowed, **turned}, later, is_earlier=False),
        "export": urlencode(narrowed) if kind.export and visit.may(kind.export) else None,
        "since": f"{address.since:%d %b %Y}".lstrip("0"),
        "is_default": kind.is_bounded and not address.names_first_day,
        "sums": await _sums(visit, kind, filters),
        "has_sums": kind.select_sums is not None,
        "quick": quick_days(narrowed, turned, business_day(visit.now))
        if set(_DAYS) <= set(kind.filters)
        else [],
        "saved": [ListLink(each.name, f"?{each.query}", each.query == here) for each in saved],
        "saving": here if kind.path else "",
        "saved_as": next((each.name for each in saved if each.query == here), ""),
        "list_name": kind.path,
        "order": "" if by_amount else order,
        "order_href": "?" + urlencode(narrowed) if by_amount else other_way,
        "amount_order": order if by_amount else "",
        "amount_href": (other_way if by_amount else "?" + urlencode({**narrowed, BY: AMOUNT}))
        if kind.by_amount
        else "",
    }


def _beside(
    kind: ListKind,
    page: ListPage,
    parameters: Mapping[str, str],
    label: str,
    *,
    is_earlier: bool,
) -> ListLink | None:
    """Return the link to the page before or after this one, None for none."""
    if not page.rows or not (page.has_earlier if is_earlier else page.has_later):
        return None
    row = page.rows[0 if is_earlier else -1]
    name = "before" if is_earlier == page.cursor.is_rising else "after"
    columns = _columns(kind, by_amount=page.cursor.by_amount)
    key = "-".join(str(row[column]) for column in columns)
    return ListLink(label, "?" + urlencode({**parameters, name: key}))


def quick_days(
    narrowed: Mapping[str, str], turned: Mapping[str, str], today: date
) -> list[ListLink]:
    """Return links to the days that people ask for, with the other filters kept."""
    yesterday, this_month = today - timedelta(days=1), today.replace(day=1)
    last = this_month - timedelta(days=1)
    spans = {
        "Today": (today, today),
        "Yesterday": (yesterday, yesterday),
        "This month": (this_month, today),
        "Last month": (last.replace(day=1), last),
    }
    others = {name: text for name, text in narrowed.items() if name not in _DAYS}
    links: list[ListLink] = []
    for label, (since, until) in spans.items():
        days = {"since": since.isoformat(), "until": until.isoformat()}
        is_here = all(narrowed.get(name) == day for name, day in days.items())
        links.append(ListLink(label, "?" + urlencode({**others, **days, **turned}), is_here))
    return links


async def _sums(visit: ConsoleVisit, kind: ListKind, filters: object) -> list[str] | None:
    """Return a line for each currency, None where adding up takes too long."""
    if kind.select_sums is None:
        return []
    rows = await kind.select_sums(visit.db, visit.merchant_id, filters)
    return None if rows is None else [_sum_line(kind, row) for row in rows if row["number"]]


def _sum_line(kind: ListKind, row: Record) -> str:
    number = row["number"]
    parts = [f"{group_indian(number)} {kind.noun[number != 1]}"]
    for column, label in kind.sums.items():
        if row[column]:
            total = shown(Money(row[column], row["currency"]))
            parts.append(f"{total} {label}".strip())
    return " · ".join(parts)


def in_pages(visit: ConsoleVisit, kind: ListKind, filters: object) -> Read:
    """Return a reader of all rows of a list, in its order."""

    async def read(last: Record | None, limit: int) -> list[Record] | None:
        place = tuple(last[column] for column in kind.key) if last else ()
        cursor = (
            ListCursor(after=place, is_rising=True) if kind.is_rising else ListCursor(before=place)
        )
        return await kind.select_page(visit.db, visit.merchant_id, filters, cursor, limit)

    return read
