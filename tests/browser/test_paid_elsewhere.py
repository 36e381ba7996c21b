"""Vouchers, bank slips and accounts for RTGS in a browser.

Shown, printed, paid elsewhere, and the page that waits.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.customer import PHONE, Customer
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_no_axe_violations,
    assert_room_for_thumbs,
)


@pytest.fixture(params=["scripts", "no scripts", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    """A customer with a desk's browser, with one that runs no script, and with a phone."""
    options = {"scripts": {}, "no scripts": {"java_script_enabled": False}, "phone": PHONE}
    return visit(**options[request.param])


def ask(customer: Customer, row: str, button: str, rupees: str = "1499.50") -> Page:
    """Open a row of the payment page and press its button."""
    page = customer.buy_for(rupees)
    page.locator("summary", has_text=row).click()
    page.get_by_role("button", name=button).click()
    return page


def elsewhere(customer: Customer, link: str) -> Page:
    """Open the simulated counter or bank, in a tab of its own."""
    with customer.page.context.expect_page() as opened:
        customer.page.get_by_role("link", name=link).click()
    assert_accessible(opened.value)
    assert_no_axe_violations(opened.value)
    assert_fits(opened.value)
    return opened.value


def see_paid(customer: Customer) -> None:
    """Be back at the shop with a paid order.

    By itself where scripts run, by reloading where they do not.
    """
    if not customer.scripts:
        done = customer.page.get_by_role("button", name="Continue to Asha Handlooms")
        while not done.count():
            customer.page.wait_for_timeout(500)
            customer.page.reload()
        done.click()
    customer.see_paid_order()


def test_cash(customer: Customer) -> None:
    page = ask(customer, "Cash at a shop", "Get the voucher")
    expect(page.get_by_text(re.compile(r"^[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{2}$"))).to_be_visible()
    image = page.get_by_role("img", name="Code with the number of the voucher")
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    assert_room_for_thumbs(page)
    counter = elsewhere(customer, "Open the simulated counter")
    counter.get_by_role("button", name="Take the cash").click()
    expect(counter.get_by_role("heading", name="Cash taken")).to_be_visible()
    see_paid(customer)


def test_a_bank_slip(customer: Customer) -> None:
    page = ask(customer, "Bank slip", "Get the slip")
    expect(page.get_by_text(re.compile("^SIMVC"))).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    assert_room_for_thumbs(page)
    branch = elsewhere(customer, "Open the simulated bank")
    branch.get_by_role("button", name="Pay in").click()
    expect(branch.get_by_role("heading", name="Slip taken")).to_be_visible()
    see_paid(customer)


def test_rtgs(customer: Customer) -> None:
    page = ask(customer, "RTGSFrom", "Get the account number", "200000")
    expect(page.get_by_text(re.compile("^SIMVR"))).to_be_visible()
    assert_accessible(page)
    assert_no_axe_violations(page)
    assert_fits(page)
    bank = elsewhere(customer, "Open the simulated bank")
    bank.get_by_label("How").select_option("NEFT")
    bank.get_by_role("button", name="Send").click()
    expect(bank.get_by_text("This account takes RTGS only")).to_be_visible()
    bank.go_back()
    bank.get_by_label("How").select_option("RTGS")
    bank.get_by_role("button", name="Send").click()
    expect(bank.get_by_role("heading", name="Transfer sent")).to_be_visible()
    see_paid(customer)


@pytest.mark.parametrize(
    ("row", "button", "shown"),
    [
        ("Cash at a shop", "Get the voucher", "Voucher number"),
        ("Bank slip", "Get the slip", "Account number"),
    ],
)
def test_what_is_shown_elsewhere_is_printed_alone(
    visit: Visit, row: str, button: str, shown: str
) -> None:
    page = ask(visit(), row, button)
    printed = page.evaluate("() => { window.print = () => document.body.dataset.printed = 'yes'; }")
    assert printed is None
    page.get_by_role("button", name=re.compile("^Print the ")).click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    page.emulate_media(media="print")
    expect(page.get_by_text(shown, exact=True)).to_be_visible()
    expect(page.locator("summary:visible")).to_have_count(1)
    expect(page.locator("button:visible, footer:visible")).to_have_count(0)


def test_vouchers_and_slips_speak_hindi(visit: Visit) -> None:
    customer = visit(locale="hi-IN")
    page = ask(customer, "दुकान पर नकद", "वाउचर लें")
    expect(page.get_by_text("वाउचर संख्या", exact=True)).to_be_visible()
    page.locator("summary", has_text="बैंक पर्ची").click()
    page.get_by_role("button", name="पर्ची लें").click()
    expect(page.get_by_text("खाता संख्या", exact=True)).to_be_visible()
    assert_fits(page)
