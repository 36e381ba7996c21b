"""Trouble on the line to the bank, races, and merchants' servers that do not behave.

Everything converges, nobody waits for anybody.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.crowd import BY_CARD, BY_UPI, Customer, assert_settled, at_once, customers
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    OTP,
    PAID_POSTING,
    Shop,
    enter_card,
    new_order_id,
    scan,
    settled,
)
from tests.system.test_bank_callbacks import reference_of, say, word

pytestmark = pytest.mark.usefixtures("books_hold")

OF_EVERY_KIND = (
    BY_UPI,
    BY_CARD,
    ("decline@hundi", "", 400),
    BY_CARD,
    ("pending@hundi", "", 200),
    BY_CARD,
    ("deemed@hundi", "", 200),
    ("", "4000000000009995", 400),
    ("silent@hundi", "", 200),
    BY_CARD,
)


def test_trouble_of_every_kind_over_sixty_payments_ends_with_books_that_hold(
    gateway: RunningGateway, shop: Shop
) -> None:
    """Lost requests, lost replies, doubled, late and reordered callbacks.

    One debit, one posting, one outcome each.
    """
    crowd = customers(shop, 60, OF_EVERY_KIND)
    gateway.inject_faults(
        seed=7,
        delay_ms=[0, 60],
        lose_request=0.15,
        lose_reply=0.15,
        duplicate_callback=0.5,
        reorder_callbacks=0.4,
    )
    try:
        at_once(crowd)
    finally:
        gateway.inject_faults()
    assert_settled(crowd)
    report = gateway.audit()
    assert report["figures"]["payments"] >= 60
    # No two questions at once about a payment ever wrote two answers.
    assert "deadlock" not in gateway.logged()


def test_callback_browser_and_verify_at_once_make_one_success(
    gateway: RunningGateway, shop: Shop, sender: Sender, browser: Browser
) -> None:
    for _ in range(4):
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        challenge = enter_card(browser, screen)
        confirmed = browser.http.post(
            challenge.forms[0].action, data={"otp": OTP, "act": "confirm"}
        )
        back = urljoin(challenge.url, confirmed.headers["location"])
        # What the bank says the moment its customer has confirmed.
        confirmation = {
            "kind": "authentication",
            "status": "authenticated",
            "trans_status": "Y",
            "method": "card",
        }
        body = json.dumps(word(reference_of(shop, order_id), **confirmation)).encode()

        def come_back(back: str = back) -> int:
            with httpx.Client(trust_env=False, timeout=30) as http:
                return http.get(back).status_code

        with ThreadPoolExecutor(12) as crowd:
            asked = [crowd.submit(come_back) for _ in range(4)]
            asked += [
                crowd.submit(lambda body=body: say(gateway, sender, body).status_code)
                for _ in range(4)
            ]
            told = [crowd.submit(shop.verify, order_id) for _ in range(4)]
            assert {each.result() for each in asked} <= {303, 204}
            assert {each.result().status_code for each in told} <= {211, 200}
        assert settled(browser, screen).at == "result"
        assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
            PAID_POSTING,
            [(AMOUNT_PAISE, "done")],
        )
        assert shop.hears_event(order_id, "paid").transaction.is_paid
        assert shop.events(order_id) == [
            "created",
            "attempt_started",
            "authenticating",
            "authenticated",
            "paid",
        ]
        assert len(shop.endpoint.about(shop.merchant, order_id)) == 1


def test_card_and_qr_paid_at_the_same_moment_is_one_success_and_one_excess_at_most(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    for _ in range(3):
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        challenge = enter_card(browser, screen)

        def confirm(url: str = challenge.forms[0].action) -> None:
            with Browser() as other:
                other.post(url, {"otp": OTP, "act": "confirm"})

        with ThreadPoolExecutor(2) as pair:
            paying = [pair.submit(confirm), pair.submit(scan, gateway, screen.upi_link)]
            [each.result() for each in paying]
        assert settled(browser, screen).at == "result"
        # Whatever the bank moved, the books have it: the order's price once, the rest as owed back.
        until(lambda: shop.payment(order_id)["state"] != "in_process", "the payment to settle")
        postings = until(
            lambda: (
                len(found := shop.postings(order_id)) == len(shop.bank_debits(order_id)) and found
            ),
            "books to agree",
        )
        kinds = sorted(kind for kind, *_ in postings)
        assert kinds in (["payment"], ["overpaid", "payment"])
        assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)].count(
            "paid"
        ) <= 1
        assert shop.verify(order_id).is_paid


def test_thirty_two_customers_of_one_merchant_do_not_block_one_another(
    gateway: RunningGateway, shop: Shop
) -> None:
    """One hot merchant: no shared row, so no deadlock and no queue.

    The figure is an order of magnitude, not a measurement.
    """
    took: list[float] = []
    crowd = customers(shop, 96, (BY_UPI,))

    def timed(each: Customer) -> None:
        began = time.monotonic()
        each.pay()
        took.append(time.monotonic() - began)

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(timed, crowd))
    assert_settled(crowd)
    assert not [each.broken for each in crowd if each.broken]
    assert max(took) < 100, f"slowest of 96: {max(took):.1f} s"
    logged = gateway.logged()
    assert "deadlock detected" not in logged
    assert "lock timeout" not in logged


# --- merchants' servers ---
