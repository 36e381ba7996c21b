"""Mandates of bank accounts (eNACH) through the running gateway.

Approved at the bank's page, registered later.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.bank_redirects import act
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import NotStartedError, Shop, new_order_id, settled
from tests.system.test_subscriptions import AMOUNT_PAISE, active, asked, mandate_over, open_plan

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def lender(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose customers approve mandates of their bank accounts, too."""
    yield from open_shop(gateway, server, "lender", channels="upi_pg_enach_nb")


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def approve_at_bank(browser: Browser, page: Screen, customer: str = "success") -> Screen:
    """Choose a bank, approve the mandate there, and come back to the payment page."""
    at_bank = browser.submit(page.form("/mandate"), bank="ICIC")
    signed_in = act(browser, at_bank, "log_in", customer=customer, password="x", proof="Debit card")
    assert "later debits of at most ₹1,000.00 each" in signed_in.text
    return act(browser, signed_in, "pay")


def confirming(browser: Browser, page: Screen) -> Screen | None:
    seen = browser.get(page.url)
    return seen if "Your bank confirms your approval" in seen.text else None


def test_a_mandate_is_approved_at_a_bank_and_registered_later(
    gateway: RunningGateway, sender: Sender, lender: Shop, browser: Browser
) -> None:
    order_id = new_order_id("NACH")
    page = approve_at_bank(browser, open_plan(sender, lender, browser, order_id), "slow")
    waiting = until(lambda: confirming(browser, page), "the page to say that the bank confirms")
    under_way = lender.verify(order_id, AMOUNT_PAISE)
    assert (under_way.status_code, under_way.payment_status, under_way.channel) == (
        211,
        "INPROCESS",
        "enach",
    )
    assert (
        sender.ask("subscription/status", lender.merchant, {"orderid": order_id}).data["state"]
        == "created"
    )
    gateway.make_registrations_due()
    ended = settled(browser, waiting)
    assert "Approved and paid" in ended.text
    told = lender.verify(order_id, AMOUNT_PAISE)
    assert (told.status_code, told.payment_status, told.channel) == (
        200,
        "Mandate Approved",
        "enach",
    )
    assert (
        lender.hears_event(order_id, "mandate_approved").transaction.payment_status
        == "Mandate Approved"
    )
    found = active(sender, lender, order_id)
    assert found["chmod"] == "enach"
    assert re.fullmatch("ICIC7[0-9]{15}", found["umrn"])
    assert lender.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


def test_a_bank_that_does_not_register_it_ends_the_try(
    sender: Sender, lender: Shop, browser: Browser
) -> None:
    order_id = new_order_id("NACH")
    refused = settled(
        browser, approve_at_bank(browser, open_plan(sender, lender, browser, order_id), "reject")
    )
    assert refused.at == "choose", refused.text
    assert (
        sender.ask("subscription/status", lender.merchant, {"orderid": order_id}).data["state"]
        == "created"
    )
    assert lender.bank_debits(order_id) == []


def test_a_customer_who_leaves_the_bank_chooses_again(
    sender: Sender, lender: Shop, browser: Browser
) -> None:
    page = open_plan(sender, lender, browser, new_order_id("NACH"))
    at_bank = browser.submit(page.form("/mandate"), bank="SBIN")
    assert settled(browser, act(browser, at_bank, "cancel")).at == "choose"


def test_a_mandate_above_the_other_ceilings_is_offered_at_banks_only(
    sender: Sender, lender: Shop, browser: Browser
) -> None:
    page = open_plan(sender, lender, browser, new_order_id("NACH"), sb_maxamount="500000.00")
    assert "Bank account" in page.text
    assert "Credit or debit card" not in page.text
    assert page.form("/mandate")


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"sb_maxamount": "10000000.01"}, "enach from ₹99.00 up to ₹1,00,00,000.00"),
        ({"chmod": "enach", "sb_amount": "50.00", "sb_maxamount": "98.99"}, "enach from ₹99.00"),
    ],
)
def test_what_no_channel_carries_is_refused(
    sender: Sender, lender: Shop, browser: Browser, changes: dict[str, Any], allowed: str
) -> None:
    screen = open_plan(sender, lender, browser, new_order_id("NACH"), **changes)
    told = lender.refusal_of(screen)
    assert "sb_maxamount" in told
    assert allowed in told


def test_a_bank_account_pays_nothing_without_a_mandate(lender: Shop, browser: Browser) -> None:
    with pytest.raises(NotStartedError, match="no way to take a payment"):
        lender.open_page(browser, new_order_id(), channels=("enach",))


def test_the_merchant_stops_it_at_the_bank(
    gateway: RunningGateway, sender: Sender, lender: Shop, browser: Browser
) -> None:
    order_id = new_order_id("NACH")
    settled(browser, approve_at_bank(browser, open_plan(sender, lender, browser, order_id)))
    told = active(sender, lender, order_id)
    assert asked(sender, lender, "cancel", told).data["state"] == "cancelled"
    until(
        lambda: mandate_over(gateway, told["ap_transactionid"]),
        "the mandate to be ended at the bank",
    )


def test_a_mandate_that_its_customer_ends_at_the_bank_ends_the_subscription_at_once(
    gateway: RunningGateway, sender: Sender, lender: Shop, browser: Browser
) -> None:
    order_id = new_order_id("NACH")
    settled(browser, approve_at_bank(browser, open_plan(sender, lender, browser, order_id)))
    active(sender, lender, order_id)
    attempt = next(each for each in lender.attempts(order_id) if each["method"] == "enach")
    ended = gateway.bank.post(f"/mandates/{attempt['merchant_id']}-{attempt['attempt_id']}")
    assert ended.status_code == 303
    lender.hears_event(order_id, "mandate_cancelled")
    assert (
        sender.ask("subscription/status", lender.merchant, {"orderid": order_id}).data["state"]
        == "cancelled"
    )
