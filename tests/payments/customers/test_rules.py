"""Who a customer is: which rows share a mark, and how an address names one."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.payments.customers.rules import (
    AnchorKind,
    CustomerAnchor,
    CustomerMark,
    CustomerMarks,
    CustomerTrace,
    anchor_of,
    each_once,
    marks_of,
)
from hundi.payments.orders.rules import Buyer

MEERA = Buyer(email="Meera@Example.in ", phone="+91 98765-43210", customer=" cust_7")
NOON = datetime(2026, 11, 30, 6, 30, tzinfo=UTC)


def trace(number: int, kind: AnchorKind = AnchorKind.PAYMENT, **buyer: str) -> CustomerTrace:
    anchor = CustomerAnchor(kind, number)
    return CustomerTrace(anchor, Buyer(**buyer), NOON + timedelta(minutes=number))


def test_marks_are_compared_without_case_and_country_code() -> None:
    assert marks_of(MEERA) == CustomerMarks("9876543210", "meera@example.in", "cust_7")
    assert not marks_of(Buyer(firstname="Meera")), "a name alone is nobody"


def test_nothing_is_shared_by_marks_that_are_not_there() -> None:
    assert not marks_of(Buyer(phone="9876543210")).shares(marks_of(Buyer(email="a@b.in")))
    assert not CustomerMarks().shares(CustomerMarks())
    assert marks_of(MEERA).shares(marks_of(Buyer(phone="09876543210")))


def test_only_what_a_person_proved_is_left() -> None:
    left = marks_of(MEERA).only([CustomerMark.EMAIL])
    assert dict(left.known) == {CustomerMark.EMAIL: "meera@example.in"}
    assert not marks_of(MEERA).only([])


def test_a_digest_tells_marks_apart_and_names_none() -> None:
    marks, secret = marks_of(MEERA), bytes(range(32))
    digest = marks.digest(secret)
    assert digest == marks_of(MEERA).digest(secret)
    others = (marks.only([CustomerMark.EMAIL]), replace(marks, phone="9000000001"))
    assert digest not in {each.digest(secret) for each in others}
    assert digest != marks.digest(secret[::-1])
    assert len(digest) == 64


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("cust_7", "cust_7"),
        ("1048576", "1048576"),
        ("meera@example.in", "m•••@example.in"),
        ("9876543210", "••••3210"),
    ],
)
def test_a_merchants_own_name_is_masked_where_it_is_an_address(reference: str, shown: str) -> None:
    masked = marks_of(Buyer(customer=reference)).masked
    assert masked == {CustomerMark.REFERENCE: shown}


def test_no_mark_is_in_the_words_for_a_log() -> None:
    assert "98765" not in repr(marks_of(MEERA)) + repr(trace(1, phone="9876543210"))


def test_a_link_without_the_merchants_name_is_of_the_same_customer() -> None:
    known = each_once(
        [
            trace(1, phone="9876543210", email="meera@example.in", customer="cust_7"),
            trace(2, AnchorKind.LINK, phone="9876543210", email="meera@example.in"),
            trace(3, phone="9876543210", email="ravi@example.in"),
            trace(3, phone="9876543210", email="ravi@example.in"),
            trace(4),
        ]
    )
    assert [(each.newest.anchor.number, each.rows) for each in known] == [(3, 1), (1, 2)]


@given(st.sampled_from(AnchorKind), st.integers(1, 10**15 - 1))
def test_an_address_names_a_row(kind: AnchorKind, number: int) -> None:
    anchor = CustomerAnchor(kind, number)
    assert anchor_of(str(anchor)) == anchor


@pytest.mark.parametrize("text", ["", "payment-", "payment-0", "order-1", "payment-1\n", "link-١"])
def test_other_addresses_name_nobody(text: str) -> None:
    assert anchor_of(text) is None
