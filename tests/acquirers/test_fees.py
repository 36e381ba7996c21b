"""A fee that an acquirer adds and tells is not the order's.

A sum that it does not explain is said as it is.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from hundi.acquirers.billdesk import rules as billdesk
from hundi.acquirers.calls.razorpay_wire import decoded
from hundi.acquirers.cashfree import rules as cashfree
from hundi.acquirers.cashfree import words
from hundi.acquirers.paytm import rules as paytm
from hundi.acquirers.payu import rules as payu
from hundi.acquirers.phonepe import messages as phonepe_messages
from hundi.acquirers.phonepe import rules as phonepe
from hundi.acquirers.port.answers import Approved, Unknown
from hundi.acquirers.razorpay import messages
from hundi.acquirers.razorpay import rules as razorpay
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.billdesk import published as of_billdesk
from tests.acquirers.paytm import published as of_paytm
from tests.acquirers.razorpay import published

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ORDER = Money(100_000)
Answered = Callable[[int, int], Any]
"""What is made of a sum paid and a fee told, both in paise, for `ORDER`."""


def by_razorpay(paid: int, fee: int, order: Money | None = ORDER) -> Any:
    said = {**published.PAID, "amount": paid, "fee": fee}
    read = decoded(messages.RazorpayPayments, published.body({"items": [said]}))
    assert read is not None
    return razorpay.outcome(
        read.items, razorpay.Terms(razorpay.RazorpayWay.ONCE, hold=False, until_s=0, order=order), 0
    )


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
    order = words.CashfreeOrder("7-1", "PAID", Decimal(1_000), "INR")
    return cashfree.outcome(order, [msgspec.convert(said, words.CashfreePayment)], NOW)


def by_phonepe(paid: int, fee: int) -> Any:
    amounts = {"payableAmount": paid, "feeAmount": fee}
    tried = {"transactionId": "tid", "state": "COMPLETED", "amount": paid, **amounts}
    body = {
        "orderId": "OMO1",
        "state": "COMPLETED",
        "amount": ORDER.paise,
        **amounts,
        "paymentDetails": [tried],
    }
    read = phonepe_messages.read(200, msgspec.json.encode(body))
    assert read is not None
    return phonepe.order_outcome(read, "7-1")


def rupees(paise: int) -> str:
    return str(Decimal(paise) / 100)


def by_payu(paid: int, fee: int, asked: Money | None = ORDER, **change: str) -> Any:
    amount = rupees(ORDER.paise)
    told = {"amt": amount, "transaction_amount": amount, "net_amount_debit": rupees(paid)}
    said = {
        "mihpayid": "403993715521889530",
        "status": "success",
        "unmappedstatus": "captured",
        **told,
    }
    entry = msgspec.convert({**said, "additional_charges": rupees(fee), **change}, payu.Detail)
    return payu.payment_outcome(entry, asked)


def by_billdesk(paid: int, fee: int, asked: Money | None = ORDER, **change: str) -> Any:
    told = {"amount": rupees(ORDER.paise), "surcharge": rupees(fee), "charge_amount": rupees(paid)}
    said = billdesk.BillDeskAnswer(200, {**of_billdesk.PAID, **told, **change})
    return billdesk.payment_outcome(said, of_billdesk.REFERENCE, of_billdesk.MERCID, "", asked)


EVERY = pytest.mark.parametrize(
    "answered", [by_razorpay, by_cashfree, by_phonepe, by_payu, by_billdesk]
)


@EVERY
def test_a_fee_that_was_told_is_not_the_orders(answered: Answered) -> None:
    answer = answered(102_360, 2_360)
    assert isinstance(answer, Approved)
    assert answer.amount == ORDER


@pytest.mark.parametrize("answered", [by_razorpay, by_cashfree, by_phonepe, by_billdesk])
@pytest.mark.parametrize("paid", [102_359, 102_361, 97_640])
def test_a_sum_that_order_and_fee_do_not_explain_is_no_payment_of_the_order(
    answered: Answered, paid: int
) -> None:
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
    read = decoded(
        messages.RazorpayPayments, published.body({"items": [said, {**said, "id": "pay_2"}]})
    )
    assert read is not None
    answer = razorpay.outcome(
        read.items, razorpay.Terms(razorpay.RazorpayWay.PAGE, hold=False, until_s=0, order=ORDER), 0
    )
    assert isinstance(answer, Approved)
    assert answer.amount == Money(200_000)


WITH_FEE = rupees(102_360)


@pytest.mark.parametrize("asked", [ORDER, None])
@pytest.mark.parametrize("charged_in", ["amt", "transaction_amount"])
def test_either_amount_of_payu_may_have_the_charge(charged_in: str, asked: Money | None) -> None:
    answer = by_payu(102_360, 2_360, asked, **{charged_in: WITH_FEE})
    assert isinstance(answer, Approved)
    assert answer.amount == ORDER


def every_amount_has_the_fee(answered: Callable[..., Any], asked: Money | None) -> Any:
    amounts = ("amt", "transaction_amount") if answered is by_payu else ("amount",)
    return answered(102_360, 2_360, asked, **dict.fromkeys(amounts, WITH_FEE))


@pytest.mark.parametrize("answered", [by_payu, by_billdesk])
def test_of_amounts_that_all_have_the_fee_the_order_that_was_asked_for_is_told_apart(
    answered: Answered,
) -> None:
    assert every_amount_has_the_fee(answered, ORDER).amount == ORDER
    assert every_amount_has_the_fee(answered, None).amount == Money(102_360), (
        "nobody remembers the order"
    )
    assert every_amount_has_the_fee(answered, Money(100_001)).amount == Money(102_360), (
        "it is another order's sum"
    )


@pytest.mark.parametrize("paid", [102_360, 97_640])
def test_a_difference_that_no_fee_explains_approves_nothing(paid: int) -> None:
    for asked in (ORDER, None):
        assert isinstance(by_billdesk(paid, 0, asked), Unknown)


@pytest.mark.parametrize("asked", [ORDER, None])
@pytest.mark.parametrize(
    ("paid", "fee"), [(102_360, 0), (97_640, 0), (102_359, 2_360), (102_400, 2_360)]
)
def test_what_the_payers_bank_took_at_payu_says_nothing_against_the_order(
    paid: int, fee: int, asked: Money | None
) -> None:
    """The payer's app raised it, an offer lowered it, or the charge was rounded.

    Both amounts are the order's.
    """
    answer = by_payu(paid, fee, asked)
    assert isinstance(answer, Approved)
    assert answer.amount == ORDER


@pytest.mark.parametrize("named", ["amt", "transaction_amount"])
@pytest.mark.parametrize("other", ["990.00", "1010.00"])
def test_an_amount_of_payu_that_contradicts_the_order_approves_nothing(
    named: str, other: str
) -> None:
    for paid in (ORDER.paise, 99_000, 101_000):
        assert isinstance(by_payu(paid, 0, ORDER, **{named: other}), Unknown)


def test_less_than_the_order_at_payu_is_no_payment_of_it() -> None:
    part = rupees(99_000)
    assert by_payu(99_000, 0, amt=part, transaction_amount=part).amount == Money(99_000)
    for paid in (ORDER.paise, 98_000):
        assert isinstance(by_payu(paid, 0, amt=part, transaction_amount=part), Unknown)


def test_one_amount_of_payu_alone_does_not_outweigh_what_was_debited() -> None:
    said = {"mihpayid": "1", "status": "success", "unmappedstatus": "captured"}
    one = {**said, "amt": rupees(ORDER.paise), "net_amount_debit": rupees(97_640)}
    assert isinstance(payu.payment_outcome(msgspec.convert(one, payu.Detail), ORDER), Unknown)


@pytest.mark.parametrize(
    ("told", "paise"), [("1000.00", 100_000), ("1023.60", 102_360), ("976.40", 97_640)]
)
def test_paytms_amount_is_said_as_it_is(told: str, paise: int) -> None:
    """No fee was found in what Paytm published.

    With one in `txnAmount`, it is another amount than the order's.
    """
    body = {
        "txnId": "20261123111212800110168",
        "orderId": of_paytm.ORDER,
        "mid": of_paytm.MID,
        "txnAmount": told,
    }
    answer = paytm.payment_outcome(
        paytm.PaytmAnswer("TXN_SUCCESS", "01", "", body), of_paytm.ORDER, of_paytm.MID
    )
    assert isinstance(answer, Approved)
    assert answer.amount == Money(paise)


def test_three_amounts_with_one_charge_approve_nothing() -> None:
    assert isinstance(by_payu(102_360, 2_360, amt="1010.00"), Unknown)
    assert isinstance(by_payu(102_360, 2_360, None, transaction_amount="1010.00"), Unknown)


@pytest.mark.parametrize(
    ("surcharge", "discount", "paid"), [("23.60", "3.60", 102_000), ("5.00", "5.00", 100_000)]
)
def test_a_discount_within_the_surcharge_leaves_the_whole_order(
    surcharge: str, discount: str, paid: int
) -> None:
    assert by_billdesk(paid, 0, surcharge=surcharge, discount=discount).amount == ORDER


def test_a_discount_beyond_the_surcharge_approves_nothing() -> None:
    assert isinstance(by_billdesk(98_000, 0, surcharge="5.00", discount="25.00"), Unknown)
    assert isinstance(by_billdesk(98_000, 0, discount="20.00"), Unknown)


def test_a_hold_with_a_charge_is_of_the_order_and_so_is_its_capture() -> None:
    held = by_payu(102_360, 2_360, unmappedstatus="auth")
    assert (held.amount, held.authorised_only) == (ORDER, True)
    said = {
        "mihpayid": "1",
        "status": "success",
        "unmappedstatus": "captured",
        "additional_charges": rupees(2_360),
    }
    entry = msgspec.convert(said, payu.Detail)
    for amt in (rupees(ORDER.paise), WITH_FEE):
        captured = payu.hold_outcome(entry, (payu.PayUAction("capture", "success", amt),), ORDER)
        assert isinstance(captured, Approved)
        assert captured.amount == ORDER
