"""PhonePe's published words, and what is made of them; nothing unclear ever reads as a decline."""

import json
from typing import Any

import pytest

from hundi.acquirers.phonepe import messages, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.kernel.money import Money
from tests.acquirers.phonepe import published

ORIGINS = ("https://mercury-uat.phonepe.com",)


def said(body: bytes, status: int = 200) -> messages.PhonePeAnswer:
    read = messages.read(status, body)
    assert read is not None
    return read


def outcome(body: bytes, status: int = 200, **about: str) -> Any:
    return rules.order_outcome(
        said(body, status), about.get("reference", "7-1"), about.get("order_id", "")
    )


def made(body: bytes, status: int = 200) -> messages.AnswerBody:
    word = rules.order_of(said(body, status))
    assert isinstance(word, messages.AnswerBody)
    return word


def test_a_published_payment_by_upi_is_approved_with_its_utr() -> None:
    assert outcome(published.PAID_BY_UPI) == Approved(Money(1000), "455069731511")


def test_of_a_payment_in_two_parts_the_utr_of_the_bank_account_is_kept() -> None:
    assert outcome(published.PAID_IN_TWO_PARTS) == Approved(Money(200), "455948340054")


def test_a_published_payment_by_card_says_which_card() -> None:
    paid = outcome(published.PAID_BY_CARD)
    assert (paid.amount, paid.rrn, paid.approval_code) == (Money(100), "520506406845", "088005")
    assert (paid.card.last4, paid.card.scheme, paid.card.type, paid.card.issuer) == (
        "1234",
        "Visa",
        "credit",
        "HDFC",
    )


def test_a_failed_try_before_a_paid_one_decides_nothing() -> None:
    assert outcome(published.PAID_AFTER_A_FAILED_TRY) == Approved(
        Money(300), "OM2402281351164694090252"
    )


def test_amounts_that_contradict_each_other_approve_nothing() -> None:
    assert isinstance(outcome(published.CONTRADICTION), Unknown)


def test_an_order_that_nobody_tried_to_pay_waits_for_its_customer() -> None:
    assert outcome(published.NO_TRY_YET) == Unknown(awaiting_customer=True)


def test_a_published_failure_is_declined_with_the_upi_code() -> None:
    assert outcome(published.FAILED) == Declined("ZM", "Wrong MPIN was entered")


def test_an_order_that_ended_without_any_try_was_left() -> None:
    ended = {**json.loads(published.NO_TRY_YET), "state": "FAILED"}
    assert outcome(json.dumps(ended).encode()) == Declined("FAILED", left=True)


@pytest.mark.parametrize("going_on", ["PENDING", "COMPLETED"])
def test_a_failed_order_with_a_try_that_did_not_fail_is_no_decline(going_on: str) -> None:
    order = json.loads(published.FAILED)
    order["paymentDetails"].append({**order["paymentDetails"][0], "state": going_on})
    assert isinstance(outcome(json.dumps(order).encode()), Unknown)


def test_only_the_published_code_says_that_an_order_is_not_there() -> None:
    assert outcome(published.NO_SUCH_ORDER, 400) == NothingThere()
    other = json.dumps({"code": "404", "message": "Api Mapping Not Found"}).encode()
    assert isinstance(outcome(other, 404), Unknown)
    assert isinstance(outcome(published.NO_SUCH_ORDER, 200), Unknown)


def test_an_answer_about_another_order_decides_nothing() -> None:
    assert isinstance(outcome(published.PAID_BY_UPI, order_id="OMO1"), Unknown)
    about_other = json.dumps(
        {**json.loads(published.PAID_BY_UPI), "merchantOrderId": "7-2"}
    ).encode()
    assert isinstance(outcome(about_other), Unknown)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 417, 422])
@pytest.mark.parametrize("body", [published.FAILED, published.TOKEN_REFUSED, b"{}"])
def test_no_refusal_of_a_question_is_a_decline(status: int, body: bytes) -> None:
    assert isinstance(outcome(body, status), Unknown)


@pytest.mark.parametrize(
    "change", [{"amount": None}, {"amount": 0}, {"amount": -5}, {"amount": 10**15}]
)
def test_no_real_amount_is_no_approval(change: dict[str, Any]) -> None:
    paid = json.dumps(
        {**json.loads(published.PAID_BY_UPI), **change, "paymentDetails": []}
    ).encode()
    assert isinstance(outcome(paid), Unknown)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"state": 7}', b'{"amount": "1000"}', b'{"paymentDetails": {}}']
)
def test_what_is_in_no_published_form_is_not_read(body: bytes) -> None:
    assert messages.read(200, body) is None


def test_a_published_page_is_where_the_customer_is_sent() -> None:
    page = rules.page(made(published.PAGE_MADE), ORIGINS)
    assert isinstance(page, Redirect)
    assert page.authentication_id == "OMO123456789"
    assert isinstance(
        rules.page(made(published.PAGE_MADE), ("https://mercury-uat.phonepe.com.evil.in",)), Unknown
    )


