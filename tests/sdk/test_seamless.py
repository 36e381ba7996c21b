"""Payments that the merchant's own server begins, and cards that nothing shows."""

import pytest

from hundi.sdk import Card, DirectPayment, NextStep, Order, errors
from tests.sdk.both_clients import Call
from tests.sdk.gateway_double import BUYER, GatewayDouble

ORDER = Order(order_id="S-1", amount_paise=149_950, buyer=BUYER)
CARD = Card(number="4111 1111 1111 1111", expiry="12/40", cvv="123", holder="ASHA RAO")


def test_a_bank_is_a_redirect_with_what_is_to_be_paid(call: Call) -> None:
    double = GatewayDouble()
    payment = DirectPayment(
        order=ORDER, pay_by="nb", bank_code="HDFC", customer_ip="203.0.113.7", customer_agent="A/1"
    )
    told = call(double, "begin_payment", payment)
    assert isinstance(told, NextStep)
    assert (told.action, told.redirect_url) == ("redirect", "https://bank.example/visits/1")
    assert (told.payable_paise, told.surcharge_paise, told.status_code) == (150_450, 500, 211)
    sent = double.opened[-1]
    assert (sent["pay_by"], sent["bank_code"], sent["customer_ip"], sent["amount"]) == (
        "nb",
        "HDFC",
        "203.0.113.7",
        "1499.50",
    )


def test_a_link_is_for_a_upi_app(call: Call) -> None:
    told = call(GatewayDouble(), "begin_payment", DirectPayment(order=ORDER, pay_by="upi"))
    assert isinstance(told, NextStep)
    assert (told.action, told.link, told.redirect_url) == (
        "upi_link",
        "upi://pay?pa=shop@hundi",
        "",
    )


def test_a_card_that_is_refused_at_once_has_nothing_under_way(call: Call) -> None:
    double = GatewayDouble()
    refused = Card(number="4000000000000002", expiry="12/40", cvv="123")
    told = call(double, "begin_payment", DirectPayment(order=ORDER, pay_by="pg", card=refused))
    assert isinstance(told, NextStep)
    assert (told.action, told.payable_paise, told.bank_code) == ("none", 0, "54")
    assert (double.opened[-1]["card_number"], "card_holder" in double.opened[-1]) == (
        refused.number,
        False,
    )


def test_a_card_is_in_no_text() -> None:
    payment = DirectPayment(order=ORDER, pay_by="pg", card=CARD)
    for shown in (repr(CARD), repr(payment), str(payment)):
        assert not any(each in shown for each in (CARD.number, CARD.cvv, CARD.holder, CARD.expiry))


@pytest.mark.parametrize(
    ("payment", "field"),
    [
        (DirectPayment(order=ORDER, pay_by="va"), "pay_by"),
        (DirectPayment(order=ORDER, pay_by="nb"), "bank_code"),
        (DirectPayment(order=ORDER, pay_by="pg"), "card_number"),
        (
            DirectPayment(
                order=ORDER, pay_by="pg", card=Card(number="4" * 50, expiry="12/40", cvv="1")
            ),
            "card_number",
        ),
        (DirectPayment(order=ORDER, pay_by="upi", vpa="nobody"), "vpa"),
        (DirectPayment(order=ORDER, pay_by="upi", customer_ip="here"), "customer_ip"),
    ],
)
def test_what_cannot_be_is_not_sent(call: Call, payment: DirectPayment, field: str) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "begin_payment", payment)
    assert (caught.value.field, double.paths) == (field, [])
    assert "4" * 50 not in str(caught.value)


NEXT = {"orderid": "S-1", "ap_transactionid": "7", "next_action": "wait", "transaction_status": 211}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"orderid": "S-2"}, errors.MismatchError),
        ({"next_action": "pay"}, errors.UnreadableReplyError),
        ({"next_action": ""}, errors.UnreadableReplyError),
        ({"transaction_status": "many"}, errors.UnreadableReplyError),
        ({"payable_amount": "much"}, errors.UnreadableReplyError),
    ],
)
def test_a_reply_that_cannot_be_is_an_error(
    call: Call, changes: dict[str, object], error: type[Exception]
) -> None:
    double = GatewayDouble(odd=NEXT | changes)
    with pytest.raises(error):
        call(double, "begin_payment", DirectPayment(order=ORDER, pay_by="upi"))


def test_a_reply_with_what_is_demanded_alone_is_read(call: Call) -> None:
    told = call(GatewayDouble(odd=NEXT), "begin_payment", DirectPayment(order=ORDER, pay_by="upi"))
    assert isinstance(told, NextStep)
    assert (told.action, told.payable_paise) == ("wait", 0)
