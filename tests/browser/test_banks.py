"""Net banking, wallets, instalments and Bharat QR in a browser, with scripts and without any."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.customer import GOOD_OTP, PHONE, SESSION, Customer
from tests.browser.looks import assert_no_axe_violations

AT_BANK = re.compile(r"/visits/")


@pytest.fixture(params=["scripts", "no scripts", "phone"])
def customer(request: pytest.FixtureRequest, visit: Visit) -> Customer:
    """A customer with a desk's browser, with one that runs no script, and with a phone."""
    options = {"scripts": {}, "no scripts": {"java_script_enabled": False}, "phone": PHONE}
    return visit(**options[request.param])


def choose(customer: Customer, row: str) -> None:
    customer.page.locator("summary", has_text=row).click()
    assert_no_axe_violations(customer.page)


def go_on(customer: Customer) -> None:
    """Come back paid: by itself where scripts run, by a button where they do not."""
    if not customer.scripts:
        customer.page.get_by_role("button", name="Continue to Asha Handlooms").click()
    customer.see_paid_order()


def to_the_bank(customer: Customer, bank: str) -> None:
    customer.buy_for("1499.50")
    choose(customer, "Net banking")
    customer.page.get_by_role("radio", name=bank, exact=True).check()
    customer.page.get_by_role("button", name="at your bank").click()
    customer.page.wait_for_url(AT_BANK)
    assert_no_axe_violations(customer.page)


def test_net_banking(customer: Customer) -> None:
    to_the_bank(customer, "State Bank of India")
    page = customer.page
    page.get_by_label("User id").fill("asha")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("₹1,499.50").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Pay ")).click()
    go_on(customer)


def test_a_cancelled_visit_returns_to_the_methods_with_the_reason(customer: Customer) -> None:
    to_the_bank(customer, "HDFC Bank")
    customer.page.get_by_role("button", name="Cancel and go back").click()
    customer.page.wait_for_url(SESSION)
    expect(customer.page.get_by_role("alert")).to_contain_text("your bank says nothing was paid")
    assert_no_axe_violations(customer.page)
    expect(customer.page.get_by_role("heading", name="How would you like to pay?")).to_be_visible()


def test_wallet(customer: Customer) -> None:
    customer.buy_for("1499.50")
    choose(customer, "Wallet")
    customer.page.get_by_role("group", name="Your wallet").get_by_role("radio").first.check()
    customer.page.get_by_role("button", name="from your wallet").click()
    customer.page.wait_for_url(AT_BANK)
    expect(customer.page.get_by_text("₹25,000.00")).to_be_visible()
    customer.page.get_by_role("button", name=re.compile("^Pay ")).click()
    go_on(customer)


def test_instalments(customer: Customer) -> None:
    customer.buy_for("12000.00")
    choose(customer, "Card EMI")
    form = customer.page.locator(
        "form", has=customer.page.get_by_role("group", name="Bank and instalments")
    )
    form.locator("summary", has_text="HDFC Bank").click()
    form.get_by_role(
        "radio", name=re.compile(r"^12 instalments of ₹1,083.10 .*₹12,997.20 in all$")
    ).check()
    form.get_by_label("Card number").fill("4111 1111 1111 1111")
    form.get_by_label("Expiry").fill("12/30")
    form.get_by_label("Security code").fill("123")
    form.get_by_role("button", name=re.compile("^Pay ")).click()
    customer.page.wait_for_url(re.compile("/3ds/"))
    customer.page.get_by_label("One-time password").fill(GOOD_OTP)
    customer.page.get_by_role("button", name=re.compile("^Confirm ")).click()
    go_on(customer)


def test_a_bharat_qr_is_shown_and_can_be_paid(visit: Visit) -> None:
    customer = visit()
    customer.buy()
    choose(customer, "Bharat QR")
    expect(customer.page.get_by_role("img", name=re.compile("^Bharat QR code"))).to_be_visible()
    with customer.page.context.expect_page() as opened:
        customer.page.locator("details[open]").get_by_role(
            "link", name="Open the simulated UPI app"
        ).click()
    opened.value.get_by_role("button", name=re.compile("^Pay ")).click()
    customer.see_paid_order()
