"""A customer whose shop has a page of its own: from the bank back to the shop, in a browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from hundi.sdk import Card, Client, DirectPayment, Gateway, Order
from hundi.sdk.errors import NotEnabledError
from tests.browser.conftest import Visit
from tests.browser.customer import BAD_OTP, CHALLENGE, GOOD_OTP, PHONE, SESSION, Customer
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, new_order_id

CARD = Card(number="4111111111111111", expiry="12/40", cvv="123")


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway) -> Iterator[Client]:
    """The demo's merchant, while its server begins payments."""
    merchant = Merchant.of(gateway.demo["merchants"][0])
    gateway.hundi("merchant", "seamless", merchant.merchant_id, "on", "--cards", "on")
    with Client(merchant.credentials, Gateway(base_url=gateway.base_url)) as client:
        until(lambda: _is_known(client), "the setting to be known")
        yield client
    gateway.hundi("merchant", "seamless", merchant.merchant_id, "off")


def _is_known(client: Client) -> bool:
    order = Order(order_id=new_order_id(), amount_paise=149_950, buyer=ASHA)
    try:
        return client.begin_payment(DirectPayment(order=order, pay_by="upi")).action == "upi_link"
    except NotEnabledError:
        return False


@pytest.fixture(params=["desk", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    return visit(**(PHONE if request.param == "phone" else {}))


def begin(shop: Client, customer: Customer) -> str:
    """Let the shop's server begin a payment by card, and send the browser where it says.

    Return the order's id.
    """
    order = Order(order_id=new_order_id(), amount_paise=149_950, buyer=ASHA)
    step = shop.begin_payment(DirectPayment(order=order, pay_by="pg", card=CARD))
    customer.page.goto(step.redirect_url)
    customer.page.wait_for_url(CHALLENGE)
    return order.order_id


def confirm(customer: Customer, otp: str) -> None:
    customer.page.get_by_label("One-time password").fill(otp)
    customer.page.get_by_role("button", name=re.compile("^Confirm ")).click()


def test_a_paid_card_leads_over_the_result_to_the_shop(shop: Client, customer: Customer) -> None:
    order_id = begin(shop, customer)
    with customer.held_at_the_outcome():
        confirm(customer, GOOD_OTP)
        expect(customer.page.get_by_role("heading", name="Paid")).to_be_visible()
    # The demo shop does not know an order that it did not make.
    customer.forgive("404 (Not Found)")
    customer.page.wait_for_url(re.compile("/demo-shop/"))
    assert shop.verify(order_id=order_id, amount_paise=149_950).status_code == 200


def test_a_declined_one_is_offered_the_orders_other_ways(shop: Client, customer: Customer) -> None:
    order_id = begin(shop, customer)
    confirm(customer, BAD_OTP)
    customer.page.wait_for_url(SESSION)
    expect(customer.page.get_by_role("alert")).to_contain_text("No money has left your account")
    expect(customer.page.locator("summary", has_text="Net banking")).to_be_visible()
    assert shop.verify(order_id=order_id, amount_paise=149_950).status_code == 211
