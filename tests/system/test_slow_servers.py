"""Merchants' servers that are slow, dead or moved lose no news and delay nobody."""

import statistics
import time
from collections.abc import Iterator

import pytest

from hundi.sdk import RefundItem
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.crowd import BY_UPI, at_once, customers
from tests.system.endpoint import Answer, MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    Shop,
    new_order_id,
    scan,
)

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture
def slow_shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose server takes requests and never answers."""
    for shop in open_shop(gateway, server, f"slow-{new_order_id()}"):
        shop.endpoint.choose = lambda _: Answer(hang=True)
        yield shop
        shop.endpoint.choose = lambda _: Answer()
        shop.endpoint.let_go.set()


@pytest.fixture
def dead_shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose server is not there."""
    for shop in open_shop(gateway, server, f"dead-{new_order_id()}"):
        gateway.operate(
            "merchant",
            "set",
            shop.merchant.merchant_id,
            "--notification-url",
            "http://127.0.0.1:1/nobody",
        )
        yield shop


def test_slow_and_dead_servers_of_others_delay_nobody(
    gateway: RunningGateway, shop: Shop, slow_shop: Shop, dead_shop: Shop
) -> None:
    for troubled in (slow_shop, dead_shop):
        at_once(customers(troubled, 20, (BY_UPI,)))
    waits: list[float] = []
    with Browser() as browser:
        for _ in range(10):
            order_id = new_order_id()
            screen = shop.open_page(browser, order_id)
            began = time.monotonic()
            scan(gateway, screen.upi_link)
            shop.hears_event(order_id, "paid")
            waits.append(time.monotonic() - began)
    # A try at the slow server lasts ten seconds and forty are due there: in one queue, ours would
    # wait for minutes.
    assert statistics.median(waits) < 30, waits
    assert len(slow_shop.endpoint.heard) < 20, "every place is one merchant's"
    waiting = gateway.operate(
        "delivery", "list", dead_shop.merchant.merchant_id, "--state", "waiting"
    )
    assert waiting
    assert all("no answer" in each["last_problem"] for each in waiting if each["tries"])


def test_a_server_that_fails_is_tried_again_and_every_try_is_kept(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "moody"):
        shop.endpoint.choose = lambda _: Answer(500, body=b"out of order\0" + b"x" * 5000)
        order_id = new_order_id()
        scan(gateway, shop.open_page(browser, order_id).upi_link)
        (failed,) = shop.endpoint.hears(shop.merchant, order_id)
        listed = until(
            lambda: gateway.operate(
                "delivery", "list", shop.merchant.merchant_id, "--state", "waiting"
            ),
            "the try to be kept",
        )
        (row,) = listed
        assert (row["webhook_id"], row["event"], row["state"], row["tries"]) == (
            failed.webhook_id,
            "paid",
            "waiting",
            1,
        )
        assert (row["last_status"], row["last_problem"]) == (500, "answered 500")
        (tried,) = gateway.operate("delivery", "show", row["webhook_id"])
        assert (tried["try"], tried["status"], tried["url"]) == (1, 500, shop.endpoint.url)
        assert tried["answer"].startswith("out of order")
        assert len(tried["answer"].encode()) <= 2_100
        # The operator sends it again; the same message under the same id, now taken.
        shop.endpoint.choose = lambda _: Answer()
        assert gateway.operate("delivery", "replay", row["webhook_id"]) == {"replayed": 1}
        again = shop.endpoint.hears(shop.merchant, order_id, 2)
        assert {each.webhook_id for each in again} == {failed.webhook_id}
        assert again[1].transaction == again[0].transaction
        until(
            lambda: gateway.operate(
                "delivery", "list", shop.merchant.merchant_id, "--state", "delivered"
            ),
            "it to be delivered",
        )
        assert [
            each["status"] for each in gateway.operate("delivery", "show", row["webhook_id"])
        ] == [500, 200]


