"""OpenCart's extension by its published interface: a paid order, news again, refunds, settings."""

import json

from tests.shops.opencart import OpenCart
from tests.shops.programs import ran
from tests.system.browser import Browser, Screen
from tests.system.shop import pay_card, pay_in_app
from tests.system.waiting import until

PENDING, PAID, UNPAID = 1, 2, 10


def page_of(opencart: OpenCart, browser: Browser, order_id: int) -> Screen:
    """Press the button of the checkout's last step."""
    way = browser.get(opencart.page("pay"), **opencart.session(order_id))
    assert way.status == 200, way.text
    (form,) = way.forms
    screen = browser.post(form.action, form.fields)
    assert screen.status == 200, screen.text
    return screen


def test_the_settings_keep_secrets_and_test_the_connection(opencart: OpenCart) -> None:
    screen = opencart.staff("index")
    assert opencart.own.api_secret not in screen
    assert "saved; type another one" in screen
    assert json.loads(opencart.staff("test")) == {"success": "The connection works."}
    assert "error" in json.loads(opencart.staff("save", "&guest=1"))
    methods = "/index.php?route=extension/hundi/payment/hundi.methods"
    assert opencart.http.get(methods).json()["code"] == "hundi"
    assert opencart.http.get(f"{methods}&subscription=1").json() == []


def test_a_customer_pays_once_and_staff_refund_in_parts(
    opencart: OpenCart, browser: Browser
) -> None:
    order_id = opencart.placed()
    result = pay_card(browser, page_of(opencart, browser, order_id))
    (form,) = result.forms
    for _ in range(2):
        assert browser.submit(form).text == "page checkout/success"
    assert opencart.status(order_id) == PAID
    assert sum("paid, payment" in line for line in opencart.history(order_id)) == 1

    query = f"&order_id={order_id}"
    for seen, amount in enumerate(("100", "99.50")):
        said = json.loads(opencart.staff("refund", query, amount=amount, seen=str(seen)))
        assert "is begun" in said["success"]
        again = json.loads(opencart.staff("refund", query, amount=amount, seen=str(seen)))
        assert "since this page was loaded" in again["error"], "a second click refunds nothing"
    until(
        lambda: sum("refund_done" in line for line in opencart.history(order_id)) == 2,
        "both refunds to be told",
    )
    assert json.loads(opencart.staff("refund", query, amount="1300.01"))["error"] != ""
    assert "error" in json.loads(opencart.staff("refund", f"{query}&guest=1", amount="1"))
    assert "error" in json.loads(opencart.staff("refund", query, amount="1"))
    panel = opencart.staff("order", query)
    assert '"seen":2' in panel
    assert f"OC-{order_id}-1-R2" in panel
    assert '"state":"done"' in panel


def test_the_notification_alone_is_enough(opencart: OpenCart, browser: Browser) -> None:
    order_id = opencart.placed()
    pay_in_app(browser, page_of(opencart, browser, order_id))
    opencart.becomes(order_id, PAID)


def test_a_changed_order_waits_for_a_person_and_does_not_count_as_paid(
    opencart: OpenCart, browser: Browser
) -> None:
    order_id = opencart.placed()
    screen = page_of(opencart, browser, order_id)
    opencart.asked(f"UPDATE oc_order SET total = 2999 WHERE order_id = {order_id}")
    pay_in_app(browser, screen)
    opencart.becomes(order_id, PENDING)
    until(lambda: opencart.history(order_id), "the history to say why")
    assert "the order has changed since" in opencart.history(order_id)[0]
    way = browser.get(opencart.page("pay"), **opencart.session(order_id))
    assert way.text == "page checkout/success"  # it is not paid twice


def test_what_is_forged_changes_nothing(opencart: OpenCart, browser: Browser) -> None:
    order_id = opencart.placed()
    screen = page_of(opencart, browser, order_id)
    forged = {"response": "AAAA", "webhook_signature": "v1,AAAA"}
    assert browser.post(opencart.page("back"), forged).text == "page checkout/failure"
    for field in ("response[]", "response[a][b]"):
        assert browser.post(opencart.page("back"), {field: "x"}).text == "page checkout/failure"
    assert opencart.http.post(opencart.page("notification"), json={}).status_code == 400
    assert opencart.http.get(opencart.page("ask") + "&token=guess").status_code == 403
    assert opencart.status(order_id) == 0
    declined = pay_card(browser, screen, otp="000000")
    left = browser.post(declined.url.partition("?")[0] + "/return", {})
    (form,) = left.forms
    assert browser.submit(form).text == "page checkout/failure"
    assert opencart.status(order_id) == UNPAID


NOTE = """
require getenv('EXTENSION') . '/system/library/opencart/load.php';
$shop = new class () {
    public function addHistory(int $order, int $status, string $text, bool $isTold): void
    {
        echo $text;
    }
};
$registry = new class ($shop) {
    public function __construct(private object $shop)
    {
    }

    public function get(string $name): mixed
    {
        return $name === 'model_checkout_order' ? $this->shop : null;
    }
};
$row = ['order_id' => 1, 'order_status_id' => 1];
(new Hundi\\OpenCart\\Order($row, $registry))->note('<img src=x onerror="alert(1)">');
"""


def test_what_a_bank_says_is_no_markup_in_an_orders_history(opencart: OpenCart) -> None:
    extension = str(opencart.root / "extension" / "hundi")
    said = ran(NOTE, opencart.root, {"EXTENSION": extension})
    assert said == "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"


def test_whoever_removes_the_extension_keeps_the_books(opencart: OpenCart) -> None:
    opencart.staff("uninstall")
    assert opencart.asked("SELECT * FROM oc_setting") == []
    assert opencart.asked("SELECT count(*) AS n FROM oc_hundi_payments") != [{"n": "0"}]
    log = opencart.root / "error.log"
    assert "A return" in log.read_text()
    assert opencart.own.api_secret not in log.read_text()
