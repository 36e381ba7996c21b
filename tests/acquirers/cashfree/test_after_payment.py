"""After a payment at Cashfree's stand-in.

Holds that end, refunds, and webhooks that come as they like.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.cashfree.account import (
    AMOUNT,
    CARD,
    GARBAGE,
    RETURN_URL,
    Shop,
    account,
    at_checkout,
    linked,
    new_charge,
    new_reference,
    paid,
    press,
    refund_of,
)
from tests.acquirers.cashfree.standin import CLIENT_SECRET, Fault


@pytest.fixture
async def holding() -> AsyncIterator[Shop]:
    async with account(cards_certified=True, holds_cards=True) as opened:
        opened.bank.world.holds = True
        yield opened


# --- holds ---


async def held(shop: Shop) -> Charge:
    charge = new_charge()
    answer = await shop.connector.charge_card(charge, CARD, return_url=RETURN_URL, capture=False)
    assert isinstance(answer, Redirect)
    await press(answer.url, "SUCCESS")
    found = await shop.connector.inquire(charge.reference)
    assert isinstance(found, Approved)
    assert found.authorised_only
    return charge


async def test_a_card_that_was_to_be_charged_is_captured_when_the_account_holds_every_card(
    holding: Shop,
) -> None:
    charge = new_charge()
    answer = await holding.connector.charge_card(charge, CARD, return_url=RETURN_URL, capture=True)
    assert isinstance(answer, Redirect)
    await press(answer.url, "SUCCESS")
    for _ in range(2):
        found = await holding.connector.inquire(charge.reference)
        assert isinstance(found, Approved)
        assert (found.amount, found.authorised_only) == (AMOUNT, False)
    assert holding.bank.world.moved_paise == AMOUNT.paise


@pytest.mark.parametrize("fault", GARBAGE)
async def test_a_capture_happens_once_whatever_becomes_of_its_answer(
    holding: Shop, fault: Fault
) -> None:
    charge = await held(holding)
    holding.bank.faults.append(("/authorization", fault))
    first = await holding.connector.capture(charge.reference, AMOUNT)
    assert isinstance(first, Unknown | Approved), first
    again = await holding.connector.capture(charge.reference, AMOUNT)
    assert isinstance(again, Approved), again
    assert holding.bank.world.moved_paise == AMOUNT.paise
    other = await holding.connector.capture(charge.reference, AMOUNT - Money(1))
    assert isinstance(other, Declined)
    assert isinstance(await holding.connector.void(charge.reference), Declined)


async def test_a_void_gives_the_hold_back(holding: Shop) -> None:
    charge = await held(holding)
    assert isinstance(await holding.connector.void(charge.reference), Voided)
    assert isinstance(await holding.connector.void(charge.reference), Voided)
    assert isinstance(await holding.connector.capture(charge.reference, AMOUNT), Declined)
    assert isinstance(await holding.connector.inquire(charge.reference), Voided)
    assert holding.bank.world.moved_paise == 0


# --- refunds ---


async def test_a_refund_is_made_once_and_followed(shop: Shop) -> None:
    order = refund_of(await paid(shop), Money(50_000))
    assert isinstance(await shop.connector.inquire_refund(order.reference), NothingThere)
    for _ in range(2):
        assert isinstance(await shop.connector.refund(order), Unknown)
    [asked] = shop.bank.world.orders[order.original].refunds
    shop.bank.world.end_refund(order.original, asked, "ONHOLD")
    assert isinstance(await shop.connector.inquire_refund(order.reference), Unknown)
    shop.bank.world.end_refund(order.original, asked, "SUCCESS")
    answer = await shop.connector.inquire_refund(order.reference)
    assert isinstance(answer, Approved)
    assert (answer.amount, bool(answer.rrn)) == (Money(50_000), True)
    other = await shop.connector.refund(replace(order, amount=Money(1)))
    assert isinstance(other, Unknown)


@pytest.mark.parametrize("status", ["CANCELLED", "FAILED"])
async def test_a_refund_that_ends_without_money_is_declined(shop: Shop, status: str) -> None:
    order = refund_of(await paid(shop))
    await shop.connector.refund(order)
    [asked] = shop.bank.world.orders[order.original].refunds
    shop.bank.world.end_refund(order.original, asked, status)
    answer = await shop.connector.inquire_refund(order.reference)
    assert isinstance(answer, Declined)
    assert answer.code == status


async def test_no_more_goes_back_than_was_paid(shop: Shop) -> None:
    charge = await paid(shop)
    answer = await shop.connector.refund(refund_of(charge, AMOUNT + Money(1)))
    assert isinstance(answer, Declined)
    unknown = await shop.connector.refund(
        RefundOrder(new_reference("R"), new_reference(), Money(100))
    )
    assert isinstance(unknown, Declined)


@pytest.mark.parametrize("fault", GARBAGE)
async def test_a_refund_moves_money_once_whatever_becomes_of_its_answer(
    shop: Shop, fault: Fault
) -> None:
    shop.bank.world.refund_status = "SUCCESS"
    order = refund_of(await paid(shop))
    shop.bank.faults.append(("/refunds", fault))
    first = await shop.connector.refund(order)
    assert isinstance(first, Unknown | Approved), first
    assert isinstance(await shop.connector.refund(order), Approved)
    assert isinstance(await shop.connector.inquire_refund(order.reference), Approved)
    assert len(shop.bank.world.orders[order.original].refunds) == 1


async def test_a_refund_that_was_made_under_a_key_that_is_over_is_found(shop: Shop) -> None:
    shop.bank.world.refund_status = "SUCCESS"
    order = refund_of(await paid(shop))
    first = await shop.connector.refund(order)
    shop.bank.repeats.clear()
    assert await shop.connector.refund(order) == first
    assert isinstance(first, Approved)


async def test_what_was_paid_on_cashfrees_page_is_refunded_by_its_order(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "SUCCESS")
    order = refund_of(charge)
    assert isinstance(await shop.connector.refund(order), Unknown)
    [cashfrees] = shop.bank.links[charge.reference]["orders"]
    assert list(shop.bank.world.orders[cashfrees].refunds) == [order.reference.replace("-", "_")]
    assert isinstance(await shop.connector.inquire_refund(order.reference), Unknown)


# --- webhooks ---


async def test_webhooks_come_twice_and_out_of_order_and_name_what_to_ask_about(shop: Shop) -> None:
    charge = await linked(shop)
    order = shop.bank.world.orders[charge.reference]
    shop.bank.world.fail(charge.reference)
    shop.bank.world.pay(charge.reference, payment=shop.bank.world.attempt(order, "upi", {}))
    failed, succeeded = shop.bank.world.take_webhooks()
    now_s = int(datetime.now(UTC).timestamp())
    for each in (succeeded, failed, succeeded):
        trigger = shop.connector.read_trigger(each.headers, each.body, now_s=now_s)
        assert trigger is not None
        assert trigger.references == (charge.reference,)
        assert isinstance(await shop.connector.inquire(charge.reference), Approved)
    assert shop.connector.read_trigger(failed.forged().headers, failed.body, now_s=now_s) is None
    assert (
        shop.connector.read_trigger(failed.headers, failed.reserialised().body, now_s=now_s) is None
    )
    old = shop.bank.world.signed(failed.body, datetime.now(UTC) - timedelta(days=1, hours=1))
    assert shop.connector.read_trigger(old.headers, old.body, now_s=now_s) is None


async def test_a_webhook_signed_with_the_secret_before_is_still_read(shop: Shop) -> None:
    charge = await paid(shop)
    [told] = shop.bank.world.take_webhooks()
    rolled = shop.reopened(
        client_secret="the new secret of it", previous_client_secret=CLIENT_SECRET
    )
    trigger = rolled.read_trigger(told.headers, told.body, now_s=int(datetime.now(UTC).timestamp()))
    assert trigger is not None
    assert trigger.references == (charge.reference,)
    await rolled.close()


async def test_a_refunds_webhook_names_the_refund_and_its_payment(shop: Shop) -> None:
    order = refund_of(await paid(shop))
    await shop.connector.refund(order)
    [asked] = shop.bank.world.orders[order.original].refunds
    shop.bank.world.take_webhooks()
    shop.bank.world.end_refund(order.original, asked, "SUCCESS")
    [told] = shop.bank.world.take_webhooks()
    trigger = shop.connector.read_trigger(
        told.headers, told.body, now_s=int(datetime.now(UTC).timestamp())
    )
    assert trigger is not None
    assert set(trigger.references) == {order.original, order.reference}
