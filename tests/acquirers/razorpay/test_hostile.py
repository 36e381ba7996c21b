"""Answers of Razorpay that are none, and webhooks that are not its own.

They decide nothing and tell nothing.
"""

import json
from collections import deque

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayCardConnector
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.played import (
    ASHA,
    CALLS,
    CARD,
    CHARGE,
    LATER_S,
    MANY,
    PAGE,
    SPOILT,
    paid,
)
from tests.acquirers.razorpay.standin import KEY_SECRET, WEBHOOK_SECRET, Standin
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_records import Event


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("fault", SPOILT)
async def test_a_payment_whose_answer_is_no_answer_is_unknown_and_not_begun_again(
    bank: Standin, connector: RazorpayCardConnector, name: str, fault: Fault
) -> None:
    path, call = CALLS[name]
    bank.faults[path] = deque([fault])
    assert isinstance(await call(connector), Unknown)
    assert isinstance(await call(connector), Unknown)
    assert len(bank.books.payments) <= 1


@pytest.mark.parametrize("fault", [*SPOILT, Fault.TOO_MANY])
async def test_an_order_that_was_not_made_moves_nothing(
    bank: Standin, connector: RazorpayCardConnector, fault: Fault
) -> None:
    bank.faults["/orders"] = deque([fault] * MANY)
    for call in (*(call for _, call in CALLS.values()), PAGE):
        answer = await call(connector)
        assert isinstance(answer, Unknown)
    assert not bank.books.payments


@pytest.mark.parametrize("fault", [*SPOILT, Fault.TOO_MANY])
async def test_a_question_without_an_answer_decides_nothing(
    bank: Standin, connector: RazorpayCardConnector, clock: Clock, fault: Fault
) -> None:
    await connector.upi_link(CHARGE, expires_in_s=300)
    clock.ahead_s += LATER_S
    bank.faults["/payments"] = deque([fault] * MANY)
    assert isinstance(await connector.inquire(CHARGE.reference), Unknown)
    bank.faults["/orders"] = deque([fault] * MANY)
    assert isinstance(await connector.inquire("10001-99"), Unknown)


async def test_calls_are_refused_as_unknown_when_the_key_has_expired(
    bank: Standin, account: Account, clock: Clock
) -> None:
    expired = RazorpayCardConnector(
        "razorpay", replace(account, key_secret="of last year"), ShortMemory(), now=clock
    )
    for call in (
        *(call for _, call in CALLS.values()),
        PAGE,
        lambda each: each.inquire(CHARGE.reference),
    ):
        assert isinstance(await call(expired), Unknown)
    await expired.close()
    assert not bank.books.orders


def small(event: Event) -> dict[str, str]:
    return {name.lower(): value for name, value in event.headers.items()}


async def test_webhooks_name_our_references_however_they_come(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    await paid(bank, connector)
    await connector.refund(RefundOrder("10001-3", CHARGE.reference, Money(50_000)))
    named: dict[str, set[str]] = {}
    for event in reversed(bank.events() * 2):
        read = connector.read_trigger(small(event), event.body, now_s=0)
        assert read is not None
        assert read.event_id == event.headers["x-razorpay-event-id"]
        named.setdefault(event.name, set()).update(read.references)
    assert named["order.paid"] == named["payment.captured"] == {CHARGE.reference}
    assert named["refund.processed"] == {CHARGE.reference, "10001-3"}


async def test_a_webhook_that_is_not_authentic_says_nothing(
    bank: Standin, account: Account, connector: RazorpayCardConnector
) -> None:
    await paid(bank, connector)
    event = bank.events()[0]
    parsed = json.dumps(json.loads(event.body)).encode()
    assert parsed != event.body
    forged = bank.signed("payment.captured", event.body, secret=KEY_SECRET)
    for headers, body in (
        (small(event), parsed),
        (small(event), event.body[:-1]),
        (small(forged), event.body),
        ({}, event.body),
    ):
        assert connector.read_trigger(headers, body, now_s=0) is None
    deaf = RazorpayCardConnector("razorpay", replace(account, webhook_secrets=()), ShortMemory())
    assert deaf.read_trigger(small(event), event.body, now_s=0) is None
    changed = replace(account, webhook_secrets=("the new one", WEBHOOK_SECRET))
    rotated = RazorpayCardConnector("razorpay", changed, ShortMemory())
    assert rotated.read_trigger(small(event), event.body, now_s=0) is not None
    await deaf.close()
    await rotated.close()


async def test_no_secret_and_no_card_number_is_logged_or_shown(
    bank: Standin, connector: RazorpayCardConnector, memory: ShortMemory
) -> None:
    secrets = (KEY_SECRET, WEBHOOK_SECRET, CARD.number, ASHA.email, ASHA.phone)
    with capture_logs() as logs:
        for path, fault in (
            ("/create/json", Fault.HTML),
            ("/payments", Fault.CUT),
            ("/orders", Fault.FAILED),
        ):
            bank.faults[path] = deque([fault] * MANY)
        answers: list[object] = [await call(connector) for _, call in CALLS.values()]
        answers += [await connector.inquire(CHARGE.reference), await connector.inquire("10001-99")]
    assert logs
    for said in (
        *(repr(each) for each in (*logs, *answers, connector)),
        repr(await memory.known(CHARGE.reference)),
    ):
        assert not any(secret in said for secret in secrets)


async def test_a_silent_razorpay_is_not_called_again_and_again(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    bank.faults["/orders"] = deque([Fault.FAILED] * 100)
    for number in range(10):
        assert isinstance(await connector.inquire(f"10001-{number}"), Unknown)
    assert not connector.reachable()
    assert len(bank.seen) < 20
