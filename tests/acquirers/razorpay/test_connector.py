"""What may happen to a payment at Razorpay.

It is paid once, and declined only when it cannot be paid any more.
"""

from collections import deque

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayCardConnector
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.played import (
    CALLS,
    CARD,
    CHARGE,
    LATER_S,
    PAGE,
    RECEIPTS,
    RETURN_URL,
    paid,
    payment_id,
)
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault


async def test_the_same_link_and_page_come_again_and_no_second_payment_is_begun(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    for _, call in CALLS.values():
        bank.books.orders.clear()
        bank.books.payments.clear()
        again = RazorpayCardConnector("razorpay", connector._account, ShortMemory())  # noqa: SLF001 (the same account)
        assert await call(again) == await call(again)
        assert len(bank.books.orders) == len(bank.books.payments) == 1
        await again.close()


@pytest.mark.parametrize(("at", "begun"), [("/orders", False), ("/payments/create/upi", True)])
async def test_keys_that_are_refused_before_a_payment_begins_moved_nothing(
    bank: Standin, connector: RazorpayCardConnector, at: str, *, begun: bool
) -> None:
    bank.faults[at] = deque([Fault.UNAUTHORIZED])
    answer = await connector.upi_link(CHARGE, expires_in_s=300)
    assert isinstance(answer, Unknown)
    assert (answer.sent, answer.credentials_refused, connector.reachable()) == (
        begun,
        not begun,
        begun,
    )


@pytest.mark.parametrize("fault", [Fault.LOST_AFTER, Fault.CUT, Fault.EMPTY])
@RECEIPTS
async def test_an_order_whose_answer_was_lost_is_found_and_paid_once(
    bank: Standin, connector: RazorpayCardConnector, fault: Fault, receipts: str
) -> None:
    bank.books.receipts_are_unique = receipts == "unique"
    bank.faults["/orders"] = deque([fault])
    assert isinstance(await connector.upi_link(CHARGE, expires_in_s=300), UpiLink)
    assert len(bank.books.orders) == len(bank.books.payments) == 1


@RECEIPTS
async def test_a_process_that_ended_after_its_order_finds_it(
    bank: Standin, connector: RazorpayCardConnector, memory: ShortMemory, receipts: str
) -> None:
    bank.books.receipts_are_unique = receipts == "unique"
    bank.faults["/orders"] = deque([Fault.LOST_AFTER, Fault.FAILED, Fault.FAILED])
    assert await PAGE(connector) == Unknown(message="no answer from the bank", sent=False)
    assert "order" not in await memory.known(CHARGE.reference)
    assert isinstance(await PAGE(connector), Redirect)
    assert len(bank.books.orders) == 1


async def test_a_failed_try_is_followed_by_a_paid_one(
    bank: Standin, connector: RazorpayCardConnector, clock: Clock
) -> None:
    page = await PAGE(connector)
    assert isinstance(page, Redirect)
    wanted = {
        **dict(page.fields),
        "amount": CHARGE.amount.paise,
        "email": "a@b.in",
        "contact": "9",
        "method": "card",
    }
    bank.books.fail(bank.books.create_payment(wanted, {}).id)
    assert isinstance(await connector.inquire(CHARGE.reference), Unknown)
    bank.books.pay(bank.books.create_payment(wanted, {}).id)
    clock.ahead_s += LATER_S
    answer = await connector.inquire(CHARGE.reference)
    assert isinstance(answer, Approved)
    assert answer.amount == CHARGE.amount


async def test_a_late_authorisation_turns_a_failed_payment_into_a_paid_one(
    bank: Standin, connector: RazorpayCardConnector, clock: Clock
) -> None:
    await connector.upi_link(CHARGE, expires_in_s=300)
    bank.books.fail(payment_id(bank))
    assert isinstance(await connector.inquire(CHARGE.reference), Unknown)
    bank.books.pay(payment_id(bank))
    assert isinstance(await connector.inquire(CHARGE.reference), Approved)
    clock.ahead_s += LATER_S
    assert isinstance(await connector.inquire(CHARGE.reference), Approved)


async def test_what_failed_is_declined_when_it_can_be_captured_no_more(
    bank: Standin, connector: RazorpayCardConnector, clock: Clock
) -> None:
    await connector.upi_link(CHARGE, expires_in_s=300)
    bank.books.fail(payment_id(bank))
    clock.ahead_s += LATER_S
    answer = await connector.inquire(CHARGE.reference)
    assert isinstance(answer, Declined)
    assert answer.code == "payment_failed"


async def test_money_that_came_too_late_goes_back_by_itself(
    bank: Standin, connector: RazorpayCardConnector, clock: Clock
) -> None:
    await PAGE(connector)
    (order,) = bank.books.orders.values()
    order.capture = "too late to be captured"
    wanted = {
        "order_id": order.id,
        "amount": CHARGE.amount.paise,
        "currency": "INR",
        "email": "a",
        "contact": "9",
    }
    payment = bank.books.create_payment({**wanted, "method": "card"}, {})
    bank.books.pay(payment.id)
    clock.ahead_s += LATER_S
    assert isinstance(await connector.inquire(CHARGE.reference), Unknown)
    bank.books.auto_refund(payment.id)
    assert isinstance(await connector.inquire(CHARGE.reference), Voided)


@pytest.mark.parametrize(("paise", "currency"), [(1, "INR"), (149_950, "USD")])
async def test_another_amount_or_currency_is_said_as_it_is(
    bank: Standin, connector: RazorpayCardConnector, paise: int, currency: str
) -> None:
    await connector.upi_link(CHARGE, expires_in_s=300)
    bank.books.pay(payment_id(bank), amount=paise, currency=currency)
    answer = await connector.inquire(CHARGE.reference)
    assert isinstance(answer, Approved)
    assert answer.amount == Money(paise, currency)


async def test_a_reference_belongs_to_one_charge(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    await PAGE(connector)
    other = replace(CHARGE, amount=Money(1_00))
    assert isinstance(await connector.upi_link(CHARGE, expires_in_s=300), Unknown)
    assert isinstance(
        await connector.start_checkout(
            other, method="card", return_url=RETURN_URL, expires_in_s=900, capture=True
        ),
        Unknown,
    )
    assert len(bank.books.orders) == 1


async def test_answers_about_another_order_are_none(
    bank: Standin, connector: RazorpayCardConnector
) -> None:
    paid_with = await paid(bank, connector)
    bank.books.payments[paid_with].details = {"order_id": "order_ofsomebodyelse"}
    assert isinstance(await connector.inquire(CHARGE.reference), Unknown)


async def test_nothing_is_known_of_a_reference_that_was_never_used(
    connector: RazorpayCardConnector,
) -> None:
    assert await connector.inquire("10001-99") == NothingThere()
    assert await connector.inquire_refund("10001-98") == NothingThere()
    assert isinstance(
        await connector.refund(RefundOrder("10001-98", "10001-99", Money(100))), Declined
    )
    assert isinstance(await connector.capture("10001-99", Money(100)), Declined)


async def test_nobody_is_sent_without_an_address_that_razorpay_can_write_to(
    bank: Standin, account: Account
) -> None:
    bare = RazorpayCardConnector("razorpay", replace(account, email="", phone=""), ShortMemory())
    charge = replace(CHARGE, customer=Customer())
    answers = (
        await bare.upi_link(charge, expires_in_s=300),
        await bare.start_checkout(
            charge, method="card", return_url=RETURN_URL, expires_in_s=9, capture=True
        ),
        await bare.charge_card(charge, CARD, return_url=RETURN_URL, capture=True),
    )
    assert all(isinstance(each, Declined) for each in answers)
    await bare.close()
    assert not bank.seen


async def test_a_live_account_takes_no_test_card_and_a_test_account_does(
    bank: Standin, account: Account
) -> None:
    card = replace(CARD, number="4111111111111111")
    live = RazorpayCardConnector("razorpay", account, ShortMemory())
    assert isinstance(
        await live.charge_card(CHARGE, card, return_url=RETURN_URL, capture=True), Declined
    )
    assert not bank.seen
    test = RazorpayCardConnector("razorpay", account, ShortMemory(), simulated=True)
    assert isinstance(
        await test.charge_card(CHARGE, card, return_url=RETURN_URL, capture=True), Redirect
    )
    await live.close()
    await test.close()


@RECEIPTS
async def test_an_order_of_another_gateway_at_the_same_account_is_not_taken(
    bank: Standin, connector: RazorpayCardConnector, receipts: str
) -> None:
    bank.books.receipts_are_unique = receipts == "unique"
    money = {"amount": CHARGE.amount.paise, "currency": "INR"}
    theirs = bank.books.create_order({**money, "receipt": CHARGE.reference})
    bank.books.create_payment(
        {**money, "order_id": theirs.id, "email": "a", "contact": "9", "method": "upi"}, {}
    )
    answer = await connector.upi_link(CHARGE, expires_in_s=300)
    assert isinstance(answer, Unknown)
    assert not answer.sent
    assert len(bank.books.payments) == 1
