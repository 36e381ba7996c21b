"""Cashfree's orders, links and amounts of others lead to no payment and no decline."""

from decimal import Decimal
from typing import Any

from hundi.acquirers.cashfree.orders import LINK_ORDERS_MAX
from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import ChargesCards
from hundi.kernel.records import replace
from tests.acquirers.cashfree.account import (
    CARD,
    RETURN_URL,
    Shop,
    account,
    at_checkout,
    linked,
    new_charge,
    press,
    sent_to_bank,
)
from tests.acquirers.cashfree.world_records import Order, Payment


async def test_an_order_of_another_amount_at_cashfree_is_not_ours(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.orders[charge.reference].amount += 1
    shop.bank.repeats.clear()
    assert isinstance(await shop.connector.upi_link(charge, expires_in_s=300), Unknown)
    assert len(shop.bank.world.orders[charge.reference].payments) == 1, (
        "nothing was begun at it again"
    )


async def test_nobody_is_shown_a_link_that_asks_for_another_amount(shop: Shop) -> None:
    began = shop.bank.world.attempt

    def dearer(order: Order, group: str, method: dict[str, Any]) -> Payment:
        return replace_amount(began(order, group, method), order.amount + 1)

    shop.bank.world.attempt = dearer
    charge = new_charge()
    answer = await shop.connector.upi_link(charge, expires_in_s=300)
    assert isinstance(answer, Unknown | Declined), answer
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown | Declined)


def replace_amount(payment: Payment, amount: Decimal) -> Payment:
    payment.amount = amount
    return payment


async def test_a_link_whose_customer_tried_too_often_is_left_to_people(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    for _ in range(LINK_ORDERS_MAX + 1):
        await press(page.url, "FAILED")
    shop.bank.links[charge.reference]["asked"]["link_expiry_time"] = "2026-01-01T00:00:00+05:30"
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)


async def test_a_page_that_was_opened_is_opened_again_without_a_call(shop: Shop) -> None:
    charge, page = await sent_to_bank(shop)
    before = len(shop.bank.calls)
    again = await shop.connector.start_redirect(
        charge, method="netbanking", bank_code="HDFC", return_url=RETURN_URL
    )
    assert again == page
    assert len(shop.bank.calls) == before


async def test_a_link_that_cashfree_once_made_and_does_not_know_is_a_doubt(shop: Shop) -> None:
    charge, _ = await at_checkout(shop)
    shop.bank.links.clear()
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)


async def test_nobody_is_sent_to_a_link_that_is_not_cashfrees() -> None:
    async with account(link_origins=("https://payments.cashfree.com",)) as shop:
        answer = await shop.connector.start_checkout(
            new_charge(), method="card", return_url=RETURN_URL, expires_in_s=900, capture=True
        )
        assert isinstance(answer, Unknown)


async def test_a_card_that_was_handed_over_is_not_sent_elsewhere_after_refused_keys(
    shop: Shop,
) -> None:
    handed_over, shown = new_charge(), new_charge()
    shop.bank.faults.append(("/orders/sessions", "401"))
    answer = await shop.connector.charge_card(
        handed_over, CARD, return_url=RETURN_URL, capture=True
    )
    assert isinstance(answer, Unknown)
    assert answer.sent
    shop.bank.faults.append(("/orders/sessions", "401"))
    answer = await shop.connector.upi_link(shown, expires_in_s=300)
    assert isinstance(answer, Unknown)
    assert not answer.sent, "nobody pays by a link that did not come"


async def test_a_test_card_reaches_no_live_account_and_reaches_the_sandbox(shop: Shop) -> None:
    card = replace(CARD, number="4111111111111111")
    answer = await shop.connector.charge_card(
        new_charge(), card, return_url=RETURN_URL, capture=True
    )
    assert isinstance(answer, Declined)
    assert shop.bank.calls == []
    sandbox = shop.reopened(
        environment="sandbox", cards_certified=True, page_origins=(shop.bank.url,)
    )
    assert sandbox.simulated
    assert isinstance(sandbox, ChargesCards)
    assert isinstance(
        await sandbox.charge_card(new_charge(), card, return_url=RETURN_URL, capture=True), Redirect
    )
    await sandbox.close()
