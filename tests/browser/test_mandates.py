"""A mandate approved in a browser, with scripts and without any.

What is approved stands on every page.
"""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.customer import CHALLENGE, GOOD_CARD, GOOD_OTP, PHONE, SESSION, Customer
from tests.browser.looks import assert_accessible, assert_fits, assert_no_axe_violations
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway
from tests.system.shop import new_order_id
from tests.system.test_subscriptions import plan

AT_BANK = re.compile("/visits/")
VERY_MOST = "Never more than ₹1,000.00 at a time"


@pytest.fixture(params=["scripts", "no scripts", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    """A customer with a desk's browser, with one that runs no script, and with a phone."""
    options = {"scripts": {}, "no scripts": {"java_script_enabled": False}, "phone": PHONE}
    return visit(**options[request.param])


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def go_to_plan(customer: Customer, gateway: RunningGateway, sender: Sender, **changes: Any) -> Page:
    """Go to the payment page of a subscription, as a shop's form does."""
    merchant = Merchant.of(gateway.demo["merchants"][0])
    fields = merchant.envelope(plan(new_order_id("PLAN"), **changes))
    inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
    action = f"{sender.base_url}/pay/v4/?token={sender.token(merchant)}"
    customer.page.set_content(
        f'<form method="post" action="{action}">{inputs}<button>Go on</button></form>'
    )
    customer.page.get_by_role("button", name="Go on").click()
    customer.page.wait_for_url(SESSION)
    return customer.page


def see(page: Page) -> None:
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)


def test_a_mandate_is_approved_by_card(
    customer: Customer, gateway: RunningGateway, sender: Sender
) -> None:
    page = go_to_plan(customer, gateway, sender)
    expect(page.get_by_text(VERY_MOST)).to_be_visible()
    page.locator("summary", has_text="Credit or debit card").click()
    see(page)
    page.get_by_label("Card number").fill(GOOD_CARD)
    page.get_by_label("Expiry").fill("12/30")
    page.get_by_label("Security code").fill("123")
    page.locator("form#card").get_by_role("button", name=re.compile("^Pay ")).click()
    page.wait_for_url(CHALLENGE)
    expect(page.get_by_text("later debits of at most ₹1,000.00 each, monthly")).to_be_visible()
    see(page)
    page.get_by_label("One-time password").fill(GOOD_OTP)
    with customer.held_at_the_outcome():
        page.get_by_role("button", name=re.compile("^Confirm ")).click()
        page.wait_for_url(SESSION)
        expect(page.get_by_role("heading", name="Approved and paid")).to_be_visible()
        see(page)


def test_a_mandate_is_approved_at_a_bank(
    customer: Customer, gateway: RunningGateway, sender: Sender
) -> None:
    page = go_to_plan(customer, gateway, sender)
    page.locator("summary", has_text="Approve debits at your bank").click()
    see(page)
    page.get_by_role("radio", name="ICICI Bank", exact=True).locator("visible=true").check()
    page.get_by_role("button", name="Approve ₹99.00 at your bank").click()
    page.wait_for_url(AT_BANK)
    see(page)
    page.get_by_label("User id").fill("slow")
    page.get_by_label("Sign in with").select_option(label="Debit card")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("later debits of at most ₹1,000.00 each")).to_be_visible()
    see(page)
    with customer.held_at_the_outcome():
        page.get_by_role("button", name=re.compile("^Approve ")).click()
        page.wait_for_url(SESSION)
        expect(page.get_by_role("heading", name="Your bank confirms your approval")).to_be_visible()
        see(page)
        gateway.make_registrations_due()
        expect(page.get_by_role("heading", name="Approved and paid")).to_be_visible()
        see(page)
