"""Pages of a list: nothing is missed or shown twice, whichever way somebody reads.

Whatever happens to the list meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from hundi.console.list_pages import ListKind, ListPage, page_of, quick_days
from hundi.console.lists import PAGE_ROWS
from hundi.console.queries.bounded import ListCursor

TODAY = date(2026, 3, 1)


@dataclass
class Rows:
    """A list in memory, read as a statement reads it: nearest to the cursor first."""

    keys: set[int] = field(default_factory=set[int])

    async def select_page(
        self, _db: object, _merchant: int, _filters: object, cursor: ListCursor, limit: int
    ) -> Any:
        low, high = next(iter(cursor.after), 0), next(iter(cursor.before), 10**15)
        fitting = sorted(key for key in self.keys if low < key < high)
        nearest = fitting if cursor.reads_rising else fitting[::-1]
        return [{"number": key} for key in nearest[:limit]]


@dataclass
class AmountRows:
    """A list in memory whose rows are read by amount and number, as a statement reads them."""

    keys: set[tuple[int, int]]

    async def select_page(
        self, _db: object, _merchant: int, _filters: object, cursor: ListCursor, limit: int
    ) -> Any:
        assert cursor.by_amount
        low, high = cursor.after or (-1, 0), cursor.before or (10**15, 0)
        fitting = sorted(key for key in self.keys if low < key < high)
        nearest = fitting if cursor.reads_rising else fitting[::-1]
        return [{"amount_paise": paise, "number": number} for paise, number in nearest[:limit]]


@dataclass(frozen=True)
class Visit:
    """What a list reads of a visit."""

    query: dict[str, str]
    db: None = None
    merchant_id: int = 12345


def page(rows: Rows | AmountRows, **query: str) -> ListPage:
    kind = ListKind(
        path="rows",
        noun=("row", "rows"),
        filters=(),
        key=("number",),
        select_page=rows.select_page,
        by_amount=True,
    )
    reading = page_of(cast("Any", Visit(query)), kind, None)
    # Nothing in memory waits, so the first step is the last.
    try:
        reading.send(None)
    except StopIteration as ended:
        return cast("ListPage", ended.value)
    raise AssertionError


def numbers(shown: ListPage) -> Sequence[int]:
    return [row["number"] for row in shown.rows]


def whole(rows: Rows, order: dict[str, str]) -> list[int]:
    """Read a list from its beginning to its end."""
    onward = "after" if order else "before"
    shown = page(rows, **order)
    read = [*numbers(shown)]
    while shown.has_later:
        shown = page(rows, **order, **{onward: str(read[-1])})
        assert shown.has_earlier
        read += numbers(shown)
    return read


@given(st.sets(st.integers(1, 10_000), max_size=3 * PAGE_ROWS))
def test_every_row_is_shown_once_in_both_orders(keys: set[int]) -> None:
    rows = Rows(keys)
    assert whole(rows, {}) == sorted(keys, reverse=True)
    assert whole(rows, {"order": "turned"}) == sorted(keys)


@given(st.sets(st.tuples(st.integers(1, 5), st.integers(1, 500)), max_size=3 * PAGE_ROWS))
def test_rows_of_equal_amounts_are_shown_once_by_amount(keys: set[tuple[int, int]]) -> None:
    for order, onward, expected in (
        ({"by": "amount"}, "before", sorted(keys, reverse=True)),
        ({"by": "amount", "order": "turned"}, "after", sorted(keys)),
    ):
        read: list[tuple[int, int]] = []
        query: dict[str, str] = {}
        while True:
            shown = page(AmountRows(keys), **order, **query)
            read += [(row["amount_paise"], row["number"]) for row in shown.rows]
            if not shown.has_later:
                break
            query = {onward: "-".join(str(part) for part in read[-1])}
        assert read == expected


@given(
    st.sets(st.integers(1, 10_000), min_size=2 * PAGE_ROWS + 1, max_size=3 * PAGE_ROWS),
    st.sets(st.integers(10_001, 20_000), max_size=PAGE_ROWS),
)
def test_new_rows_move_no_page_and_the_way_back_meets_the_way_there(
    keys: set[int], new: set[int]
) -> None:
    rows = Rows(set(keys))
    first = numbers(page(rows))
    second = numbers(page(rows, before=str(first[-1])))
    rows.keys |= new
    assert numbers(page(rows, before=str(first[-1]))) == second
    back = page(rows, after=str(second[0]))
    assert set(numbers(back)) >= set(first) - new or len(new) > 0
    expected = sorted(key for key in rows.keys if key > second[0])[:PAGE_ROWS][::-1]
    if len(new) + len(first) > PAGE_ROWS:
        assert numbers(back) == expected
    else:
        assert numbers(back) == sorted(rows.keys, reverse=True)[:PAGE_ROWS]


def test_the_days_that_people_ask_for() -> None:
    links = quick_days({"state": "paid", "since": "2026-02-01"}, {}, TODAY)
    assert [(each.words, each.href) for each in links] == [
        ("Today", "?state=paid&since=2026-03-01&until=2026-03-01"),
        ("Yesterday", "?state=paid&since=2026-02-28&until=2026-02-28"),
        ("This month", "?state=paid&since=2026-03-01&until=2026-03-01"),
        ("Last month", "?state=paid&since=2026-02-01&until=2026-02-28"),
    ]
    chosen = quick_days({"since": "2026-02-28", "until": "2026-02-28"}, {}, TODAY)
    assert [each.words for each in chosen if each.is_here] == ["Yesterday"]
