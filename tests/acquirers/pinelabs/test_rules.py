"""What Pine Labs publishes is read as its documents say."""

from typing import Any

import pytest

from hundi.acquirers.pinelabs import rules, webhooks
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.kernel.money import Money
from tests.acquirers.pinelabs import published

VECTOR = {
    "webhook-id": published.WEBHOOK_ID,
    "webhook-timestamp": published.WEBHOOK_TIMESTAMP,
    "webhook-signature": published.WEBHOOK_SIGNATURE,
}
SECRET, BODY = published.WEBHOOK_SECRET, published.WEBHOOK_BODY
AT_S = int(published.WEBHOOK_TIMESTAMP)


def test_the_published_signature_holds_and_no_other() -> None:
    assert webhooks.is_signed(VECTOR, BODY, SECRET, now_s=AT_S)
    assert webhooks.is_signed(VECTOR, BODY, SECRET, now_s=AT_S + webhooks.AGE_S_MAX)
    assert not webhooks.is_signed(VECTOR, BODY, SECRET, now_s=AT_S + webhooks.AGE_S_MAX + 1)
    assert not webhooks.is_signed(VECTOR, BODY + b" ", SECRET, now_s=AT_S)
    assert not webhooks.is_signed(VECTOR, BODY, "YWJjMTIzNQ==", now_s=AT_S)
    assert not webhooks.is_signed(VECTOR, BODY, "no base64", now_s=AT_S)
    for name, other in (("webhook-id", "msg_3"), ("webhook-timestamp", "x"), ("webhook-id", "")):
        assert not webhooks.is_signed({**VECTOR, name: other}, BODY, SECRET, now_s=AT_S)
    unversioned = VECTOR["webhook-signature"].replace("v1,", "v2,")
    changed = {**VECTOR, "webhook-signature": unversioned}
    assert not webhooks.is_signed(changed, BODY, SECRET, now_s=AT_S)


def test_without_a_secret_no_webhook_is_believed() -> None:
    assert webhooks.trigger(VECTOR, BODY, "", now_s=AT_S) is None


def order(**change: Any) -> rules.PineLabsAnswer:
    payment = {
        "status": "PROCESSED",
        "payment_amount": {"value": "50000", "currency": "INR"},
        "acquirer_data": {"rrn": "429300000001"},
    }
    fields = {
        "order_id": "v1-5757575757-aa-hU1rUd",
        "merchant_order_reference": "10001-1",
        "status": "PROCESSED",
        "order_amount": {"value": "50000", "currency": "INR"},
        "pre_auth": False,
        "payments": [payment],
        **change,
    }
    return rules.PineLabsAnswer(200, {"data": fields})


def outcome(**change: Any) -> object:
    return rules.payment_record(order(**change), "10001-1", "").answer


def test_a_processed_order_is_paid_with_its_amount() -> None:
    assert outcome() == Approved(Money(50_000), "429300000001")
    for state in ("FULLY_REFUNDED", "PARTIALLY_REFUNDED", "REFUNDED"):
        assert outcome(status=state) == Approved(Money(50_000), "429300000001")


@pytest.mark.parametrize("state", ["CREATED", "ATTEMPTED", "PENDING", "NEW_WORD", ""])
def test_an_order_that_may_still_be_paid_decides_nothing(state: str) -> None:
    assert isinstance(outcome(status=state), Unknown)


def test_an_authorised_order_is_held_only_where_it_was_to_be_held() -> None:
    held = {"status": "AUTHORIZED"}
    payment = {"status": "AUTHORIZED", "payment_amount": {"value": "50000", "currency": "INR"}}
    answer = outcome(**held, pre_auth=True, payments=[payment])
    assert isinstance(answer, Approved)
    assert answer.authorised_only
    assert isinstance(outcome(**held, payments=[payment]), Unknown)
    assert outcome(status="CANCELLED", pre_auth=True, payments=[]) == Voided(
        "v1-5757575757-aa-hU1rUd"
    )


def test_a_failed_order_is_declined_with_its_last_error() -> None:
    error = {"code": "PAYMENT_DECLINED", "message": "declined by the bank"}
    payment = {"status": "FAILED", "error_detail": error}
    assert outcome(status="FAILED", payments=[payment]) == Declined(
        "PAYMENT_DECLINED", "declined by the bank"
    )
    assert outcome(status="FAILED", payments=[]) == Declined("FAILED", left=True)


@pytest.mark.parametrize(
    "change",
    [
        {"order_amount": {"value": "50000", "currency": "USD"}},
        {"order_amount": {"value": "-1", "currency": "INR"}},
        {"order_amount": {"value": "\u00b2", "currency": "INR"}},
        {"order_amount": {"value": "9" * 5_000, "currency": "INR"}},
        {"order_amount": None},
        {"status": "PARTIALLY_CAPTURED"},
        {"merchant_order_reference": "10001-2"},
        {"order_id": ""},
    ],
)
def test_contradictions_and_other_orders_decide_nothing(change: dict[str, Any]) -> None:
    assert isinstance(outcome(**change), Unknown)


def test_a_refund_is_an_order_that_says_so() -> None:
    def found(**change: Any) -> object:
        return rules.refund_record(order(**change), "10001-1", "")

    assert found(type="REFUND") == Approved(Money(50_000), "429300000001")
    assert [type(found(**each)) for each in ({}, {"type": "CHARGE"}, {"type": None})] == [
        Unknown
    ] * 3


def test_only_the_known_code_says_that_nothing_is_there() -> None:
    refused = rules.PineLabsAnswer(404, {"code": "ORDER_NOT_FOUND", "message": "no such order"})
    known = rules.payment_record(refused, "10001-1", "ORDER_NOT_FOUND").answer
    assert known == NothingThere()
    assert isinstance(rules.payment_record(refused, "10001-1", "").answer, Unknown)
    assert isinstance(rules.payment_record(refused, "10001-1", "OTHER").answer, Unknown)
