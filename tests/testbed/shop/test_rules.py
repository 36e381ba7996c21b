"""What the shop decides by itself: prices, and what an order becomes however the news arrives."""

import itertools
from datetime import timedelta

import pytest

from hundi.sdk import Transaction
from hundi.sdk.errors import InvalidOrderError
from hundi.sdk.transaction import read
from hundi_testbed.shop import rules
from hundi_testbed.shop.rules import OrderStatus
from tests.sdk.gateway_double import PAID, changed


def told(status: int, words: str, kind: int = 320) -> Transaction:
    return read(
        changed(
            PAID, transaction_status=status, transaction_payment_status=words, transaction_type=kind
        ).written()
    )


NEWS = {
    "pending": told(211, "INPROCESS"),
    "failed": told(400, "FAIL"),
    "paid": told(200, "SUCCESS"),
    "refund": told(200, "SUCCESS", 340),
}


@pytest.mark.parametrize("order", list(itertools.permutations(NEWS)))
def test_in_every_order_of_arrival_paid_wins(order: tuple[str, ...]) -> None:
    status = OrderStatus.PLACED
    for name in order:
        status = rules.status_after(status, NEWS[name])
    assert status is OrderStatus.PAID


def test_a_refund_alone_pays_nothing() -> None:
    assert rules.status_after(OrderStatus.PENDING, NEWS["refund"]) is OrderStatus.PENDING


def test_reserved_is_not_paid() -> None:
    assert (
        rules.status_after(OrderStatus.PLACED, told(200, "AUTHORIZE", 310))
        is OrderStatus.AUTHORISED
    )


def test_a_customer_who_left_the_open_payment_page_may_go_on_paying() -> None:
    status = rules.status_after(OrderStatus.PLACED, told(211, "INCOMPLETE"))
    assert rules.may_pay(status)
    assert not rules.may_pay(rules.status_after(status, NEWS["pending"]))


@pytest.mark.parametrize(
    ("typed", "paise"),
    [("501", 50_100), ("₹ 1,00,000.50", 10_000_050), (" 10 ", 1_000), ("0.01", 1)],
)
def test_people_type_amounts_their_way(typed: str, paise: int) -> None:
    assert rules.wanted("", typed) == ("Gift card", paise)


@pytest.mark.parametrize("typed", ["", "0", "-5", "ten", "1e3", "10.005", "१०"])
def test_what_is_no_amount_is_refused(typed: str) -> None:
    with pytest.raises(InvalidOrderError):
        rules.wanted("", typed)


def test_a_typed_amount_does_not_change_a_price() -> None:
    assert rules.wanted("chappal", "1.00") == ("Kolhapuri chappal", 149_950)
    with pytest.raises(InvalidOrderError):
        rules.wanted("elephant", "1.00")


def test_order_ids_are_long_enough_to_be_secrets() -> None:
    ids = {rules.new_order_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(len(each) == 15 for each in ids)


@pytest.mark.parametrize(
    ("status", "kinds", "quiet_s", "expected"),
    [
        ("placed", {"placed", "sent"}, 1, False),
        ("paid", {"return", "verify"}, 1, True),
        ("paid", {"return", "verify"}, 91, False),
        ("paid", {"return", "verify", "notification"}, 1, False),
        ("pending", {"return", "verify", "notification"}, 1, True),
    ],
)
def test_a_page_looks_again_while_news_is_due(
    status: str, kinds: set[str], quiet_s: int, *, expected: bool
) -> None:
    news_due = rules.expects_news(OrderStatus(status), frozenset(kinds), timedelta(seconds=quiet_s))
    assert news_due is expected
