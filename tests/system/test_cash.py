"""Vouchers that are paid in cash at a counter, through the running gateway and both books."""

import json
import re
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    VISA,
    NotStartedError,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)
from tests.system.test_bank_callbacks import PATH, signature

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def kiosk(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that takes cash and cards."""
    yield from open_shop(gateway, server, "kiosk", channels="cash_pg")


def counter_of(browser: Browser, screen: Screen) -> Screen:
    """Ask for the voucher of an order; return the counter's form, filled with it."""
    shown = browser.submit(screen.form("/voucher"))
    assert "Show this at the counter and pay ₹1,499.50 in cash." in shown.text
    return browser.get(shown.link("/counter?"))


def pay(browser: Browser, form: Screen, **changes: str) -> Screen:
    return browser.submit(form.forms[0], **({"counter": "asha"} | changes))


def paid(screen: Screen) -> str:
    """Return the receipt of cash that a counter took."""
    assert "Cash taken" in screen.text
    found = re.search(r"Receipt (CR[0-9]{14})\.", screen.text)
    assert found
    return found[1]


def booked(shop: Shop, receipt: str) -> list[tuple[str, int, str]]:
    """Return (kind, paise, state) of what the network's books have about a receipt."""
    entries = shop.gateway.bank_entries()
    return sorted(
        (each["kind"], each["amount_paise"], each["state"])
        for each in entries
        if each["reference"] == receipt
    )


def test_cash_pays_the_order_when_the_counter_tells_of_it(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    taken = pay(browser, counter_of(browser, kiosk.open_page(browser, order_id)))
    receipt = paid(taken)
    assert "₹1,499.50 for The kiosk." in taken.text
    waits = kiosk.verify(order_id)
    assert (waits.status_code, waits.payment_status) == (211, "INCOMPLETE")
    assert kiosk.postings(order_id) == []
    told = kiosk.becomes(order_id, 200)
    assert (told.payment_status, told.channel, told.rrn) == ("SUCCESS", "cash", receipt)
    assert kiosk.hears_event(order_id, "paid").transaction == told
    assert kiosk.postings(order_id) == PAID_POSTING
    assert booked(kiosk, receipt) == [("debit", AMOUNT_PAISE, "done")]


def test_cash_that_nobody_tells_of_is_found_by_asking(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    receipt = paid(
        pay(browser, counter_of(browser, kiosk.open_page(browser, order_id)), counter="post")
    )
    assert kiosk.becomes(order_id, 200).rrn == receipt
    assert kiosk.postings(order_id) == PAID_POSTING


def test_a_counter_refuses_a_second_payment_and_another_amount(
    kiosk: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    form = counter_of(browser, kiosk.open_page(browser, order_id))
    wrong = pay(browser, form, amount="1499.00")
    assert (wrong.status, "exactly ₹1,499.50" in wrong.text) == (422, True)
    receipt = paid(pay(browser, form))
    again = pay(browser, form)
    assert (again.status, "paid already. Take no cash." in again.text) == (409, True)
    kiosk.becomes(order_id, 200)
    assert booked(kiosk, receipt) == [("debit", AMOUNT_PAISE, "done")]


def test_eight_callbacks_at_once_pay_a_voucher_once(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    receipt = paid(
        pay(browser, counter_of(browser, kiosk.open_page(browser, order_id)), counter="post")
    )
    until(
        lambda: booked(kiosk, receipt) == [("debit", AMOUNT_PAISE, "done")],
        "the head office to know",
    )
    (attempt,) = kiosk.attempts(order_id)
    word = {
        "event_id": f"evt_{order_id}",
        "reference": f"{attempt['merchant_id']}-{attempt['attempt_id']}",
        "kind": "transfer",
        "status": "paid",
        "rrn": receipt,
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
    }
    body = json.dumps(word).encode()
    headers = {
        "content-type": "application/json",
        "simbank-signature": signature(kiosk.gateway.acquirer_key, body, time.time()),
    }
    asked = {"url": kiosk.gateway.base_url + PATH, "content": body, "headers": headers}
    threads = [threading.Thread(target=httpx.post, kwargs=asked) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert kiosk.becomes(order_id, 200).rrn == receipt
    assert [each["state"] for each in kiosk.attempts(order_id)] == ["paid"]
    assert kiosk.postings(order_id) == PAID_POSTING
    assert kiosk.events(order_id).count("paid") == 1


@pytest.mark.parametrize(
    ("mobile", "state"), [("9876543210", "refund_done"), ("9000000057", "refund_failed")]
)
def test_a_refund_goes_to_the_bank_account_behind_the_mobile_number(
    kiosk: Shop, browser: Browser, mobile: str, state: str
) -> None:
    order_id = new_order_id()
    paid(pay(browser, counter_of(browser, kiosk.open_page(browser, order_id)), mobile=mobile))
    told = kiosk.becomes(order_id, 200)
    item = RefundItem(transaction_id=told.transaction_id, amount_paise=AMOUNT_PAISE)
    kiosk.client.refund([item], request_id=order_id)
    until(lambda: state in kiosk.events(order_id), f"{state} of {order_id}")


def test_a_voucher_that_is_paid_after_a_card_goes_back(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = kiosk.open_page(browser, order_id)
    form = counter_of(browser, screen)
    by_card = browser.submit(browser.get(screen.url).form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, by_card)).at == "result"
    receipt = paid(pay(browser, form))
    kiosk.hears_event(order_id, "excess_refunded")
    assert booked(kiosk, receipt) == [
        ("debit", AMOUNT_PAISE, "done"),
        ("refund", AMOUNT_PAISE, "done"),
    ]
    assert kiosk.verify(order_id).channel == "pg"


def test_a_voucher_of_an_order_that_a_card_paid_is_withdrawn(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = kiosk.open_page(browser, order_id)
    form = counter_of(browser, screen)
    by_card = browser.submit(browser.get(screen.url).form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, by_card)).at == "result"
    until(lambda: kiosk.attempts(order_id)[0]["state"] == "expired", "the voucher to be withdrawn")
    refused = pay(browser, form)
    assert (refused.status, "was withdrawn. Take no cash." in refused.text) == (409, True)
    assert (kiosk.verify(order_id).status_code, kiosk.postings(order_id)) == (200, PAID_POSTING)


def test_eight_presses_at_once_get_one_voucher(kiosk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = kiosk.open_page(browser, order_id)
    url = screen.url.partition("?")[0] + "/voucher"
    threads = [
        threading.Thread(target=httpx.post, args=(url,), kwargs={"data": {"x": "y"}})
        for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    (attempt,) = kiosk.attempts(order_id)
    assert len(attempt["voucher"]) == 14
    assert (
        kiosk.events(order_id).count("attempt_started"),
        kiosk.events(order_id).count("voucher_issued"),
    ) == (1, 1)


def test_a_network_that_does_not_answer_issues_the_same_voucher_later(
    kiosk: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = kiosk.open_page(browser, order_id)
    kiosk.gateway.inject_faults(lose_reply=1.0)
    try:
        silent = browser.submit(screen.form("/voucher"))
        assert "No voucher was issued. Ask for it again." in silent.text
    finally:
        kiosk.gateway.inject_faults()
    shown = until(lambda: _issued(browser, browser.get(screen.url)), "a voucher")
    assert len(kiosk.attempts(order_id)) == 1
    number = kiosk.attempts(order_id)[0]["voucher"]
    assert " ".join(re.findall(r"[0-9]{1,4}", number)) in shown.text
    assert kiosk.events(order_id).count("voucher_issued") == 1


def _issued(browser: Browser, screen: Screen) -> Screen | None:
    shown = browser.submit(screen.form("/voucher"))
    return shown if "Voucher number" in shown.text else None


def test_the_code_of_a_voucher_is_drawn_for_its_own_session_only(
    kiosk: Shop, browser: Browser
) -> None:
    screen = kiosk.open_page(browser, new_order_id())
    shown = browser.submit(screen.form("/voucher"))
    picture = re.search(r'src="([^"]+/qr/v[0-9]+\.svg)"', shown.html)
    assert picture
    drawn = browser.get(kiosk.gateway.base_url + picture[1])
    assert (drawn.status, "<svg" in drawn.html) == (200, True)
    other = kiosk.open_page(browser, new_order_id())
    foreign = other.url.partition("?")[0] + "/qr/" + picture[1].rpartition("/")[2]
    assert browser.get(foreign).status == 404
    assert browser.get(kiosk.gateway.base_url + picture[1].replace("/qr/v", "/qr/")).status == 404


def test_an_order_above_the_ceiling_is_not_offered_a_voucher(kiosk: Shop, browser: Browser) -> None:
    assert "/voucher" not in kiosk.open_page(browser, new_order_id(), 50_000_01).text
    with pytest.raises(NotStartedError, match="113"):
        kiosk.open_page(browser, new_order_id(), 50_000_01, channels=("cash",))
    assert kiosk.open_page(browser, new_order_id(), 50_000_00, channels=("cash",)).form("/voucher")
