"""Impatient and cautious customers: double clicks, reloads, and two tabs of one payment."""

import re

import httpx
from playwright.sync_api import expect

from tests.browser.customer import CHALLENGE, GOOD_OTP, ORDER, SESSION, Customer
from tests.system.running import RunningGateway


def _debits(gateway: RunningGateway, amount_paise: int) -> int:
    """Return how often the bank took an amount that only one test pays."""
    return sum(
        each["amount_paise"] == amount_paise and each["state"] == "done"
        for each in gateway.bank_entries()
    )


def test_a_double_click_on_pay_pays_once(customer: Customer, gateway: RunningGateway) -> None:
    page = customer.buy_for("123.45")
    customer.type_card()
    page.get_by_role("button", name="Pay ₹123.45").dblclick()
    page.wait_for_url(CHALLENGE)
    page.get_by_label("One-time password").fill(GOOD_OTP)
    page.get_by_role("button", name="Confirm ₹123.45").dblclick()
    customer.see_paid_order()
    assert _debits(gateway, 12_345) == 1


def test_a_slow_bank_does_not_lose_the_way_to_its_page(
    customer: Customer, gateway: RunningGateway
) -> None:
    """The page asks where the payment stands all the while.

    Leaving for the news would cancel the form on its way.
    """
    page = customer.buy()
    customer.type_card()
    dial = f"{gateway.demo['simbank_url']}/control/dial"
    httpx.put(dial, json={"delay_ms": [2_000, 2_000]}).raise_for_status()
    try:
        customer.press_pay()
        page.wait_for_url(CHALLENGE)
    finally:
        httpx.delete(dial).raise_for_status()
    page.get_by_label("One-time password").fill(GOOD_OTP)
    page.get_by_role("button", name=re.compile("^Confirm ")).click()
    customer.see_paid_order()


def test_the_outcome_survives_a_reload_of_every_page(
    customer: Customer, gateway: RunningGateway
) -> None:
    page = customer.buy_for("543.21")
    page.reload()
    expect(page.get_by_role("heading", name="How would you like to pay?")).to_be_visible()
    app = customer.pay_by_upi()
    app.reload()
    page.wait_for_url(ORDER)
    page.reload()
    customer.see_paid_order()
    expect(page.locator(".timeline > li.return")).to_have_count(1)
    assert _debits(gateway, 54_321) == 1


def test_an_order_that_is_left_open_at_the_shop_says_by_itself_that_it_is_paid(
    customer: Customer,
) -> None:
    page = customer.buy_for("654.32")
    app = customer.open_upi_app()
    page.get_by_role("button", name="Return to Asha Handlooms").click()
    page.wait_for_url(ORDER)
    expect(page.get_by_role("status")).to_have_text("Not paid yet")
    page.evaluate("window.neverReloaded = true")
    page.evaluate("window.verdict = document.querySelector('[role=status]')")
    again = page.get_by_role("link", name="Back to the shop")
    again.focus()
    app.get_by_role("button", name="Pay ₹654.32").click()
    expect(page.get_by_role("status")).to_have_text("Paid")
    expect(page.locator(".timeline > li.notification")).to_have_count(1)
    expect(page).to_have_title(re.compile("^Paid"))
    # The same element says it, so a screen reader reads it out; the focus is where it was.
    assert page.evaluate("window.verdict === document.querySelector('[role=status]')")
    expect(again).to_be_focused()
    assert page.evaluate("window.neverReloaded")


def test_a_link_that_was_paid_cannot_be_paid_again(
    customer: Customer, gateway: RunningGateway
) -> None:
    customer.buy_for("222.33")
    app = customer.open_upi_app()
    link = app.url
    app.get_by_role("button", name="Pay ₹222.33").click()
    customer.see_paid_order()
    app.goto(link)
    customer.forgive("409 (Conflict)")
    app.get_by_role("button", name="Pay ₹222.33").click()
    expect(app.get_by_text("has been paid, or is being paid, already")).to_be_visible()
    assert _debits(gateway, 22_233) == 1


def test_starting_the_same_order_again_reopens_the_same_payment(customer: Customer) -> None:
    page = customer.buy()
    session = page.url
    page.get_by_role("button", name="Return to Asha Handlooms").click()
    page.wait_for_url(ORDER)
    expect(page.get_by_role("status")).to_have_text("Not paid yet")
    page.get_by_role("link", name="Pay · ₹349.00").click()
    page.wait_for_url(SESSION)
    assert page.url == session
