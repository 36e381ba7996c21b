"""A surcharge in a browser.

Always in sight before anything is chosen, and in every amount after that.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.customer import PHONE, Customer
from tests.system.running import RunningGateway, until

AT_BANK = re.compile(r"/visits/")


@pytest.fixture(scope="module", autouse=True)
def _fee(gateway: RunningGateway) -> Iterator[None]:
    number = gateway.demo["merchants"][0]["merchant_id"]
    gateway.hundi("merchant", "surcharge", number, "nb", "--flat-paise", "1000")
    yield
    gateway.hundi("merchant", "surcharge", number, "nb", "--remove")


@pytest.fixture(params=["scripts", "no scripts", "phone", "hindi"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    """A customer with a desktop, one without scripts, one with a phone, one who reads Hindi."""
    options = {
        "scripts": {},
        "no scripts": {"java_script_enabled": False},
        "phone": PHONE,
        "hindi": {"locale": "hi-IN"},
    }
    return visit(**options[request.param])


def test_the_fee_is_in_sight_and_in_the_total(customer: Customer) -> None:
    until(lambda: customer.buy_for("1499.50").locator(".fee").count(), "the rule to be known")
    page = customer.page
    fee = page.locator(".fee")
    expect(fee).to_have_count(1)
    expect(fee).to_be_visible()
    expect(fee).to_contain_text("₹10.00")
    expect(fee).to_contain_text("₹1,509.50")
    expect(page.locator(".sum dd")).to_have_text("₹1,499.50")
    row = page.locator("details", has=page.locator('form[action$="/bank"]'))
    row.locator("> summary").click()
    row.locator("input[value=HDFC]").check()
    expect(row.get_by_role("button")).to_contain_text("₹1,509.50")
    row.get_by_role("button").click()
    page.wait_for_url(AT_BANK)
    page.get_by_label("User id").fill("asha")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("₹1,509.50").first).to_be_visible()
