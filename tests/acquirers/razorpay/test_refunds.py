"""Refunds and holds at Razorpay: each happens once, whatever becomes of the answers."""

import asyncio
from collections import deque

import pytest

from hundi.acquirers.port.answers import Approved, Declined, Unknown, Voided
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.razorpay.connector import RazorpayCardConnector
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.razorpay.played import (
    CHARGE,
    MANY,
    SPOILT,
    held,
    paid,
)
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault


async def test_a_refund_whose_answer_was_lost_is_the_same_refund(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    await paid(bank, connector)
    order = RefundOrder("10001-3", CHARGE.reference, Money(50_000))
    bank.faults["/refund"] = deque([Fault.LOST_AFTER])
    assert isinstance(await connector.refund(order), Unknown)
    found = await connector.inquire_refund(order.reference)
    assert isinstance(found, Approved)
    assert await connector.refund(order) == found
    assert len(bank.books.refunds) == 1
    keys = {
        each.headers["X-Refund-Idempotency"] for each in bank.seen if each.path.endswith("/refund")
    }
    assert keys == {"hundi-refund-10001-3"}


@pytest.mark.parametrize("status", [400, 409])
async def test_a_refunds_reference_belongs_to_one_amount(
    bank: Standin, connector: RazorpayCardConnector, status: int
) -> None:
    bank.other_body_status = status
    await paid(bank, connector)
    order = RefundOrder("10001-3", CHARGE.reference, Money(50_000))
    await connector.refund(order)
    assert isinstance(await connector.refund(replace(order, amount=Money(50_001))), Unknown)
    assert len(bank.books.refunds) == 1


async def test_a_refund_that_is_still_being_made_is_unknown(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    await paid(bank, connector)
    order = RefundOrder("10001-3", CHARGE.reference, Money(50_000))
    bank.held = asyncio.Event()
    first = asyncio.create_task(connector.refund(order))
    while not bank.keys:
        await asyncio.sleep(0)
    assert isinstance(await connector.refund(order), Unknown)
    bank.held.set()
    assert isinstance(await first, Approved)


async def test_a_refund_may_wait_and_fail_long_after(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    bank.books.refunds_begin_as = "pending"
    await paid(bank, connector)
    order = RefundOrder("10001-3", CHARGE.reference, Money(50_000))
    assert isinstance(await connector.refund(order), Unknown)
    (refund,) = bank.books.refunds.values()
    bank.books.end_refund(refund.id, "processed")
    assert isinstance(await connector.inquire_refund(order.reference), Approved)
    bank.books.end_refund(refund.id, "failed")
    assert isinstance(await connector.inquire_refund(order.reference), Declined)


@pytest.mark.parametrize("fault", SPOILT)
async def test_a_refund_without_an_answer_is_unknown(
    bank: Standin, connector: RazorpayCardConnector, fault: Fault
) -> None:
    await paid(bank, connector)
    bank.faults["/refund"] = deque([fault])
    order = RefundOrder("10001-3", CHARGE.reference, Money(50_000))
    assert isinstance(await connector.refund(order), Unknown)
    bank.faults["/refunds"] = deque([fault] * MANY)
    assert isinstance(await connector.inquire_refund(order.reference), Unknown)


async def test_two_refunds_of_one_receipt_cannot_be_told_apart(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    paid_with = await paid(bank, connector)
    await connector.refund(RefundOrder("10001-3", CHARGE.reference, Money(50_000)))
    bank.books.refund(paid_with, {"amount": 100, "receipt": "10001-3"}, "")
    assert isinstance(await connector.inquire_refund("10001-3"), Unknown)


@pytest.mark.parametrize("fault", [Fault.LOST_AFTER, Fault.CUT, Fault.FAILED])
async def test_a_capture_without_an_answer_is_asked_about(
    bank: Standin, connector: RazorpayCardConnector, fault: Fault
) -> None:
    await held(bank, connector)
    bank.faults["/capture"] = deque([fault])
    answer = await connector.capture(CHARGE.reference, CHARGE.amount)
    assert isinstance(answer, Unknown if fault is Fault.FAILED else Approved)
    assert isinstance(await connector.capture(CHARGE.reference, CHARGE.amount), Approved)


async def test_a_hold_is_given_back_by_time_alone(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    holding = await held(bank, connector)
    assert isinstance(await connector.capture(CHARGE.reference, Money(1)), Declined)
    assert isinstance(await connector.void(CHARGE.reference), Unknown)
    bank.books.auto_refund(holding)
    assert isinstance(await connector.void(CHARGE.reference), Voided)
    assert not any(each.path.endswith("/capture") for each in bank.seen)
