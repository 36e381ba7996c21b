"""The whole chain in a browser that runs no script: every step is a link or a button."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.customer import BAD_OTP, PATIENCE_MS, SESSION, Customer

BETWEEN_PRESSES_MS = 300


@pytest.fixture
def plain(visit: Visit) -> Customer:
    """A customer without scripts."""
    return visit(java_script_enabled=False)


def _check_until_paid(customer: Customer) -> None:
    """Press "Check now" as a person does.

    The bank's word may arrive after any press, and no page changes by itself.
    """
    paid = customer.page.get_by_role("heading", name="Paid")
    ends = time.monotonic() + PATIENCE_MS / 1000
    while not paid.is_visible():
        assert time.monotonic() < ends, "the bank's word never reached the page"
        customer.page.get_by_role("link", name="Check now").click()
        customer.page.wait_for_timeout(BETWEEN_PRESSES_MS)


def _go_on(customer: Customer) -> None:
    expect(customer.page.get_by_role("heading", name="Paid")).to_be_visible()
    customer.page.get_by_role("button", name="Continue to Asha Handlooms").click()
    customer.see_paid_order()


def test_upi(plain: Customer) -> None:
    page = plain.buy()
    expect(page.get_by_role("img", name=re.compile("^UPI QR code"))).to_be_visible()
    plain.pay_by_upi()
    _check_until_paid(plain)
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
    expect(number).to_have_accessible_description(
        "This number has a typing error. Check it against your card."
    )
    expect(number).to_have_value("")
    expect(page.get_by_label("Security code")).to_have_value("")
    expect(page.get_by_label("Name on the card")).to_have_value("Asha Rao")


def test_a_pending_payment_is_asked_about_by_hand(plain: Customer) -> None:
    plain.buy()
    plain.pay_by_upi("pending@hundi")
    _check_until_paid(plain)
    _go_on(plain)
