"""WooCommerce's plugin on hard days: everything at once, lost answers, no news, a slow bank."""

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from hundi.sdk import Client, Gateway
from tests.shops.buying import page_of, paid_order
from tests.shops.lossy_line import LossyLine
from tests.shops.programs import ran
from tests.shops.wordpress import WordPress
from tests.system.browser import Browser, Form
from tests.system.running import RunningGateway
from tests.system.shop import AMOUNT_PAISE, pay_card, pay_in_app
from tests.system.waiting import until
from tools.shop_packages import SHOPS

AT_ONCE = 8
AGED = """
require 'wp-load.php';
$GLOBALS['wpdb']->query('UPDATE wp_hundi_payments SET begun_at = begun_at - 900');
"""
BROWSER = """
const taken = [];
globalThis.window = { wc: {
    wcBlocksRegistry: { registerPaymentMethod: (each) => taken.push(each) },
    wcSettings: {
        getPaymentMethodData: () => ({ title: 'UPI &amp; cards', supports: ['refunds'] }),
    },
}, wp: { element: { createElement: (kind, given) => ({ kind, given }) },
    htmlEntities: { decodeEntities: (text) => text.replace('&amp;', '&') } } };
require(process.argv[1]);
const [{ name, ariaLabel, supports, canMakePayment }] = taken;
console.log(name, ariaLabel, supports.features.join(), canMakePayment());
"""


@pytest.fixture
def line(wordpress: WordPress, gateway: RunningGateway) -> Iterator[LossyLine]:
    """The line by which the shop calls the gateway; customers go another way."""
    with LossyLine(gateway.base_url) as running:
        wordpress.connect(wordpress.own, running.url, page_url=gateway.base_url)
        yield running
        wordpress.connect(wordpress.own, gateway.base_url)


def refunded_paise(wordpress: WordPress, gateway: RunningGateway, order_id: int) -> int:
    """Return how much of an order the gateway gave back."""
    with Client(wordpress.own, Gateway(base_url=gateway.base_url)) as client:
        told = client.verify(order_id=f"WC-{order_id}-1", amount_paise=AMOUNT_PAISE)
    return told.refunded_paise


@contextmanager
def unheard(wordpress: WordPress, gateway: RunningGateway, event: str) -> Iterator[None]:
    """Let the shop's server not hear of an event for a while."""
    merchant_id = wordpress.own.merchant_id
    gateway.operate("merchant", "events", merchant_id, "--withhold", event)
    try:
        yield
    finally:
        gateway.operate("merchant", "events", merchant_id, "--tell", event)


def test_returns_at_once_release_the_goods_once(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway
) -> None:
    placed = wordpress.placed()

    def back(form: Form) -> int:
        return wordpress.customer.post(form.action, data=form.fields).status_code

    with unheard(wordpress, gateway, "paid"):
        result = pay_card(browser, page_of(browser, placed["redirect"]))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            assert set(pool.map(back, result.forms * AT_ONCE)) == {303}
    order = wordpress.order(placed["order_id"])
    assert (order["status"], order["completed"]) == ("processing", 1)


def test_a_refund_whose_answer_is_lost_is_booked_by_its_notification(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway, line: LossyLine
) -> None:
    order_id = paid_order(wordpress, browser)
    line.loses = "/refund/"
    assert wordpress.refunded(order_id, "100.00")["success"] is False
    assert line.lost == 3

    def is_booked() -> bool:
        return [each["amount"] for each in wordpress.order(order_id)["refunds"]] == ["100.00"]

    until(is_booked, "the refund to be booked")
    assert refunded_paise(wordpress, gateway, order_id) == 10_000


def test_a_click_that_is_repeated_after_no_answer_refunds_once(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway, line: LossyLine
) -> None:
    order_id = paid_order(wordpress, browser)
    with unheard(wordpress, gateway, "refund_done"):
        line.loses = "/refund/"
        assert wordpress.refunded(order_id, "100.00")["success"] is False
        line.loses = ""
        assert wordpress.refunded(order_id, "100.00") == {"success": True}
        until(lambda: refunded_paise(wordpress, gateway, order_id) == 10_000, "the refund's end")
    assert [each["amount"] for each in wordpress.order(order_id)["refunds"]] == ["100.00"]


def test_the_job_asks_about_what_was_never_told(
    wordpress: WordPress, browser: Browser, gateway: RunningGateway
) -> None:
    placed = wordpress.placed()
    order_id = placed["order_id"]

    def is_asked() -> bool:
        wordpress.look("job")
        return wordpress.order(order_id)["status"] == "processing"

    with unheard(wordpress, gateway, "paid"):
        pay_in_app(browser, page_of(browser, placed["redirect"]))
        assert is_asked() is False  # it is too young to be asked about
        ran(AGED, wordpress.root, {})
        until(is_asked, "the order to be paid", every_s=0.5)


def test_a_slow_bank_leaves_the_order_on_hold_until_it_answers(
    wordpress: WordPress, browser: Browser
) -> None:
    placed = wordpress.placed()
    order_id = placed["order_id"]
    pay_in_app(browser, page_of(browser, placed["redirect"]), payer_vpa="pending@hundi")
    wordpress.look("ask", order_id)
    assert wordpress.order(order_id)["status"] == "on-hold"
    assert wordpress.look("may-cancel", order_id) is False
    assert wordpress.becomes(order_id, "processing")["completed"] == 1


def test_the_script_of_the_blocks_registers_the_method() -> None:
    node = shutil.which("node")
    assert node is not None
    script = str(SHOPS / "woocommerce" / "assets" / "blocks.js")
    done = subprocess.run(
        [node, "-e", BROWSER, script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "hundi UPI & cards refunds true"
