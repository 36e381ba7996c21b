"""UPI on the payment page: the link, declined and pending payments, and a QR whose time is over."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit
from tests.browser.customer import PHONE, SESSION, Customer
from tests.conftest import NewFolder
from tests.system.running import RunningGateway
from tests.system.test_subscription_year import advance

QR_S, SESSION_S = 600, 3_600
UPI_LINK = re.compile(r"^upi://pay\?.*\bam=349\.00\b")


def test_the_upi_link_is_there_on_a_desk_and_on_a_phone(visit: Visit) -> None:
    desk = visit().buy()
    expect(desk.get_by_role("link", name="Open the UPI link")).to_have_attribute("href", UPI_LINK)
    expect(
        desk.get_by_role("img", name="UPI QR code: pay ₹349.00 to Asha Handlooms")
    ).to_be_visible()
    phone = visit(**PHONE).buy()
    expect(phone.get_by_role("link", name="Pay ₹349.00 in a UPI app")).to_have_attribute(
        "href", UPI_LINK
    )
    expect(phone.locator('a[href^="upi://"]')).to_have_count(1)
    expect(phone.get_by_role("img", name=re.compile("^UPI QR code"))).to_be_hidden()
    phone.locator("summary", has_text="QR code instead").click()
    expect(phone.get_by_role("img", name=re.compile("^UPI QR code"))).to_be_visible()


@pytest.mark.parametrize(
    ("payer_vpa", "reason"),
    [
        ("decline@hundi", "You declined the request in your UPI app."),
        ("insufficient@hundi", "There was not enough money in the account."),
        ("expired@hundi", "The payment request expired before it was approved."),
    ],
)
def test_a_declined_payment_says_why_and_a_new_qr_pays(
    customer: Customer, payer_vpa: str, reason: str
) -> None:
    page = customer.buy()
    customer.pay_by_upi(payer_vpa)
    expect(page.get_by_role("alert")).to_contain_text(reason)
    expect(page.get_by_role("alert")).to_contain_text("No money has left your account.")
    page.get_by_role("button", name="Show a new QR").click()
    customer.pay_by_upi()
    customer.see_paid_order()


def test_declining_in_the_app_is_a_refusal_by_the_customer(customer: Customer) -> None:
    page = customer.buy()
    app = customer.open_upi_app()
    app.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("alert")).to_contain_text("You declined the request in your UPI app.")


def test_a_pending_payment_waits_through_a_reload_and_ends_by_itself(
    customer: Customer, gateway: RunningGateway
) -> None:
    page = customer.buy()
    with gateway.undecided():
        customer.pay_by_upi("pending@hundi")
        waiting = page.get_by_role("heading", name="Waiting for your bank")
        expect(waiting).to_be_visible()
        page.reload()
        expect(waiting).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Pay "))).to_have_count(0)
    customer.see_paid_order()


@pytest.fixture(scope="module")
def hasty(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    lives = {"HUNDI_QR_SECONDS": str(QR_S), "HUNDI_SESSION_SECONDS": str(SESSION_S)}
    with RunningGateway(new_folder("watched"), **lives) as running:
        yield running


def test_an_expired_qr_is_replaced_and_the_end_of_the_session_is_shown(
    browser: Browser, hasty: RunningGateway
) -> None:
    customer = Customer(browser, hasty.demo)
    customer.page.clock.install()
    page = customer.buy()
    image = page.get_by_role("img", name=re.compile("^UPI QR code"))
    first = image.get_attribute("src")
    advance(hasty, QR_S)
    page.clock.fast_forward(QR_S * 1000)
    expect(
        page.get_by_text("This QR can no longer be used. Nothing was paid with it.").first
    ).to_be_visible()
    page.get_by_role("button", name="Show a new QR").first.click()
    expect(image).to_be_visible()
    assert image.get_attribute("src") != first
    advance(hasty, SESSION_S)
    expect(page.get_by_role("heading", name="This payment page has closed")).to_be_visible()
    expect(page).to_have_url(SESSION)
    page.get_by_role("button", name="Continue to Asha Handlooms").click()
    expect(page.get_by_role("status")).not_to_have_text("Paid")
    assert customer.leave() == []