def test_a_redirect_is_not_followed(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    inside = server.endpoint("inside-the-wall")
    for shop in open_shop(gateway, server, "redirecting"):
        shop.endpoint.choose = lambda _: Answer(307, headers={"location": inside.url})
        order_id = new_order_id()
        scan(gateway, shop.open_page(browser, order_id).upi_link)
        shop.endpoint.hears(shop.merchant, order_id)
        (row,) = until(
            lambda: gateway.operate("delivery", "list", shop.merchant.merchant_id), "the try"
        )
        until(lambda: gateway.operate("delivery", "show", row["webhook_id"]), "the try to be kept")
        assert gateway.operate("delivery", "show", row["webhook_id"])[0]["status"] == 307
        assert inside.heard == []


def test_without_an_address_nothing_is_lost_and_all_is_sent_once_there_is_one(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "late-opener"):
        gateway.operate("merchant", "set", shop.merchant.merchant_id, "--notification-url", "")
        orders = [new_order_id() for _ in range(3)]
        for order_id in orders:
            scan(gateway, shop.open_page(browser, order_id).upi_link)
        listed = ["delivery", "list", shop.merchant.merchant_id, "--state", "no_endpoint"]
        until(lambda: len(gateway.operate(*listed)) == 3, "three without an address")
        assert gateway.audit()["notes"]["deliveries_without_endpoint"] >= 3
        gateway.operate(
            "merchant", "set", shop.merchant.merchant_id, "--notification-url", shop.endpoint.url
        )
        replay = [
            "delivery",
            "replay",
            "--merchant",
            shop.merchant.merchant_id,
            "--state",
            "no_endpoint",
        ]
        assert gateway.operate(*replay) == {"replayed": 3}
        for order_id in orders:
            assert shop.endpoint.hears(shop.merchant, order_id)[0].transaction.is_paid


def test_events_of_one_payment_arrive_in_their_order(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    """The first is refused twice; the second, which leaves it true, must wait for it."""
    for shop in open_shop(gateway, server, "orderly"):
        order_id = new_order_id()
        shop.endpoint.choose = lambda _: Answer(503)
        scan(gateway, shop.open_page(browser, order_id).upi_link)
        (paid,) = shop.endpoint.hears(shop.merchant, order_id)
        part = RefundItem(paid.transaction.transaction_id, 10_000)
        assert shop.client.refund([part], request_id=order_id)[0].accepted
        until(lambda: "refund_done" in shop.events(order_id), "the refund")
        time.sleep(2)
        assert {each.event for each in shop.endpoint.about(shop.merchant, order_id)} == {"paid"}
        shop.endpoint.choose = lambda _: Answer()
        until(
            lambda: gateway.operate(
                "delivery", "list", shop.merchant.merchant_id, "--state", "waiting"
            ),
            "the try to be kept",
        )
        gateway.operate("delivery", "replay", paid.webhook_id)
        shop.hears_event(order_id, "refund_done")
        assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)][-2:] == [
            "paid",
            "refund_done",
        ]


def test_news_that_makes_older_news_untrue_does_not_wait_for_it(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    """A shop that did not take `failed` hears `paid` at once, and `failed` never again."""
    for shop in open_shop(gateway, server, "overtaking"):
        order_id = new_order_id()
        shop.endpoint.choose = lambda _: Answer(503)
        screen = shop.open_page(browser, order_id)
        scan(gateway, screen.upi_link, "decline@hundi")
        shop.declined(order_id, "ZA")
        shop.goes_back(browser, screen, order_id)
        (failed,) = shop.endpoint.hears(shop.merchant, order_id)
        listed = ["delivery", "list", shop.merchant.merchant_id, "--state"]
        until(lambda: gateway.operate(*listed, "waiting"), "the try to be kept")
        shop.endpoint.choose = lambda _: Answer()
        again = shop.open_page(browser, order_id)
        scan(
            gateway,
            browser.submit(again.form("/qr")).upi_link if again.offers("/qr") else again.upi_link,
        )
        shop.hears_event(order_id, "paid")
        (overtaken,) = until(lambda: gateway.operate(*listed, "superseded"), "it to be overtaken")
        assert overtaken["webhook_id"] == failed.webhook_id
        assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)] == [
            "failed",
            "paid",
        ]
        assert gateway.invoke("delivery", "replay", failed.webhook_id, "--json").exit_code == 2


def test_a_redirect_delivers_where_the_merchant_says_so(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    """Some shop systems answer 302 after they have booked the order."""
    inside = server.endpoint("behind-the-shop")
    for shop in open_shop(gateway, server, "wordy"):
        settings = gateway.operate(
            "merchant", "set", shop.merchant.merchant_id, "--client", "woocommerce"
        )
        assert (settings["notification_form"], settings["redirect_delivers"]) == ("form", True)
        shop.endpoint.choose = lambda _: Answer(302, headers={"location": inside.url})
        order_id = new_order_id()
        scan(gateway, shop.open_page(browser, order_id).upi_link)
        (told,) = shop.endpoint.hears(shop.merchant, order_id)
        listed = ["delivery", "list", shop.merchant.merchant_id, "--state", "delivered"]
        until(lambda: gateway.operate(*listed), "the delivery")
        (tried,) = gateway.operate("delivery", "show", told.webhook_id)
        assert (tried["status"], tried["delivered"], tried["problem"]) == (302, "by a redirect", "")
        assert inside.heard == []


def test_a_rotated_webhook_key_signs_beside_the_old_one(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "rotating"):
        changed = gateway.operate(
            "merchant", "set", shop.merchant.merchant_id, "--rotate-webhook-key"
        )
        fresh, old = changed["webhook_keys"]
        assert old == shop.merchant.webhook_key != fresh
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        scan(gateway, screen.upi_link)
        # The shop still holds the old key and believes; two signatures travel.
        assert shop.endpoint.hears(shop.merchant, order_id)[0].transaction.is_paid
        assert len(shop.endpoint.heard[0].headers["webhook-signature"].split()) == 2
        assert shop.come_back(browser.get(screen.url), order_id).transaction.is_paid
