"""Links, outcomes and refunds of the UPI merchant stack, by its published fields."""

from typing import Any

import pytest

from hundi.acquirers.juspay_upi import rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.kernel.money import Money

PAYMENT = {
    "merchantRequestId": "10001-1",
    "amount": "10.00",
    "gatewayReferenceId": "632512345678",
    "gatewayResponseCode": "00",
    "gatewayResponseStatus": "SUCCESS",
    "gatewayResponseMessage": "done",
}
REFUND = {
    "refundRequestId": "10001-R5",
    "originalMerchantRequestId": "10001-1",
    "refundAmount": "4.00",
    "gatewayRefundReferenceId": "732512345678",
    "gatewayResponseCode": "00",
    "gatewayResponseStatus": "SUCCESS",
}
INTENT = {
    "merchantRequestId": "10001-1",
    "payeeVpa": "something@handle",
    "payeeName": "Swiggy & Sons",
    "payeeMcc": "5812",
    "gatewayTransactionId": "YJP5566ca9ca6e64e76ba07c2d545f25",
    "orderId": "swiggy567172772271",
    "amount": "1.00",
    "currency": "INR",
    "remarks": "Pay for Intent",
    "TxnInitiationMode": "00",
}
RUPEE = Money(100)


def answered(payload: dict[str, Any], code: str = "SUCCESS") -> rules.StackAnswer:
    return rules.StackAnswer(code == "SUCCESS", code, "words", payload)


def test_the_published_link_is_made() -> None:
    link = rules.upi_url(answered(INTENT), "10001-1", RUPEE)
    assert link == (
        "upi://pay?pa=something@handle&pn=Swiggy%20%26%20Sons&mc=5812"
        "&tid=YJP5566ca9ca6e64e76ba07c2d545f25&tr=swiggy567172772271"
        "&am=1.00&cu=INR&mode=00&tn=Pay%20for%20Intent"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"merchantRequestId": "10001-2"},
        {"amount": "1.01"},
        {"amount": 1},
        {"currency": "USD"},
        {"payeeVpa": ""},
        {"orderId": None},
        {"gatewayTransactionId": None},
    ],
)
def test_another_link_is_not_shown(change: dict[str, Any]) -> None:
    assert isinstance(rules.upi_url(answered(INTENT | change), "10001-1", RUPEE), Unknown)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Approved(Money(1_000), "632512345678")),
        ({"merchantRequestId": "1"}, Unknown(message="the bank speaks of another payment")),
        ({"amount": "0.00"}, Unknown("00", "done")),
        ({"gatewayReferenceId": ""}, Unknown("00", "done")),
        ({"gatewayResponseStatus": "PENDING"}, Unknown("00", "done")),
        ({"gatewayResponseStatus": "FAILURE"}, Unknown("00", "done")),
        ({"gatewayResponseCode": "01", "gatewayResponseStatus": "PENDING"}, Unknown("01", "done")),
        ({"gatewayResponseCode": "RB", "gatewayResponseStatus": "DEEMED"}, Unknown("RB", "done")),
        ({"gatewayResponseCode": "RB", "gatewayResponseStatus": "FAILURE"}, Unknown("RB", "done")),
        ({"gatewayResponseCode": "96", "gatewayResponseStatus": "DEEMED"}, Unknown("96", "done")),
        (
            {"gatewayResponseCode": "Z9", "gatewayResponseStatus": "FAILURE"},
            Declined("Z9", "done", "632512345678"),
        ),
        (
            {"gatewayResponseCode": "U69", "gatewayResponseStatus": "EXPIRED"},
            Declined("U69", "done", "632512345678"),
        ),
        ({"gatewayResponseCode": "Z9", "gatewayResponseStatus": ""}, Unknown("Z9", "done")),
    ],
)
def test_an_outcome_is_what_status_and_code_say_together(
    change: dict[str, Any], expected: object
) -> None:
    assert rules.payment_record(answered(PAYMENT | change), "10001-1").answer == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("REQUEST_NOT_FOUND", NothingThere()),
        ("REQUEST_EXPIRED", NothingThere()),
        ("DROPOUT", NothingThere()),
        ("REQUEST_PENDING", Unknown("REQUEST_PENDING", "words", awaiting_customer=True)),
        ("GATEWAY_TIMEOUT", Unknown("GATEWAY_TIMEOUT", "words")),
        ("BAD_REQUEST", Unknown("BAD_REQUEST", "words")),
    ],
)
def test_a_refused_inquiry_says_only_what_it_says(code: str, expected: object) -> None:
    assert rules.payment_record(answered({}, code), "10001-1").answer == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Approved(Money(400), "732512345678")),
        ({"gatewayRefundReferenceId": None}, Approved(Money(400), "10001-R5")),
        ({"refundRequestId": "10001-R6"}, Unknown("SUCCESS", "words")),
        ({"originalMerchantRequestId": "10001-2"}, Unknown("SUCCESS", "words")),
        ({"refundAmount": None}, Unknown("00")),
        ({"gatewayResponseCode": "BT", "gatewayResponseStatus": "DEEMED"}, Unknown("BT")),
        (
            {"gatewayResponseCode": "U30", "gatewayResponseStatus": "FAILURE"},
            Declined("U30", "", "732512345678"),
        ),
    ],
)
def test_a_refund_is_done_only_under_our_own_name(change: dict[str, Any], expected: object) -> None:
    assert rules.refund_outcome(answered(REFUND | change), "10001-1", "10001-R5") == expected


def test_a_request_has_35_letters_and_digits() -> None:
    made = rules.request_id("10001-1", "AXB")
    assert (made[:3], len(made), made.isalnum()) == ("AXB", 35, True)
    assert made == rules.request_id("10001-1", "AXB") != rules.request_id("10001-2", "AXB")


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"status": "OK"}', b"<html>"])
def test_what_is_no_answer_of_the_stack_is_not_read(body: bytes) -> None:
    assert rules.StackAnswer.read(body) is None
