"""What a person may save as a view of a list."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.refusals import Refused
from hundi.staff.saved_filters.rules import SAVED_MAX, SavedFilter, checked

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def view(
    name: str = "Paid today", query: str = "state=paid", list_name: str = "payments"
) -> SavedFilter:
    return SavedFilter(12345, 7, list_name, name, query, NOW)


def test_a_view_of_the_same_name_takes_its_place_and_a_further_one_needs_room() -> None:
    saved = [view(f"View {number}") for number in range(SAVED_MAX)]
    assert checked(view("View 3"), saved) == view("View 3")
    with pytest.raises(Refused):
        checked(view("One more"), saved)


@pytest.mark.parametrize(
    "wrong",
    [
        view(name=""),
        view(name="x" * 41),
        view(name="two\nlines"),
        view(query=""),
        view(query="a b"),
        view(query="x" * 501),
        view(list_name="../all"),
        view(list_name="Payments"),
    ],
)
def test_what_is_no_view_of_a_list_is_refused(wrong: SavedFilter) -> None:
    with pytest.raises(Refused):
        checked(wrong, [])


@given(st.text(), st.text())
def test_nothing_that_leads_elsewhere_is_saved(list_name: str, query: str) -> None:
    """The answer to the form leads to list and query: both stay below the place."""
    try:
        kept = checked(view(query=query, list_name=list_name), [])
    except Refused:
        return
    assert not set("/\\:?#\r\n ") & set(kept.list_name + kept.query)
