"""Bank transfers to an account number of the order, through the running gateway and both books."""

import threading
from collections.abc import Iterator
from time import sleep

import httpx
import pytest

from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    PAID_POSTING,
    VISA,
    Shop,
    enter_otp,
    new_order_id,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
AMOUNT = "1499.50"


@pytest.fixture(scope="module")
def trader(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that takes bank transfers and cards."""
    yield from open_shop(gateway, server, "trader", channels="va_pg")


def account_of(browser: Browser, screen: Screen) -> Screen:
    """Ask for the account number of an order; return the simulated bank's form, filled with it."""
    shown = browser.submit(screen.form("/account"))
    assert "Send a transfer of exactly" in shown.text
    return browser.get(shown.link("/transfers?"))


def send(browser: Browser, form: Screen, **changes: str) -> Screen:
    return browser.submit(form.forms[0], **({"mode": "IMPS"} | changes))


def sent(screen: Screen) -> str:
    """Return the UTR of a transfer that was sent."""
    assert "Transfer sent" in screen.text
    return screen.text.partition("UTR ")[2].partition(".")[0]


def booked(shop: Shop, utr: str) -> list[tuple[str, int, str]]:
    """Return (kind, paise, state) of what the bank's books have about a transfer."""
    return sorted(
        (each["kind"], each["amount_paise"], each["state"])
        for each in shop.gateway.bank_entries()
        if each["reference"] == utr
    )


@pytest.mark.parametrize("mode", ["NEFT", "IMPS"])
def test_a_transfer_of_the_amount_pays_the_order(trader: Shop, browser: Browser, mode: str) -> None:
    order_id = new_order_id()
    form = account_of(browser, trader.open_page(browser, order_id))
    assert (trader.verify(order_id).status_code, trader.verify(order_id).payment_status) == (
        211,
        "INCOMPLETE",
    )
    utr = sent(send(browser, form, mode=mode))
    told = trader.becomes(order_id, 200)
    assert (told.payment_status, told.channel, told.rrn) == ("SUCCESS", "va", utr)
    assert trader.hears_event(order_id, "paid").transaction == told
    assert trader.postings(order_id) == PAID_POSTING
    assert booked(trader, utr) == [("debit", AMOUNT_PAISE, "done")]


def test_a_large_order_is_paid_by_rtgs(trader: Shop, browser: Browser) -> None:
    order_id, paise = new_order_id(), 2_50_000_00
    form = account_of(browser, trader.open_page(browser, order_id, paise))
    utr = sent(send(browser, form, mode="RTGS"))
    assert (trader.becomes(order_id, 200, paise).rrn, len(utr)) == (utr, 22)


@pytest.mark.parametrize("amount", ["1499.49", "1499.51", "1.00"])
def test_another_amount_goes_back_and_the_right_one_still_pays(
    trader: Shop, browser: Browser, amount: str
) -> None:
    order_id = new_order_id()
    screen = trader.open_page(browser, order_id)
    form = account_of(browser, screen)
    wrong = sent(send(browser, form, amount=amount))
    paise = int(amount.replace(".", ""))
    excess = trader.hears_event(order_id, "excess_payment").transaction
    assert (excess.status_code, excess.amount_paise, excess.rrn) == (211, paise, wrong)
    trader.hears_event(order_id, "excess_refunded")
    assert booked(trader, wrong) == [("debit", paise, "done"), ("refund", paise, "done")]
    again = browser.get(screen.url)
    assert "The amount was not the amount of this order." in again.text
    assert "goes back to where it came from." in again.text
    right = sent(send(browser, form))
    assert trader.becomes(order_id, 200).rrn == right
    assert booked(trader, right) == [("debit", AMOUNT_PAISE, "done")]


def test_the_same_utr_moves_money_once_and_a_second_transfer_goes_back(
    trader: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    form = account_of(browser, trader.open_page(browser, order_id))
    utr = sent(send(browser, form))
    trader.becomes(order_id, 200)
    assert sent(send(browser, form, utr=utr)) == utr
    other = send(browser, form, utr=utr, mode="NEFT")
    assert (other.status, "this UTR belongs to another transfer" in other.text) == (409, True)
    second = sent(send(browser, form))
    trader.hears_event(order_id, "excess_refunded")
    assert booked(trader, utr) == [("debit", AMOUNT_PAISE, "done")]
    assert booked(trader, second) == [
        ("debit", AMOUNT_PAISE, "done"),
        ("refund", AMOUNT_PAISE, "done"),
    ]
    assert trader.verify(order_id).rrn == utr


def test_what_a_bank_refuses_moves_nothing(trader: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = account_of(browser, trader.open_page(browser, order_id))
    for changes, words in (
        ({"remitter": "00000000"}, "Your account is blocked."),
        ({"account": "SIMVA1"}, "There is no such account at this bank."),
        ({"mode": "RTGS"}, "RTGS carries 2,00,000.00 rupees and more."),
        ({"amount": "-1"}, "Enter an amount in rupees"),
        ({"ifsc": "HDFC0000001"}, "The IFSC of this bank is"),
        ({"utr": "x"}, "A UTR has 12 to 22"),
    ):
        refused = send(browser, form, **changes)
        assert (refused.status, words in refused.text) == (422, True)
    assert trader.verify(order_id).status_code == 211
    assert trader.postings(order_id) == []


def test_a_transfer_after_a_card_paid_goes_back(trader: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = trader.open_page(browser, order_id)
    form = account_of(browser, screen)
    paid = browser.submit(browser.get(screen.url).form("/card"), number=VISA, **CARD)
    assert settled(browser, enter_otp(browser, paid)).at == "result"
    late = sent(send(browser, form))
    trader.hears_event(order_id, "excess_refunded")
    assert booked(trader, late) == [
        ("debit", AMOUNT_PAISE, "done"),
        ("refund", AMOUNT_PAISE, "done"),
    ]
    assert trader.verify(order_id).channel == "pg"


def test_transfers_that_race_are_recorded_once_each(trader: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = account_of(browser, trader.open_page(browser, order_id)).forms[0]
    url, fields = f"{trader.gateway.simbank_url}/transfers", dict(form.fields) | {"mode": "NEFT"}
    threads = [
        threading.Thread(target=httpx.post, args=(url,), kwargs={"data": fields}) for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    trader.becomes(order_id, 200)
    until(lambda: len(trader.attempts(order_id)) == 8, "eight transfers to be recorded")
    attempts = trader.attempts(order_id)
    assert sorted(each["state"] for each in attempts) == ["overpaid"] * 7 + ["paid"]
    assert len({each["rrn"] for each in attempts}) == 8
    until(lambda: trader.events(order_id).count("refund_done") == 7, "seven refunds")


def test_a_credit_whose_news_is_lost_is_found_by_asking(trader: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = account_of(browser, trader.open_page(browser, order_id))
    # The bank's news arrives, and every question about it is lost: that is a crash between credit
    # and record.
    trader.gateway.inject_faults(lose_request=1.0)
    try:
        utr = sent(send(browser, form))
        sleep(2)
        assert (trader.verify(order_id).status_code, trader.postings(order_id)) == (211, [])
    finally:
        trader.gateway.inject_faults()
    assert trader.becomes(order_id, 200).rrn == utr
    assert trader.postings(order_id) == PAID_POSTING


def test_the_account_stays_the_same_and_the_shop_is_not_told_failed(
    trader: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = trader.open_page(browser, order_id)
    first = account_of(browser, screen)
    again = browser.get(screen.url)
    assert browser.get(again.link("/transfers?")).url == first.url
    back = browser.post(screen.url.partition("?")[0] + "/return", {})
    assert trader.come_back(back, order_id).transaction.status_code == 211
    assert len(trader.attempts(order_id)) == 1
