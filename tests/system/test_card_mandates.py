"""Card e-mandates through the running gateway.

Approved with the card's challenge, debited without the customer.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import VISA, Shop, enter_card, enter_otp, new_order_id, pay_card, settled
from tests.system.test_subscriptions import (
    AMOUNT_PAISE,
    active,
    asked,
    mandate_over,
    open_plan,
    plan,
)

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def approved_by_card(
    sender: Sender, shop: Shop, browser: Browser, number: str = VISA, **changes: Any
) -> dict[str, Any]:
    """Return a subscription that its customer has approved by card, once it is active."""
    order_id = new_order_id("CARD")
    ended = pay_card(
        browser, open_plan(sender, shop, browser, order_id, chmod="pg", **changes), number
    )
    assert "Approved and paid" in ended.text, ended.text
    return active(sender, shop, order_id)


def test_a_customer_approves_a_mandate_by_card(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id("CARD")
    screen = open_plan(sender, shop, browser, order_id)
    assert "It keeps your card for them" in screen.text
    challenge = enter_card(browser, screen)
    assert "later debits of at most ₹1,000.00 each, monthly" in challenge.text
    ended = settled(browser, enter_otp(browser, challenge))
    assert "Approved and paid" in ended.text
    told = shop.verify(order_id, AMOUNT_PAISE)
    assert (told.status_code, told.payment_status, told.transaction_type) == (
        200,
        "Mandate Approved",
        320,
    )
    back = shop.come_back(ended, order_id, AMOUNT_PAISE)
    assert back.transaction.payment_status == "Mandate Approved"
    news = shop.hears_event(order_id, "mandate_approved").transaction
    assert (news.status_code, news.payment_status) == (200, "Mandate Approved")
    found = active(sender, shop, order_id)
    assert (found["chmod"], found["customer_vpa"]) == ("pg", "")
    assert shop.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


def test_no_card_number_is_kept_for_the_debits(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    told = approved_by_card(sender, shop, browser)
    kept = gateway.rows(
        "SELECT * FROM subscriptions WHERE subscription_id = $1", int(told["ap_transactionid"])
    )
    tries = gateway.rows(
        "SELECT * FROM attempts WHERE payment_id = $1", int(told["ap_transactionid"])
    )
    assert VISA not in f"{kept} {tries}"
    (attempt,) = (each for each in tries if each["method"] == "card")
    assert kept[0]["mandate_reference"] == f"{attempt['merchant_id']}-{attempt['attempt_id']}"


def test_a_failed_challenge_approves_nothing(sender: Sender, shop: Shop, browser: Browser) -> None:
    order_id = new_order_id("CARD")
    refused = pay_card(browser, open_plan(sender, shop, browser, order_id), otp="000000")
    assert "Your bank did not confirm that it was you" in refused.text
    assert (
        sender.ask("subscription/status", shop.merchant, {"orderid": order_id}).data["state"]
        == "created"
    )


def test_the_order_restricts_which_cards_approve(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id("CARD")
    refused = pay_card(browser, open_plan(sender, shop, browser, order_id, chmod="pgdc"))
    assert refused.at == "choose", refused.text
    told = pay_card(browser, refused, "4000056655665556")
    assert "Approved and paid" in told.text


def test_the_merchant_stops_a_card_mandate_at_the_bank(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    told = approved_by_card(sender, shop, browser)
    assert asked(sender, shop, "cancel", told).data["state"] == "cancelled"
    until(
        lambda: mandate_over(gateway, told["ap_transactionid"]),
        "the mandate to be ended at the bank",
    )


def test_a_maximum_that_no_channel_carries_is_refused_by_its_name(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    screen = open_plan(
        sender, shop, browser, new_order_id(), chmod="pg_upi", sb_maxamount="15000.01"
    )
    told = shop.refusal_of(screen)
    assert "sb_maxamount" in told
    assert "pg up to ₹15,000.00" in told
    by_qr = sender.ask(
        "generateorder", shop.merchant, plan(new_order_id(), sb_maxamount="15000.01")
    )
    assert (by_qr.code, by_qr.data) == ("113", [])
