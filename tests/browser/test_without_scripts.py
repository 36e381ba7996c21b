"""The whole chain in a browser that runs no script: every step is a link or a button."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.customer import BAD_OTP, SESSION, Customer


@pytest.fixture
def plain(visit: Visit) -> Customer:
    """A customer without scripts."""
    return visit(java_script_enabled=False)


def _go_on(customer: Customer) -> None:
    expect(customer.page.get_by_role("heading", name="Paid")).to_be_visible()
    customer.page.get_by_role("button", name="Continue to Asha Handlooms").click()
    customer.see_paid_order()


def test_upi(plain: Customer) -> None:
    page = plain.buy()
    expect(page.get_by_role("img", name=re.compile("^UPI QR code"))).to_be_visible()
    plain.pay_by_upi()
    page.get_by_role("link", name="Check now").click()
    _go_on(plain)


def test_card_that_fails_once(plain: Customer) -> None:
    page = plain.buy()
    plain.pay_by_card(otp=BAD_OTP)
    page.wait_for_url(SESSION)
    expect(page.get_by_role("alert")).to_contain_text("Your bank did not confirm that it was you.")
    plain.pay_by_card()
    _go_on(plain)


def test_a_mistyped_card_comes_back_with_the_reason_and_without_the_number(plain: Customer) -> None:
    page = plain.buy()
    plain.type_card("4111 1111 1111 1112")
    page.get_by_label("Name on the card").fill("Asha Rao")
    plain.press_pay()
    number = page.get_by_label("Card number")
    expect(number).to_have_accessible_description("This number has a typing error. Check it against your card.")
    expect(number).to_have_value("")
    expect(page.get_by_label("Security code")).to_have_value("")
    expect(page.get_by_label("Name on the card")).to_have_value("Asha Rao")


def test_a_pending_payment_is_asked_about_by_hand(plain: Customer) -> None:
    page = plain.buy()
    plain.pay_by_upi("pending@hundi")
    page.get_by_role("link", name="Check now").click()
    expect(
        page.get_by_role("heading", name="Waiting for your bank").or_(page.get_by_role("heading", name="Paid"))
    ).to_be_visible()
    _go_on(plain)