def test_a_published_link_is_shown_as_it_is() -> None:
    link = rules.upi_link(made(published.QR_MADE), Money(1000))
    assert isinstance(link, UpiLink)
    assert link.url == "upi://pay?pa=..."
    assert (link.expires_at.year, link.expires_at.month, link.expires_at.tzname()) == (
        2023,
        12,
        "UTC",
    )


@pytest.mark.parametrize(
    ("url", "usable"),
    [
        ("upi://pay?pa=a@ybl&am=10.00", True),
        ("upi://pay?pa=a@ybl&am=10", True),
        ("upi://pay?pa=a@ybl&am=10.01", False),
        ("upi://pay?pa=a@ybl&am=ten", False),
        ("upi://pay?pa=a@ybl&am=1e999999999", False),
        ("ppe://transact?pa=a@ybl&am=10.00", False),
        ("upi://pay?pa=a@ybl\n", False),
        ("", False),
    ],
)
def test_a_link_asks_for_our_amount(url: str, usable: bool) -> None:  # noqa: FBT001 (a table)
    order = json.dumps({**json.loads(published.QR_MADE), "intentUrl": url}).encode()
    assert isinstance(rules.upi_link(made(order), Money(1000)), UpiLink) is usable


def test_a_reference_used_before_is_no_decline_because_its_order_can_be_paid() -> None:
    assert rules.order_of(said(published.USED_BEFORE, 417)) == Unknown(
        "INVALID_TRANSACTION_ID", "Order ID has already been used"
    )


def test_only_a_published_bad_request_declines_an_order() -> None:
    refusal = json.dumps({"code": "BAD_REQUEST", "message": "amount", "success": False}).encode()
    assert rules.order_of(said(refusal, 400)) == Declined("BAD_REQUEST", "amount")
    assert isinstance(rules.order_of(said(refusal, 422)), Unknown)


def test_what_is_refused_at_the_door_moved_nothing() -> None:
    refused = rules.order_of(said(published.TOKEN_REFUSED, 401))
    assert isinstance(refused, Unknown)
    assert not refused.sent


def test_published_refunds_are_open_until_they_are_completed() -> None:
    assert rules.refund_outcome(said(published.REFUND_TAKEN), "7-1") == Unknown("PENDING")
    confirmed = said(published.REFUND_CONFIRMED)
    assert rules.refund_outcome(confirmed, "merchant_refund_id") == Unknown("CONFIRMED")
    assert rules.refund_outcome(said(published.REFUND_FAILED), "7-1") == Declined(
        "INTERNAL_SERVER_ERROR", "INTERNAL_SERVER_ERROR"
    )


def test_a_refund_under_another_id_decides_nothing() -> None:
    done = json.dumps({**json.loads(published.REFUND_CONFIRMED), "state": "COMPLETED"}).encode()
    assert isinstance(rules.refund_outcome(said(done), "7-1"), Unknown)
    assert rules.refund_outcome(said(done), "merchant_refund_id") == Approved(
        Money(100), "OMR2403071623443032708524"
    )


def test_a_refund_is_not_there_only_in_the_word_that_the_operator_saw() -> None:
    unknown = said(b'{"code": "SEEN_IN_SANDBOX"}', 400)
    assert rules.refund_outcome(unknown, "7-1", "SEEN_IN_SANDBOX") == NothingThere()
    assert isinstance(rules.refund_outcome(unknown, "7-1"), Unknown)


def test_the_published_proof_of_a_webhook_holds_and_no_other() -> None:
    assert rules.authentic("username", "password", published.WEBHOOK_PROOF)
    assert rules.authentic("username", "password", published.WEBHOOK_PROOF.upper())
    assert not rules.authentic("username", "passwor", published.WEBHOOK_PROOF)
    assert not rules.authentic("username", "password", "")


@pytest.mark.parametrize(
    ("body", "about"),
    [
        (published.ORDER_WEBHOOK, "merchantOrderId"),
        (published.TRY_WEBHOOK, "MO1af83fb6"),
        (published.REFUND_WEBHOOK, "merchantRefundId"),
    ],
)
def test_published_webhooks_name_what_to_ask_about(body: bytes, about: str) -> None:
    assert rules.trigger(body) == Trigger("", (about,))


def test_a_webhook_about_a_refund_names_our_reference_of_it() -> None:
    ours = published.REFUND_WEBHOOK.replace(b': "merchantRefundId"', b': "7-R5"')
    assert ours != published.REFUND_WEBHOOK
    assert rules.trigger(ours) == Trigger("", ("7-R5",))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"event": "subscription.paused", "payload": {"merchantOrderId": "7-1"}}',
        b'{"event": "pg.order.completed", "payload": {"merchantOrderId": "7-1/../8"}}',
        b'{"event": "pg.order.completed", "payload": {}}',
        (
            b'{"event": "pg.order.completed", "event": "pg.order.failed", "payload": '
            b'{"merchantOrderId": "7-1"}}'
        ),
    ],
)
def test_other_webhooks_name_nothing(body: bytes) -> None:
    assert rules.trigger(body) is None
