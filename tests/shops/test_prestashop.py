"""PrestaShop's module by its published interface: a paid cart, news again, refunds, settings."""

import json

from tests.shops.prestashop import PrestaShop
from tests.system.browser import Browser, Screen
from tests.system.shop import pay_card, pay_in_app
from tests.system.waiting import until

PAID, UNPAID = "2", "8"


def page_of(prestashop: PrestaShop, browser: Browser, cart_id: int) -> Screen:
    """Press the button of the checkout's last step."""
    way = browser.get(prestashop.page("pay"), cookie=f"cart={cart_id}")
    assert way.status == 200, way.text
    (form,) = way.forms
    screen = browser.post(form.action, form.fields)
    assert screen.status == 200, screen.text
    return screen


def test_the_settings_keep_secrets_and_test_the_connection(prestashop: PrestaShop) -> None:
    screen = prestashop.staff("page")
    assert prestashop.own.api_secret not in screen
    assert prestashop.own.merchant_id in screen
    assert "The connection works." in prestashop.staff("page", hundiTest="1")
    (option,) = json.loads(prestashop.staff("options"))
    assert option["setAction"] == prestashop.page("pay")


def test_a_cart_sent_in_two_parts_is_paid_once_and_refunded(
    prestashop: PrestaShop, browser: Browser
) -> None:
    result = pay_card(browser, page_of(prestashop, browser, 1))
    (form,) = result.forms
    for _ in range(2):
        assert browser.submit(form).text == "page order-confirmation"
    orders = prestashop.orders(1)
    assert [(each["current_state"], each["paid_times"]) for each in orders] == [(PAID, "1")] * 2
    (first, last) = (int(each["id"]) for each in orders)
    payments = prestashop.asked("SELECT transaction_id FROM ps_orderpayment")
    assert len({each["transaction_id"] for each in payments}) == 1

    assert 'name="seen" value="0"' in prestashop.staff("panel", last)
    sent = {"id_order": str(last), "amount": "100", "hundiRefund": "1", "seen": "0"}
    assert 'class="success"' in prestashop.staff("page", **sent)
    assert "since this page was loaded" in prestashop.staff("page", **sent), "the page, sent again"
    until(lambda: "refund_done" in prestashop.orders(1)[1]["note"], "the refund to be told")
    assert f"PS-{last}-1-R1: 100.00 done" in prestashop.staff("panel", last)
    said = prestashop.staff("page", id_order=str(last), amount="1499.51", hundiRefund="1")
    assert 'class="error"' in said
    said = prestashop.staff("page", id_order=str(first), amount="1", hundiRefund="1")
    assert "no payment of this order" in said
    assert prestashop.staff("detail", last) == ""


def test_the_notification_alone_is_enough(prestashop: PrestaShop, browser: Browser) -> None:
    pay_in_app(browser, page_of(prestashop, browser, 2))
    prestashop.becomes(2, PAID)


def test_what_is_forged_changes_nothing_and_an_unpaid_order_is_paid_later(
    prestashop: PrestaShop, browser: Browser
) -> None:
    screen = page_of(prestashop, browser, 3)
    waiting = prestashop.orders(3)[0]["current_state"]
    for field in ("response", "response[]", "response[a][b]"):
        assert browser.post(prestashop.page("back"), {field: "AAAA"}).status == 400
    assert prestashop.http.post(prestashop.page("notification"), json={}).status_code == 400
    assert prestashop.http.get(prestashop.page("ask") + "&token=guess").status_code == 403
    prestashop.becomes(3, waiting)
    declined = pay_card(browser, screen, otp="000000")
    left = browser.post(declined.url.partition("?")[0] + "/return", {})
    assert browser.submit(left.forms[0]).text == "page order-confirmation"
    prestashop.becomes(3, UNPAID)

    order_id = int(prestashop.orders(3)[-1]["id"])
    detail = prestashop.staff("detail", order_id)
    address = detail.partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    stranger = address.replace("key-of-asha", "key-of-else")
    assert browser.get(stranger).text == "page order"
    way = browser.get(address)
    pay_card(browser, browser.post(way.forms[0].action, way.forms[0].fields))
    prestashop.becomes(3, PAID)


def test_whoever_removes_the_module_keeps_the_books(prestashop: PrestaShop) -> None:
    assert prestashop.staff("uninstall") == "true"
    names = [each["name"] for each in prestashop.asked("SELECT name FROM ps_configuration")]
    assert names == ["HUNDI_STATE_WAITING"]
    assert len(prestashop.asked("SELECT * FROM ps_hundi_payments")) == 3
    log = (prestashop.root / "shop.log").read_text()
    assert "A return" in log
    assert prestashop.own.api_secret not in log
