"""Cards and Aadhaar numbers in words are masked, and numbers that identify something are left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn, verhoeff

from hundi.kernel.masking import masked


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("card 4111111111111111 cvv 123 please", "card [card] cvv *** please"),
        ("4111 1111 1111 1111, 12/29, 123", "[card], 12/29, ***"),
        ("4111-1111-1111-1111", "[card]"),
        ("3782 822463 10005", "[card]"),
        ("my number is 2341 2341 2346", "my number is [aadhaar]"),
        ("234123412346", "[aadhaar]"),
        ("4111111111111112 is no card", "4111111111111112 is no card"),
        ("order 217383559059812", "order 217383559059812"),
        ("call +91 98765 43210", "call +91 98765 43210"),
        ("paid ₹1,499.50 on 26-11-2026", "paid ₹1,499.50 on 26-11-2026"),
        (
            f"sha256 {'0a' * 16}4111111111111111{'b' * 16}",
            f"sha256 {'0a' * 16}4111111111111111{'b' * 16}",
        ),
        (f"{'ab' * 16} 4111 1111 1111 1111", f"{'ab' * 16} [card]"),
        (f"use hundi_100001_{'A-_9' * 10}abc now", "use [key] now"),
        (f"cut hundi_100001_{'x' * 20}", "cut [key]"),
        ("hundi_100001_short", "hundi_100001_short"),
        ("", ""),
    ],
)
def test_what_people_type(typed: str, kept: str) -> None:
    assert masked(typed) == kept


@given(
    st.text("0123456789", min_size=14, max_size=14),
    st.sampled_from("456"),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_no_card_of_the_networks_stays(middle: str, first: str, before: str, after: str) -> None:
    digits = first + middle
    card = digits + luhn.calc_check_digit(digits)
    words = f"{before.rstrip('0123456789.')} {card} {after.lstrip('0123456789')}"
    assert card not in masked(words)


@given(
    st.text("0123456789", min_size=10, max_size=10),
    st.sampled_from("23456789"),
    st.sampled_from(["", " ", "-", "."]),
)
def test_no_aadhaar_number_stays(middle: str, first: str, between: str) -> None:
    digits = first + middle
    number = digits + verhoeff.calc_check_digit(digits)
    grouped = between.join((number[:4], number[4:8], number[8:]))
    assert grouped not in masked(f"of {grouped} and")


@given(st.text())
def test_it_is_done_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)
