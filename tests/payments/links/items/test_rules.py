"""Items of payment links: how one is typed, and that they come to the amount."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.payments.links.items import rules
from hundi.payments.links.items.rules import LinkItem

SAREE = LinkItem("Silk saree", 2, 240_000)
BLOUSE = LinkItem("Blouse", 1, 60_050)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Silk saree; 2; 2400", SAREE),
        (" Silk saree ;2; ₹2,400.00", SAREE),
        ("Tea; black; 1; 0.01", LinkItem("Tea; black", 1, 1)),
    ],
)
def test_an_item_is_read_as_people_write_it(text: str, item: LinkItem) -> None:
    assert rules.parse_item(text) == item


@pytest.mark.parametrize("text", ["", "Saree", "Saree; 2", "Saree; two; 5", "Saree; 1; a lot"])
def test_what_is_no_item_is_refused_by_its_field(text: str) -> None:
    with pytest.raises(Refused) as refused:
        rules.parse_item(text)
    assert (refused.value.refusal.code, refused.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        "items",
    )


items = st.builds(
    LinkItem,
    st.text("abc ;", min_size=1, max_size=20).map(lambda text: f"a{text}".strip()),
    st.integers(1, rules.QUANTITY_MAX),
    st.integers(1, 10**11),
)


@given(items)
def test_an_item_that_was_written_is_read_as_it_was(item: LinkItem) -> None:
    assert rules.parse_item(rules.item_text(item)) == item


@given(st.lists(items, min_size=1, max_size=rules.ITEMS_MAX), st.integers(-1000, 1000))
def test_items_come_to_the_amount_to_the_paisa(lines: list[LinkItem], beside: int) -> None:
    total = rules.items_sum(lines)
    if beside == 0:
        rules.check_items(lines, total)
        return
    with pytest.raises(Refused):
        rules.check_items(lines, total + beside)


@pytest.mark.parametrize(
    "lines",
    [
        [LinkItem(" ", 1, 1)],
        [LinkItem("x" * 101, 1, 1)],
        [LinkItem("a\nb", 1, 1)],
        [LinkItem("Saree", 0, 1)],
        [LinkItem("Saree", 10_000, 1)],
        [LinkItem("Saree", 1, 0), LinkItem("Saree", 1, 1)],
        [LinkItem("Saree", 1, 1)] * 51,
    ],
)
def test_what_items_cannot_be(lines: list[LinkItem]) -> None:
    with pytest.raises(Refused):
        rules.check_items(lines, rules.items_sum(lines))


def test_a_link_without_items_has_any_amount() -> None:
    rules.check_items((), 5)


@pytest.mark.parametrize(
    ("wrong", "field", "received"),
    [
        (LinkItem("Saree", 1, 0), "items[2].amount", "₹0.00"),
        (LinkItem("Saree", 0, 5), "items[2].quantity", "0"),
        (LinkItem(" ", 1, 5), "items[2].description", " "),
    ],
)
def test_a_refusal_names_the_field_of_the_item(wrong: LinkItem, field: str, received: str) -> None:
    lines = [SAREE, BLOUSE, wrong]
    with pytest.raises(Refused) as refused:
        rules.check_items(lines, rules.items_sum(lines))
    refusal = refused.value.refusal
    assert (refusal.field, refusal.received) == (field, received)
    assert refusal.allowed
