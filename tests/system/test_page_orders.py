"""One order is one payment at the page, however often it is sent."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.system.browser import Browser, read_screen
from tests.system.envelopes import Sender, order
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_page_refusals import assert_refused, assert_tells, payments_of, start

pytestmark = pytest.mark.usefixtures("books_hold")


def test_a_duplicate_order_reopens_and_another_content_is_refused(
    sender: Sender, shop: Shop
) -> None:
    order_id = new_order_id()
    first = start(sender, shop.merchant, order(order_id))
    again = start(sender, shop.merchant, order(order_id))
    assert first.status_code == again.status_code == 303
    assert first.headers["location"] == again.headers["location"]
    assert payments_of(shop, order_id) == 1
    assert len(shop.attempts(order_id)) == 1
    for change in (
        {"amount": "1499.51"},
        {"buyer_email": "b@example.in"},
        {"customvar": "x"},
        {"chmod": "upi"},
    ):
        screen = assert_refused(
            start(sender, shop.merchant, order(order_id, **change)), "111", shop
        )
        assert_tells(shop, screen, "orderid", order_id, "already used with other content")
    assert (payments_of(shop, order_id), shop.payment(order_id)["amount_paise"]) == (1, 149_950)
    # Spelled otherwise it is still the same content: a phone with marks, an amount without its
    # zero.
    same = order(order_id, "1499.5", buyer_phone="98765-43210")
    assert start(sender, shop.merchant, same).headers["location"] == first.headers["location"]


def test_a_paid_order_is_112_and_stays_as_it_is(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = browser.get(
        sender.base_url + start(sender, shop.merchant, order(order_id)).headers["location"]
    )
    assert scan(shop.gateway, screen.upi_link)["status"] == "success"
    shop.becomes(order_id, 200)
    before = shop.payment(order_id)
    refused = assert_refused(start(sender, shop.merchant, order(order_id)), "112", shop)
    assert_tells(shop, refused, "orderid", order_id, "This order is already paid")
    assert shop.payment(order_id) == before


def test_two_requests_at_once_for_one_order_open_one_payment(sender: Sender, shop: Shop) -> None:
    order_id = new_order_id()
    sender.token(shop.merchant)
    with ThreadPoolExecutor(12) as crowd:
        answers = list(
            crowd.map(lambda _: start(sender, shop.merchant, order(order_id)), range(12))
        )
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert (payments_of(shop, order_id), len(shop.attempts(order_id)), shop.events(order_id)) == (
        1,
        1,
        ["created"],
    )


def test_of_two_contents_at_once_for_one_order_one_wins_whole(sender: Sender, shop: Shop) -> None:
    order_id = new_order_id()
    sender.token(shop.merchant)
    asked = [order(order_id, f"{paise}.00") for paise in (10, 20) * 6]
    with ThreadPoolExecutor(12) as crowd:
        answers = list(crowd.map(lambda each: start(sender, shop.merchant, each), asked))
    won = {
        each["amount"]
        for each, answer in zip(asked, answers, strict=True)
        if answer.status_code == 303
    }
    assert len(won) == 1
    assert shop.payment(order_id)["amount_paise"] == float(won.pop()) * 100
    assert {read_screen(answer).codes[0] for answer in answers if answer.status_code != 303} == {
        "111"
    }
