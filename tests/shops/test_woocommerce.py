"""WooCommerce's plugin in a real WordPress: a customer pays, staff refund, news come again."""

import html
import json

from hundi.sdk import Client, Gateway, RefundItem
from tests.shops.buying import come_back, page_of, paid_order
from tests.shops.programs import ran
from tests.shops.wordpress import ACTIVATE, BILLING, UNINSTALL, WordPress
from tests.system.browser import Browser
from tests.system.running import RunningGateway
from tests.system.shop import pay_card, pay_in_app
from tests.system.waiting import until


def test_the_settings_keep_secrets_and_test_the_connection(wordpress: WordPress) -> None:
    screen = wordpress.settings()
    assert 'value="UPI &amp; cards"' in screen
    assert wordpress.page("notification").replace("&", "&amp;") in screen
    assert wordpress.own.webhook_keys[0] not in screen
    assert wordpress.own.api_secret not in screen
    assert screen.count("saved; type another one to change it") == 4
    assert wordpress.tested() == "The connection works."
    assert wordpress.look("features") == {"custom_order_tables": True, "cart_checkout_blocks": True}
    assert wordpress.look("scheduled") is True


def test_a_customer_pays_at_the_classic_checkout_and_gets_money_back_twice(
    wordpress: WordPress, browser: Browser
) -> None:
    order_id = paid_order(wordpress, browser)
    order = wordpress.order(order_id)
    assert (order["completed"], order["total"]) == (1, "1499.50")
    assert order["transaction_id"] in wordpress.notes(order_id)

    for amount in ("100.00", "99.50"):
        assert wordpress.refunded(order_id, amount) == {"success": True}
    until(lambda: wordpress.notes(order_id).count("refund_done") == 2, "both refunds to be told")
    order = wordpress.order(order_id)
    assert [each["amount"] for each in order["refunds"]] == ["100.00", "99.50"]
    too_much = wordpress.refunded(order_id, "1300.01")
    assert too_much["data"]["error"] == "Invalid refund amount."


def test_a_customer_pays_at_the_checkout_made_of_blocks(
    wordpress: WordPress, browser: Browser
) -> None:
    page = html.unescape(wordpress.customer.get("/?blocks=1").text)
    assert "hundi-payments/assets/blocks.js" in page
    assert '"hundi":{"title":"UPI & cards"' in page
    assert "whsec_" not in page
    script = wordpress.customer.get("/wp-content/plugins/hundi-payments/assets/blocks.js")
    assert script.status_code == 200
    address = {name.removeprefix("billing_"): value for name, value in BILLING.items()}
    asked = {"payment_method": "hundi", "billing_address": address}
    placed = wordpress.customer.post("/?rest_route=/wc/store/v1/checkout", json=asked).json()
    assert placed["payment_result"]["payment_status"] == "success"
    screen = page_of(browser, placed["payment_result"]["redirect_url"])
    pay_in_app(browser, screen)
    # The customer never comes back: the notification tells.
    assert wordpress.becomes(placed["order_id"], "processing")["completed"] == 1


def test_an_order_without_a_phone_is_refused_before_the_page(wordpress: WordPress) -> None:
    refused = wordpress.placed(billing_phone="")
    assert refused["result"] == "failure"
    assert "phone number" in refused["messages"]


def test_news_come_again_and_are_done_once(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway
) -> None:
    placed = wordpress.placed()
    result = pay_card(browser, page_of(browser, placed["redirect"]))
    for _ in range(3):
        assert come_back(browser, result).heading == "Order received: processing"
    order_id = placed["order_id"]
    wordpress.look("ask", order_id)
    wordpress.look("job")
    order = wordpress.order(order_id)
    assert order["completed"] == 1
    assert wordpress.notes(order_id).count("paid") == 1
    assert "hundi_ask" in wordpress.look("actions", order_id)
    gateway.audit()


def test_what_is_forged_or_of_another_amount_changes_nothing(
    wordpress: WordPress, browser: Browser
) -> None:
    placed = wordpress.placed()
    order_id = placed["order_id"]
    result = pay_card(browser, page_of(browser, placed["redirect"]))
    (form,) = result.forms
    forged = form.fields | {"webhook_signature": "v1,AAAA"}
    screen = browser.post(form.action, forged)
    assert screen.status == 400
    assert "If you have paid" in screen.text
    for field in ("response[]", "response[a][b]"):
        assert browser.post(form.action, {field: "x"}).status == 400
    assert browser.post(form.action, form.fields | {"webhook_id[]": "x"}).status == 400
    assert wordpress.customer.post(wordpress.page("notification"), json={}).status_code == 400
    assert wordpress.customer.get(wordpress.page("notification")).status_code == 405
    stranger = wordpress.page("pay") + f"&order={order_id}&key=wc_order_guess"
    assert browser.get(stranger).status == 404
    # The notification was true.
    assert wordpress.becomes(order_id, "processing")["completed"] == 1


