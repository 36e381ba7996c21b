"""What a customer does in WooCommerce's checkout and at the payment page."""

from tests.shops.wordpress import WordPress
from tests.system.browser import Browser, Screen
from tests.system.shop import pay_card


def page_of(browser: Browser, redirect: str) -> Screen:
    """Follow the shop's redirect, and post its form as a browser with scripts does."""
    way = browser.get(redirect)
    assert way.status == 200, way.text
    (form,) = way.forms
    screen = browser.post(form.action, form.fields)
    assert screen.status == 200, screen.text
    return screen


def come_back(browser: Browser, result: Screen) -> Screen:
    """Post what the payment page sends the browser back with."""
    (form,) = result.forms
    return browser.submit(form)


def paid_order(wordpress: WordPress, browser: Browser) -> int:
    """Buy something at the classic checkout."""
    placed = wordpress.placed()
    result = pay_card(browser, page_of(browser, placed["redirect"]))
    assert come_back(browser, result).heading == "Order received: processing"
    return placed["order_id"]
