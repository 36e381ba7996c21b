"""Juspay's references, links, states and webhooks."""

import json
from typing import Any

import pytest

from hundi.acquirers.juspay import rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.money import Money

ORDER = {
    "order_id": "7ptX1",
    "id": "ordeh_1",
    "status": "CHARGED",
    "amount": "10.0",
    "currency": "INR",
    "txn_id": "m-7ptX1-1",
    "effective_amount": "10.0",
    "payment_gateway_response": {"rrn": "632512345678"},
    "refunds": [],
}
PARAMS = {
    "tr": "m-7ptX1-1",
    "mcc": "5411",
    "merchant_vpa": "shop@hdfcbank",
    "merchant_name": "Asha & Sons",
    "amount": "10.00",
}


def outcome(**change: Any) -> object:
    return rules.payment_record(rules.JuspayAnswer(200, {**ORDER, **change}), "10001-1").answer


def test_a_reference_has_only_letters_and_digits_and_comes_back() -> None:
    assert rules.order_id("10001-1") == "7ptX1"
    assert rules.reference_of("7ptX1") == "10001-1"
    longest = "99999999-999999999999999"
    assert len(rules.order_id(longest)) <= 21
    assert rules.reference_of(rules.order_id(longest)) == longest
    for other in ("ORDER1", "10001", "X1", "7ptX1X2", "7PTX1", ""):
        assert rules.reference_of(other) == ""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Approved(Money(1_000), "632512345678")),
        ({"effective_amount": "9.0"}, Unknown("CHARGED", "Juspay's amounts contradict each other")),
        ({"status": "VOIDED"}, Voided("632512345678")),
        ({"status": "AUTO_REFUNDED"}, Declined("AUTO_REFUNDED")),
        ({"status": "AUTHORIZATION_FAILED"}, Declined("AUTHORIZATION_FAILED")),
        ({"status": "JUSPAY_DECLINED", "txn_id": None}, Declined("JUSPAY_DECLINED", left=True)),
        ({"status": "PENDING_VBV"}, Unknown("PENDING_VBV", awaiting_customer=True)),
        ({"status": "AUTHORIZED"}, Unknown("AUTHORIZED")),
        ({"status": "NOT_FOUND"}, NothingThere()),
        ({"order_id": "7ptX2"}, Unknown()),
        ({"currency": "USD"}, Unknown()),
    ],
)
def test_the_status_of_an_order_decides(change: dict[str, Any], expected: object) -> None:
    assert outcome(**change) == expected


def test_a_link_is_made_of_what_juspay_gives() -> None:
    answer = rules.JuspayAnswer(200, {"payment": {"sdk_params": PARAMS}})
    assert rules.upi_url(answer, Money(1_000)) == (
        "upi://pay?cu=INR&pa=shop@hdfcbank&pn=Asha%20%26%20Sons&mc=5411&tr=m-7ptX1-1&am=10.00"
    )
    assert isinstance(rules.upi_url(answer, Money(900)), Unknown)
    assert isinstance(rules.upi_url(rules.JuspayAnswer(200, {}), Money(1_000)), Unknown)


def test_a_webhook_names_its_order_and_its_refunds() -> None:
    order = {"order_id": "7ptX1", "refunds": [{"unique_request_id": "10001-R5"}]}
    event = {"id": "evt_1", "event_name": "ORDER_REFUNDED", "content": {"order": order}}
    body = json.dumps(event).encode()
    assert rules.trigger(body) == Trigger("evt_1", ("10001-1", "10001-R5"))
    assert rules.trigger(body.replace(b"7ptX1", b"OTHER")) is None
    assert rules.trigger(b"[]") is None


def test_a_webhook_has_the_user_and_the_password() -> None:
    assert rules.authentic("u", "p", "Basic dTpw")
    assert not rules.authentic("u", "q", "Basic dTpw")
    assert not rules.authentic("", "", "Basic Og==")