def test_a_changed_order_waits_for_a_person(wordpress: WordPress, browser: Browser) -> None:
    placed = wordpress.placed()
    screen = page_of(browser, placed["redirect"])
    wordpress.look("change", placed["order_id"], total="2999.00")
    pay_in_app(browser, screen)
    order = wordpress.becomes(placed["order_id"], "on-hold")
    assert "the order has changed since" in wordpress.notes(placed["order_id"])
    assert order["completed"] == 0


def test_an_order_that_ended_unpaid_is_paid_by_another_try(
    wordpress: WordPress, browser: Browser
) -> None:
    placed = wordpress.placed()
    order_id = placed["order_id"]
    assert wordpress.look("may-cancel", order_id) is True
    screen = page_of(browser, placed["redirect"])
    declined = pay_card(browser, screen, otp="000000")
    left = browser.post(declined.url.partition("?")[0] + "/return", {})
    again = come_back(browser, left)
    assert (again.heading, "You can try again" in again.text) == ("Pay for order", True)
    assert wordpress.order(order_id)["status"] == "failed"
    result = pay_card(browser, page_of(browser, placed["redirect"]))
    assert come_back(browser, result).heading == "Order received: processing"
    assert wordpress.look("may-cancel", order_id) is False


def test_a_refund_at_the_gateway_is_in_the_shop_too(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway
) -> None:
    order_id = paid_order(wordpress, browser)
    transaction_id = wordpress.order(order_id)["transaction_id"]
    with Client(wordpress.own, Gateway(base_url=gateway.base_url)) as client:
        client.refund([RefundItem(transaction_id, 5_000)], request_id=f"else-{order_id}")

    def is_booked() -> bool:
        return [each["amount"] for each in wordpress.order(order_id)["refunds"]] == ["50.00"]

    until(is_booked, "the refund to be booked")


def test_a_subscription_is_approved_and_its_renewal_asked_for(
    wordpress: WordPress, browser: Browser
) -> None:
    plan = wordpress.look("new", total="499.00", **BILLING)["id"]
    first = wordpress.look("new", subscription=plan, **BILLING)
    wordpress.look("change", plan, parent=first["id"])
    redirect = wordpress.page("pay") + f"&order={first['id']}&key={first['key']}"
    pay_in_app(browser, page_of(browser, redirect))
    wordpress.becomes(first["id"], "processing")
    renewal = wordpress.look("new", total="499.00", renewal_of=plan, **BILLING)["id"]
    for _ in range(2):
        wordpress.look("renew", renewal)
    assert wordpress.order(renewal)["status"] == "on-hold", wordpress.notes(renewal)
    assert wordpress.notes(renewal).count("made a day later") == 1
    wordpress.look("end", plan)
    assert "the mandate is ended" in wordpress.notes(plan)
    wordpress.becomes(renewal, "failed")


def test_nothing_that_was_logged_holds_a_secret(wordpress: WordPress) -> None:
    wordpress.save({"enabled": "1", "username": "somebody-else"})
    assert wordpress.tested() not in {"", "The connection works."}
    wordpress.connect(wordpress.own, wordpress.gateway_url)
    written = wordpress.written()
    assert "A return" in written
    for secret in (wordpress.own.password, wordpress.own.api_secret, *wordpress.own.webhook_keys):
        assert secret not in written
    complaints = [line for line in written.splitlines() if "PHP " in line and "hundi" in line]
    assert complaints == []


def test_whoever_removes_the_plugin_keeps_the_books(wordpress: WordPress) -> None:
    settings, tables, job = json.loads(ran(UNINSTALL, wordpress.root, {}))
    assert (settings, job) == (False, False)
    assert tables == ["wp_hundi_events", "wp_hundi_payments", "wp_hundi_refunds"]
    assert ran(ACTIVATE, wordpress.root, {}) == ""
    wordpress.connect(wordpress.own, wordpress.gateway_url)
    assert wordpress.tested() == "The connection works."
