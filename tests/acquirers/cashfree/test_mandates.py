"""What Cashfree published of controlled payments and subscriptions, read by the connector."""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from hundi.acquirers.cashfree import mandate_rules
from hundi.acquirers.cashfree.mandate_words import (
    CashfreeExecution,
    CashfreeNotice,
    CashfreeSubscription,
)
from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.acquirers.port.mandates import MandateState, NoticeGiven
from hundi.kernel.money import Money
from tests.acquirers.cashfree.account import Shop, account, new_reference

NOTICE: dict[str, Any] = {
    "cf_notification_id": "3333",
    "cf_payment_id": "123456",
    "notification_id": "basePay123-pdn1",
    "notification_initiated_time": "2025-06-01T22:14:58+05:30",
    "notification_status": "INITIALIZED",
    "payment_amount": 10,
    "payment_id": "basePay123",
    "payment_status": "INITIALIZED",
    "subscription_id": "abcd",
}
"""Page create-controlled-notification of cashfree.com/docs."""
EXECUTION: dict[str, Any] = {
    "cf_execution_id": "3333",
    "cf_payment_id": "123456",
    "execution_id": "basePay123-exec1",
    "execution_initiated_time": "2025-06-01T22:14:58+05:30",
    "execution_status": "INITIALIZED",
    "payment_amount": 10,
    "payment_id": "basePay123",
    "payment_status": "PENDING",
    "subscription_id": "abcd",
}
"""Page create-controlled-execution."""
TEN = Money(1_000)


def read(kind: type[Any], said: dict[str, Any]) -> Any:
    return msgspec.json.decode(json.dumps(said).encode(), type=kind)


def test_a_notice_is_given_once_it_is_delivered() -> None:
    waits = read(CashfreeNotice, NOTICE)
    assert isinstance(mandate_rules.notice_outcome(waits, "basePay123", TEN), Unknown)
    told = read(CashfreeNotice, NOTICE | {"notification_status": "SUCCESS"})
    at = datetime(2025, 6, 1, 16, 44, 58, tzinfo=UTC)
    given = mandate_rules.notice_outcome(told, "basePay123", TEN)
    assert given == NoticeGiven("basePay123", at + timedelta(hours=24))
    for payment, amount in (("another", TEN), ("basePay123", Money(1_001))):
        assert isinstance(mandate_rules.notice_outcome(told, payment, amount), Unknown)
    failed = read(CashfreeNotice, NOTICE | {"notification_status": "FAILED"})
    assert mandate_rules.notice_outcome(failed, "basePay123", TEN) is None


def test_an_execution_moves_the_amount_of_its_notice() -> None:
    def outcome(**changes: Any) -> object:
        found = read(CashfreeExecution, EXECUTION | changes)
        return mandate_rules.execution_outcome(found, "basePay123", "1000 INR")

    assert isinstance(outcome(), Unknown)
    assert outcome(execution_status="SUCCESS") == Approved(TEN, "123456")
    assert isinstance(outcome(execution_status="SUCCESS", payment_amount=11), Unknown)
    why = {"failure_reason": "Insufficient balance"}
    declined = outcome(execution_status="FAILED", failure_details=why)
    assert declined == Declined("FAILED", "Insufficient balance")
    assert isinstance(outcome(execution_status="SUCCESS", payment_id="another"), Unknown)


@pytest.mark.parametrize(
    ("status", "reference", "state"),
    [
        ("INITIALIZED", None, MandateState.PENDING),
        ("BANK_APPROVAL_PENDING", None, MandateState.PENDING),
        ("ACTIVE", "1@upi", MandateState.ACTIVE),
        ("ON_HOLD", "1@upi", MandateState.ACTIVE),
        ("CUSTOMER_PAUSED", "1@upi", MandateState.PAUSED),
        ("CUSTOMER_CANCELLED", "1@upi", MandateState.ENDED),
        ("EXPIRED", None, MandateState.FAILED),
        ("LINK_EXPIRED", None, MandateState.FAILED),
    ],
)
def test_a_status_says_how_a_mandate_stands(
    status: str, reference: str | None, state: MandateState
) -> None:
    said = {
        "subscription_id": "abcd",
        "subscription_status": status,
        "authorisation_details": {"authorization_reference": reference},
    }
    found = mandate_rules.standing(read(CashfreeSubscription, said))
    assert not isinstance(found, Unknown)
    assert found.state is state


def test_a_status_that_nobody_published_says_nothing() -> None:
    said = {"subscription_id": "abcd", "subscription_status": "NEW"}
    assert isinstance(mandate_rules.standing(read(CashfreeSubscription, said)), Unknown)


@pytest.fixture
async def shop() -> Any:
    async with account(mandates=True) as opened:
        yield opened


def test_a_webhook_names_the_mandate(shop: Shop) -> None:
    mandate = new_reference()
    details = {"subscription_id": mandate, "subscription_status": "CUSTOMER_PAUSED"}
    said = {"type": "SUBSCRIPTION_STATUS_CHANGED", "data": {"subscription_details": details}}
    event = shop.bank.world.signed(json.dumps(said).encode())
    now_s = int(time.time())
    trigger = shop.connector.read_trigger(event.headers, event.body, now_s=now_s)
    assert (trigger.references, trigger.mandates) == ((), (mandate,))
