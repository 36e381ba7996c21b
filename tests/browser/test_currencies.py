"""An order in dollars in a browser: cards alone, and its own amount on every screen."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from hundi.sdk import Client, Gateway, Order
from tests.browser.conftest import Visit
from tests.browser.customer import CHALLENGE, GOOD_OTP, PHONE, SESSION, Customer
from tests.system.browser import Browser
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, new_order_id

SUBMIT = """([address, fields]) => {
  const form = document.body.appendChild(document.createElement("form"));
  form.method = "post";
  form.action = address;
  for (const [name, value] of Object.entries(fields)) {
    const field = form.appendChild(document.createElement("input"));
    field.name = name;
    field.value = value;
  }
  form.submit();
}"""
AMOUNT = "USD 12,345.67"


@pytest.fixture(scope="module", autouse=True)
def merchant(gateway: RunningGateway) -> Iterator[Merchant]:
    """The demo's merchant, while it sells in dollars too."""
    known = Merchant.of(gateway.demo["merchants"][0])
    gateway.hundi("merchant", "currencies", known.merchant_id, "INR", "USD")
    with (
        Client(known.credentials, Gateway(base_url=gateway.base_url)) as client,
        Browser() as browser,
    ):
        until(lambda: _is_known(client, browser), "the currency to be known")
    yield known
    gateway.hundi("merchant", "currencies", known.merchant_id, "INR")


def _is_known(client: Client, browser: Browser) -> bool:
    form = client.payment_form(_order())
    return browser.post(form.action_url, form.fields).at == "choose"


def _order() -> Order:
    return Order(order_id=new_order_id(), amount_paise=1_234_567, currency="USD", buyer=ASHA)


@pytest.fixture(params=["desk", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    return visit(**(PHONE if request.param == "phone" else {}))


def test_an_order_in_dollars_is_paid_by_card(
    customer: Customer, gateway: RunningGateway, merchant: Merchant
) -> None:
    page = customer.page
    page.goto(customer.shop_url)
    with Client(merchant.credentials, Gateway(base_url=gateway.base_url)) as client:
        form = client.payment_form(_order())
    page.evaluate(SUBMIT, [form.action_url, dict(form.fields)])
    page.wait_for_url(SESSION)
    expect(page.locator(".methods > details")).to_have_count(1)
    expect(page.locator(".sum dd")).to_have_text(AMOUNT)
    page.get_by_label("Card number").fill("4111 1111 1111 1111")
    page.get_by_label("Expiry").fill("12/30")
    page.get_by_label("Security code").fill("123")
    page.get_by_role("button", name=f"Pay {AMOUNT}").click()
    page.wait_for_url(CHALLENGE)
    page.get_by_label("One-time password").fill(GOOD_OTP)
    with customer.held_at_the_outcome():
        page.get_by_role("button", name=f"Confirm {AMOUNT}").click()
        expect(page.get_by_text(f"You have paid {AMOUNT}")).to_be_visible()
    # The demo shop does not know an order that it did not make.
    customer.forgive("404 (Not Found)")
    page.wait_for_url(re.compile("/demo-shop/"))
