"""A fee that an acquirer adds and tells is not the order's; a sum that it does not explain is said as it is."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from hundi.acquirers.cashfree import rules as cashfree
from hundi.acquirers.cashfree import words
from hundi.acquirers.phonepe import rules as phonepe
from hundi.acquirers.port.answers import Approved, Unknown
from hundi.acquirers.razorpay import rules as razorpay
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.razorpay import published

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ORDER = Money(100_000)
Answered = Callable[[int, int], Any]
"""What is made of a sum paid and a fee told, both in paise, for `ORDER`."""


def by_razorpay(paid: int, fee: int, order: Money | None = ORDER) -> Any:
    said = {**published.PAID, "amount": paid, "fee": fee}
    read = razorpay.decoded(razorpay.Payments, published.body({"items": [said]}))
    assert read is not None
    return razorpay.outcome(read.items, razorpay.Terms(razorpay.Way.ONCE, hold=False, until_s=0, order=order), 0)


def by_cashfree(paid: int, fee: int, currency: str = "INR") -> Any:
    tax = Decimal(1)
    said = {
        "order_id": "7-1",
        "payment_status": "SUCCESS",
        "payment_amount": Decimal(paid) / 100,
        "payment_currency": currency,
        "payment_surcharge": {
            "payment_surcharge_service_charge": Decimal(fee) / 100 - tax,
            "payment_surcharge_service_tax": tax,
        },
    }
    order = words.Order("7-1", "PAID", Decimal(1_000), "INR")
    return cashfree.outcome(order, [msgspec.convert(said, words.Payment)], NOW)


def by_phonepe(paid: int, fee: int) -> Any:
    amounts = {"payableAmount": paid, "feeAmount": fee}
    tried = {"transactionId": "tid", "state": "COMPLETED", "amount": paid, **amounts}
    body = {"orderId": "OMO1", "state": "COMPLETED", "amount": ORDER.paise, **amounts, "paymentDetails": [tried]}
    read = phonepe.read(200, msgspec.json.encode(body))
    assert read is not None
    return phonepe.order_outcome(read, "7-1")


EVERY = pytest.mark.parametrize("answered", [by_razorpay, by_cashfree, by_phonepe])


@EVERY
def test_a_fee_that_was_told_is_not_the_orders(answered: Answered) -> None:
    answer = answered(102_360, 2_360)
    assert isinstance(answer, Approved)
    assert answer.amount == ORDER


@EVERY
@pytest.mark.parametrize("paid", [102_359, 102_361, 97_640])
def test_a_sum_that_order_and_fee_do_not_explain_is_no_payment_of_the_order(answered: Answered, paid: int) -> None:
    answer = answered(paid, 2_360)
    assert isinstance(answer, Unknown) or answer.amount == Money(paid)


@EVERY
def test_a_fee_that_the_merchant_bears_takes_nothing_from_the_order(answered: Answered) -> None:
    assert answered(ORDER.paise, 2_360).amount == ORDER


def test_a_fee_on_another_currency_is_not_taken_off() -> None:
    assert by_cashfree(102_360, 2_360, "USD").amount == Money(102_360, "USD")
    assert by_razorpay(102_360, 2_360, replace(ORDER, currency="USD")).amount == Money(102_360)


def test_of_an_order_that_nobody_remembers_the_whole_sum_is_said() -> None:
    assert by_razorpay(102_360, 2_360, None).amount == Money(102_360)


def test_a_second_payment_with_a_fee_is_too_much_for_the_order() -> None:
    said = {**published.PAID, "amount": 102_360, "fee": 2_360}
    read = razorpay.decoded(razorpay.Payments, published.body({"items": [said, {**said, "id": "pay_2"}]}))
    assert read is not None
    answer = razorpay.outcome(read.items, razorpay.Terms(razorpay.Way.PAGE, hold=False, until_s=0, order=ORDER), 0)
    assert isinstance(answer, Approved)
    assert answer.amount == Money(200_000)
