"""What a text in the search box may mean, and what a payment is found by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.payments.search.rules import (
    PaymentTraces,
    SearchKeyKind,
    hashed,
    key_of,
    keys_of,
    meanings_of,
)

SECRET = b"s" * 32
ANY_WORD = {SearchKeyKind.REFUND_RRN, SearchKeyKind.REFUND_REQUEST, SearchKeyKind.CUSTOMER}
"""What any word may be."""
KNOWN = PaymentTraces(
    1,
    149_950,
    "+91 98765-43210",
    "Asha@Example.IN",
    ("asha@okbank",),
    ("0042",),
    ("RRN1",),
    ("R-7",),
    "cust_42",
)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("₹1,499.50", {SearchKeyKind.AMOUNT: 149_950}),
        ("1499.5", {SearchKeyKind.AMOUNT: 149_950}),
        ("Rs. 1,00,000", {SearchKeyKind.AMOUNT: 10_000_000}),
        ("4242", {SearchKeyKind.AMOUNT: 424_200, SearchKeyKind.CARD_ENDING: 4242}),
        ("+91 98765 43210", {SearchKeyKind.PHONE: "9876543210"}),
        ("09876543210", {SearchKeyKind.AMOUNT: 987_654_321_000, SearchKeyKind.PHONE: "9876543210"}),
        (
            "Asha@Example.in ",
            {SearchKeyKind.EMAIL: "asha@example.in", SearchKeyKind.UPI_ADDRESS: "asha@example.in"},
        ),
        ("ORD-17", {}),
        ("١٢٣٤", {}),
        ("", {}),
    ],
)
def test_a_text_may_mean_several_things(text: str, kinds: dict[SearchKeyKind, str | int]) -> None:
    found = meanings_of(text).keys
    assert {kind: value for kind, value in found.items() if kind not in ANY_WORD} == kinds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("217000000000001", 217_000_000_000_001),
        ("10001-217000000000001", 217_000_000_000_001),
        ("ipn_10001_217000000000001_3", 217_000_000_000_001),
        ("21700000000000", None),
        ("10001-x", None),
    ],
)
def test_our_ids_are_known_in_each_form(text: str, number: int | None) -> None:
    assert meanings_of(text).gateway_id == number


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("9876543210", SearchKeyKind.PHONE),
        ("asha@example.in", SearchKeyKind.EMAIL),
        ("ASHA@okbank", SearchKeyKind.UPI_ADDRESS),
        ("0042", SearchKeyKind.CARD_ENDING),
        ("1499.50", SearchKeyKind.AMOUNT),
        ("rrn1", SearchKeyKind.REFUND_RRN),
        ("r-7", SearchKeyKind.REFUND_REQUEST),
        (" cust_42", SearchKeyKind.CUSTOMER),
    ],
)
def test_a_payment_is_found_by_all_that_is_known_of_it(text: str, kind: SearchKeyKind) -> None:
    assert (kind, key_of(kind, meanings_of(text).keys[kind], SECRET)) in set(keys_of(KNOWN, SECRET))


def test_a_key_says_nothing_without_the_secret() -> None:
    assert hashed(SearchKeyKind.PHONE, "9876543210", SECRET) != hashed(
        SearchKeyKind.PHONE, "9876543210", b"t" * 32
    )
    assert hashed(SearchKeyKind.PHONE, "9876543210", SECRET) != hashed(
        SearchKeyKind.EMAIL, "9876543210", SECRET
    )


@given(st.text(max_size=300))
def test_any_text_has_meanings_that_fit_their_columns(text: str) -> None:
    for kind, value in meanings_of(text).keys.items():
        assert -(2**63) <= key_of(kind, value, SECRET) < 2**63
