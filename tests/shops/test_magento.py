"""Magento's module by its published interface: a paid order, news again, refunds, settings."""

import json

from tests.shops.magento import Magento
from tests.system.browser import Browser, Form, Screen
from tests.system.shop import pay_card, pay_in_app
from tests.system.waiting import until


def way_of(magento: Magento, browser: Browser, order_id: int) -> Form:
    """Go where the checkout's script leads, and return the form that is there."""
    way = browser.get(magento.page("pay"), cookie=f"order={order_id}")
    assert way.status == 200, way.text
    (form,) = way.forms
    return form


def page_of(magento: Magento, browser: Browser, order_id: int) -> Screen:
    """Go to the payment page."""
    screen = browser.submit(way_of(magento, browser, order_id))
    assert screen.status == 200, screen.text
    return screen


def test_the_settings_work_and_the_page_may_post_to_the_gateway(magento: Magento) -> None:
    assert magento.staff("test") == ""
    (policy,) = json.loads(magento.staff("policies"))
    saved = "SELECT value FROM m2_core_config_data WHERE path = 'payment/hundi/gateway_url'"
    assert (policy["id"], policy["hosts"]) == ("form-action", [magento.asked(saved)[0]["value"]])
    config = json.loads(magento.staff("config"))
    assert config == {"payment": {"hundi": {"pay": magento.page("pay")}}}


def test_a_customer_pays_once_and_a_credit_memo_refunds(magento: Magento, browser: Browser) -> None:
    order_id = magento.placed()
    result = pay_card(browser, page_of(magento, browser, order_id))
    (form,) = result.forms
    for _ in range(2):
        assert browser.submit(form).text == "page checkout/onepage/success"
    sale = magento.sale(order_id)
    assert (sale["state"], float(sale["paid"]), sale["mails"]) == ("processing", 1499.5, "1")
    assert sale["comments"].count("paid, payment") == 1

    assert magento.staff("refund", order_id, amount="100.0000").startswith("refund-")
    until(lambda: "refund_done" in magento.sale(order_id)["comments"], "the refund to be told")
    assert magento.staff("refund", order_id, amount="1499.5").startswith("refused: ")
    assert magento.staff("ask") == "asked"


def test_the_notification_alone_is_enough(magento: Magento, browser: Browser) -> None:
    order_id = magento.placed()
    pay_in_app(browser, page_of(magento, browser, order_id))
    magento.becomes(order_id, "processing")


def test_an_order_that_ended_unpaid_is_cancelled_and_late_money_is_for_a_person(
    magento: Magento, browser: Browser
) -> None:
    order_id = magento.placed()
    form = way_of(magento, browser, order_id)
    declined = pay_card(browser, browser.submit(form), otp="000000")
    left = browser.post(declined.url.partition("?")[0] + "/return", {})
    assert browser.submit(left.forms[0]).text == "page checkout/cart"
    magento.becomes(order_id, "canceled")
    again = browser.get(magento.page("pay"), cookie=f"order={order_id}")
    assert again.text == "page checkout/cart"
    # From a page that was left open.
    pay_card(browser, browser.submit(form))

    def is_told() -> bool:
        return "after the order was cancelled" in magento.sale(order_id)["comments"]

    until(is_told, "the late money to be told")
    assert magento.sale(order_id)["state"] == "canceled"


def test_what_is_forged_changes_nothing(magento: Magento, browser: Browser) -> None:
    order_id = magento.placed()
    page_of(magento, browser, order_id)
    assert browser.post(magento.page("back"), {"response": "AAAA"}).status == 400
    assert magento.http.get(magento.page("back")).status_code == 404
    assert magento.http.post(magento.page("notification"), json={}).status_code == 400
    assert magento.sale(order_id)["state"] == "pending_payment"
    log = (magento.root / "system.log").read_text()
    assert "A return" in log
    assert magento.own.api_secret not in log
