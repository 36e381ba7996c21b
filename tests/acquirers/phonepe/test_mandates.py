"""What PhonePe's own client and skills say of AutoPay, read by the connector."""

import json
import time
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from hundi.acquirers.phonepe import mandate_rules, messages
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.mandates import MandateNotice, MandateRequest, MandateState, NoticeGiven
from hundi.acquirers.port.payments import Charge
from hundi.kernel.money import Money
from tests.acquirers.phonepe.standin import PhonePe

AT = datetime(2026, 12, 1, 0, 30, tzinfo=UTC)
NOTICE = MandateNotice("10001-N1", "10001-M1", 1, Money(47_900), AT)
AFTER_MS, UNTIL_MS = 1_764_549_000_000, 1_764_635_400_000


def answer(status: int = 200, **said: Any) -> messages.PhonePeAnswer:
    read = messages.read(status, json.dumps(said).encode())
    assert read is not None
    return read


def cycle(state: str, **more: Any) -> messages.PhonePeAnswer:
    flow = {"type": "SUBSCRIPTION_REDEMPTION", "validAfter": AFTER_MS, "validUpto": UNTIL_MS}
    said = {"merchantOrderId": "10001-N1", "orderId": "OMO1", "amount": 47_900}
    return answer(**said, state=state, paymentFlow=flow, **more)


def test_a_notice_says_when_its_debit_may_be_redeemed() -> None:
    given = mandate_rules.notice_outcome(cycle("NOTIFIED"), NOTICE)
    after, until = (datetime.fromtimestamp(each / 1000, UTC) for each in (AFTER_MS, UNTIL_MS))
    assert given == NoticeGiven("10001-N1", after, until)
    for state in ("PENDING", "NOTIFICATION_IN_PROGRESS"):
        assert isinstance(mandate_rules.notice_outcome(cycle(state), NOTICE), Unknown)
    assert isinstance(mandate_rules.notice_outcome(cycle("FAILED"), NOTICE), Declined)


def test_a_notice_that_was_not_redeemed_moved_nothing() -> None:
    def outcome(state: str, **more: Any) -> object:
        return mandate_rules.debit_outcome(cycle(state, **more), "10001-N1")

    assert isinstance(outcome("NOTIFIED"), NothingThere)
    assert outcome("PENDING") == Unknown()
    assert isinstance(outcome("EXPIRED"), Declined)
    rail = {"type": "UPI", "utr": "412345678901"}
    tried = {"transactionId": "OM1", "amount": 47_900, "state": "COMPLETED", "rail": rail}
    paid = outcome("COMPLETED", paymentDetails=[tried])
    assert isinstance(paid, Approved)
    assert (paid.amount, paid.rrn) == (Money(47_900), "412345678901")
    # A try that is still open contradicts the order's end.
    assert isinstance(outcome("FAILED", paymentDetails=[tried | {"state": "PENDING"}]), Unknown)


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("PENDING", MandateState.PENDING),
        ("ACTIVE", MandateState.ACTIVE),
        ("PAUSED", MandateState.PAUSED),
        ("REVOKED", MandateState.ENDED),
        ("CANCELLED", MandateState.ENDED),
        ("EXPIRED", MandateState.ENDED),
    ],
)
def test_a_state_says_how_a_mandate_stands(said: str, state: MandateState) -> None:
    found = mandate_rules.standing(answer(merchantSubscriptionId="10001-M1", state=said))
    assert not isinstance(found, Unknown)
    assert found.state is state


def test_a_refusal_says_nothing_of_how_a_mandate_stands() -> None:
    for found in (answer(500, code="X"), answer(400, code="BAD_REQUEST"), answer(state="NEW")):
        assert isinstance(mandate_rules.standing(found), Unknown)


@pytest.mark.parametrize(
    ("agent", "device"),
    [("Mozilla (iPhone)", "IOS"), ("Mozilla (Linux)", "ANDROID"), ("", "ANDROID")],
)
def test_a_mandate_is_set_up_for_the_customers_device(agent: str, device: str) -> None:
    whom = Customer("Asha", "asha@example.in", "9000090000", "", agent)
    charge = Charge("10001-1", Money(9_900), customer=whom)
    last = date(2027, 12, 31)
    mandate = MandateRequest("Milk", Money(100_000), "ASPRESENTED", date(2026, 12, 1), last)
    setup = mandate_rules.setup(charge, mandate, AT + timedelta(minutes=8))
    flow = setup["paymentFlow"]
    assert (setup["deviceContext"]["deviceOS"], flow["frequency"]) == (device, "ON_DEMAND")
    ends = datetime.fromtimestamp(flow["expireAt"] / 1000, UTC)
    assert ends == datetime(2027, 12, 31, 18, 29, 59, tzinfo=UTC)


@pytest.mark.parametrize("what", ["paused", "unpaused", "revoked", "cancelled"])
def test_a_webhook_names_the_mandate(connector: PhonePeConnector, what: str) -> None:
    headers, body = PhonePe.webhook(
        f"subscription.{what}", {"merchantSubscriptionId": "10001-M1", "state": "ACTIVE"}
    )
    trigger = connector.read_trigger(headers, body, now_s=int(time.time()))
    assert trigger is not None
    assert (trigger.references, trigger.mandates) == ((), ("10001-M1",))
