"""Payment links in a browser.

Made in the console, paid by customers in parts, without scripts, on a phone.
"""

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit
from tests.browser.customer import DESK, PHONE, SESSION, Customer
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_no_axe_violations,
    assert_room_for_thumbs,
)
from tests.system.console import Console
from tests.system.running import RunningGateway

EMAIL = "asha@demo.example"
LINK = re.compile(r"/l/[0-9]+\.[0-9a-z]{16}$")


@pytest.fixture(params=["scripts", "no scripts", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    """A customer with a desk's browser, with one that runs no script, and with a phone."""
    options = {"scripts": {}, "no scripts": {"java_script_enabled": False}, "phone": PHONE}
    return visit(**options[request.param])


@pytest.fixture(scope="module")
def clerk(gateway: RunningGateway) -> Iterator[Console]:
    """A session of the first merchant's owner."""
    with Console(gateway, "198.51.100.41") as console:
        assert console.sign_in(EMAIL).headers["location"] == "/console/"
        yield console


def pay_by_card(customer: Customer) -> None:
    page = customer.page
    page.wait_for_url(SESSION)
    customer.pay_by_card()
    expect(page.get_by_role("heading", name="Paid")).to_be_visible()


def test_a_link_is_paid_in_two_parts(customer: Customer, gateway: RunningGateway) -> None:
    merchant = gateway.demo["merchants"][0]["merchant_id"]
    with ThreadPoolExecutor() as elsewhere:  # the browser's event loop runs in this thread
        asked = elsewhere.submit(
            gateway.operate, "link", "make", merchant, "1500", "Two silk sarees", "--minimum", "500"
        )
    made = asked.result()
    page = customer.page
    page.goto(made["address"])
    expect(page.get_by_role("heading", name="Pay ₹1,500.00 to Asha Handlooms")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    assert_room_for_thumbs(page)
    page.get_by_label("How much do you want to pay now?").fill("20")
    page.get_by_role("button", name="Continue to payment").click()
    expect(page.get_by_label("How much do you want to pay now?")).to_be_focused()
    expect(page.get_by_text("Enter an amount from ₹500.00 to ₹1,500.00.")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    customer.forgive("422")
    page.get_by_label("How much do you want to pay now?").fill("600")
    page.get_by_role("button", name="Continue to payment").click()
    pay_by_card(customer)
    page.get_by_role("link", name="Back to the payment link").click()
    page.wait_for_url(LINK)
    expect(page.get_by_text("₹600.00 of ₹1,500.00 is paid.")).to_be_visible()
    page.get_by_role("button", name="Continue to payment").click()
    pay_by_card(customer)
    page.get_by_role("link", name="Back to the payment link").click()
    expect(page.get_by_role("heading", name="This link is paid")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_a_clerk_makes_a_link_and_cancels_it(
    browser: Browser, clerk: Console, device: Mapping[str, Any], scheme: str
) -> None:
    context = browser.new_context(**device, color_scheme=scheme)
    url = clerk.gateway.base_url
    context.add_cookies(
        [{"name": name, "value": value, "url": url} for name, value in clerk.http.cookies.items()]
    )
    page = context.new_page()
    merchant = clerk.gateway.demo["merchants"][0]["merchant_id"]
    page.goto(f"{url}/console/{merchant}/links")
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    page.get_by_label("Amount in rupees").fill("2,499.50")
    page.get_by_label("What it is for").fill("Deposit for a loom")
    page.get_by_label("Smallest part payment in rupees").fill("5000")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("alert")).to_contain_text("Minimum: use ₹1.00 to the amount, or none.")
    page.get_by_label("Smallest part payment in rupees").fill("500")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("heading", level=1, name="Deposit for a loom")).to_be_visible()
    address = page.locator("[data-copy]")
    expect(address).to_have_text(LINK)
    expect(address).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    expect(page.get_by_role("img", name="QR code of the link's address")).to_be_visible()
    for way in ("WhatsApp", "SMS", "E-mail"):
        expect(page.get_by_role("link", name=f"Send by {way}")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    page.get_by_role("button", name="Cancel the link").click()
    expect(
        page.get_by_text("The link was cancelled. What was paid of it stays paid.")
    ).to_be_visible()
    expect(page.get_by_role("button", name="Cancel the link")).to_have_count(0)
    page.goto(f"{url}/console/{merchant}/links")
    expect(page.get_by_role("row", name=re.compile("Deposit for a loom")).first).to_contain_text(
        "Cancelled"
    )
    assert_fits(page)
    context.close()


FILE = "reference,description,amount\nSEEN-{name}-1,School fees,12500\nSEEN-{name}-2,Bus,{bus}\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_a_clerk_makes_the_links_of_a_file(
    browser: Browser, clerk: Console, device: Mapping[str, Any], scheme: str
) -> None:
    context = browser.new_context(**device, color_scheme=scheme)
    url = clerk.gateway.base_url
    context.add_cookies(
        [{"name": name, "value": value, "url": url} for name, value in clerk.http.cookies.items()]
    )
    page = context.new_page()
    merchant = clerk.gateway.demo["merchants"][0]["merchant_id"]
    name = f"{scheme}-{device['viewport']['width']}"

    def look_at(bus: str) -> None:
        content = FILE.format(name=name, bus=bus).encode()
        file = {"name": "links.csv", "mimeType": "text/csv", "buffer": content}
        page.get_by_label("CSV file").set_input_files(files=[file])
        page.get_by_role("button", name="Look at the file").click()

    page.goto(f"{url}/console/{merchant}/links/file")
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    look_at("free")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was made: 1 thing is wrong.")
    expect(page.get_by_role("row", name=re.compile("Line 3"))).to_contain_text("amount")
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    page.get_by_role("link", name="Choose another file").click()
    look_at("4500.50")
    expect(page.get_by_text("2 links of ₹17,000.50 together.")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    page.get_by_role("button", name="Make 2 links").click()
    expect(page.get_by_role("link", name="Download with addresses (CSV)")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    page.goto(f"{url}/console/{merchant}/brand")
    expect(page.get_by_role("heading", level=1, name="Brand")).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    context.close()
