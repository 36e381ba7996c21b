"""WhatsApp after a paid order, in a browser: one press agrees, and another ends it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.customer import PHONE, SESSION, Customer
from tests.system.running import RunningGateway


@pytest.fixture(scope="module", autouse=True)
def _by_whatsapp(gateway: RunningGateway) -> Iterator[None]:
    number = gateway.demo["merchants"][0]["merchant_id"]
    gateway.hundi("merchant", "set", number, "--letter", "receipt:whatsapp")
    yield
    gateway.hundi("merchant", "set", number, "--letter", "")


@pytest.fixture(params=["no scripts", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    return visit(**{"no scripts": {"java_script_enabled": False}, "phone": PHONE}[request.param])


def test_one_press_agrees_and_another_ends_it(customer: Customer) -> None:
    page = customer.buy()
    session = page.url
    customer.pay_by_card()
    page.goto(session)
    yes = page.get_by_role("button", name="Yes, by WhatsApp")
    expect(yes).to_be_visible()
    yes.click()
    page.wait_for_url(SESSION)
    page.get_by_role("link", name="Stop these messages").click()
    expect(page.get_by_role("heading", name="WhatsApp messages are on")).to_be_visible()
    page.get_by_role("button", name="Stop these messages").click()
    expect(page.get_by_role("heading", name="WhatsApp messages are off")).to_be_visible()
    expect(page.get_by_role("button", name="Stop these messages")).to_have_count(0)
    page.goto(session)
    expect(yes).to_be_visible()
