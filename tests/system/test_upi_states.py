"""Every outcome a UPI customer can meet, seen from all sides.

Page, verify, notification, ledger and the bank's own books.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from tests.system.browser import PHONE, Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    PAID_POSTING,
    Shop,
    new_order_id,
    pay_in_app,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")


def status_of(browser: Browser, screen: Screen) -> dict[str, object]:
    """Return what the page's own polling is told."""
    return browser.http.get(screen.url + "/status").raise_for_status().json()


def assert_paid_everywhere(
    shop: Shop, order_id: str, payer_vpa: str, browser: Browser, screen: Screen
) -> None:
    """A paid order is paid in every place where anybody can look."""
    told = shop.verify(order_id)
    assert (told.status_code, told.payment_status, told.transaction_type, told.channel) == (
        200,
        "SUCCESS",
        320,
        "upi",
    )
    assert (told.amount_paise, told.currency_code, told.customer_vpa) == (
        AMOUNT_PAISE,
        "356",
        payer_vpa,
    )
    assert (told.message, told.card_number, told.is_paid, told.is_final) == (
        "Success",
        "",
        True,
        True,
    )
    assert shop.hears_event(order_id, "paid").transaction == told
    back = shop.come_back(browser.get(screen.url), order_id)
    assert back.transaction == told
    assert shop.postings(order_id) == PAID_POSTING
    assert shop.bank_debits(order_id)[-1] == (AMOUNT_PAISE, "done")
    entry = next(each for each in shop.gateway.bank_entries() if each["rrn"] == told.rrn)
    assert (entry["kind"], entry["method"], entry["state"]) == ("debit", "upi", "done")
    assert shop.payment(order_id)["captured_paise"] == AMOUNT_PAISE


def test_success_is_shown_told_posted_and_returned(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    stands = status_of(browser, screen)
    assert 0 < stands.pop("left_s") <= 900
    assert stands.pop("until").endswith(" IST")
    assert (screen.at, stands) == (
        "choose",
        {"screen": "choose", "state": "open", "done": False, "revision": 1},
    )
    opened = shop.verify(order_id)
    assert (opened.status_code, opened.payment_status, opened.channel, opened.rrn) == (
        211,
        "INCOMPLETE",
        "",
        "",
    )
    receipt = pay_in_app(browser, screen)
    assert "₹1,499.50" in receipt.text
    # A person waiting on the page sees the outcome at once: the bank's word was written before its
    # callback was answered.
    until(lambda: status_of(browser, screen)["done"], "the page to see it")
    after = browser.get(screen.url)
    assert after.at == "result"
    assert "₹1,499.50" in after.text
    assert (form := after.forms[0]).action.endswith("/shop/paid")
    assert form.fields["merchant_id"] == shop.merchant.merchant_id
    assert_paid_everywhere(shop, order_id, "success@hundi", browser, screen)
    assert shop.events(order_id) == ["created", "paid"]
    assert len(shop.endpoint.about(shop.merchant, order_id)) == 1


def test_the_return_carries_what_every_kit_reads(shop: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id, custom_var="mine")
    scan(shop.gateway, screen.upi_link)
    shop.becomes(order_id, 200)
    (form,) = browser.get(screen.url).forms
    kit = [
        "TRANSACTIONID",
        "APTRANSACTIONID",
        "AMOUNT",
        "TRANSACTIONSTATUS",
        "MESSAGE",
        "CHMOD",
        "CUSTOMVAR",
        "CUSTOMER",
        "CUSTOMEREMAIL",
        "CUSTOMERVPA",
        "TRANSACTIONTIME",
        "BANKRESPONSEMSG",
        "ap_SecureHash",
    ]
    signed = ["webhook_id", "webhook_timestamp", "webhook_signature"]
    assert list(form.fields) == ["merchant_id", "response", *kit, *signed]
    told = shop.come_back(browser.get(screen.url), order_id).transaction
    shown = {name: form.fields[name] for name in kit[:-1] if name != "TRANSACTIONTIME"}
    assert re.fullmatch(r"[0-9]{2}-[0-9]{2}-[0-9]{4} [0-9:]{8}", form.fields["TRANSACTIONTIME"])
    assert shown == {
        "TRANSACTIONID": order_id, "APTRANSACTIONID": told.transaction_id, "AMOUNT": "1499.50",
        "TRANSACTIONSTATUS": "200", "MESSAGE": "Success", "CHMOD": "upi", "CUSTOMVAR": "mine",
        "CUSTOMERVPA": "success@hundi", "CUSTOMER": "Asha Rao", "CUSTOMEREMAIL": "asha@example.in",
        "BANKRESPONSEMSG": "Approved",
    }  # fmt: skip
    # Loaded again, it is the same return.
    assert browser.get(screen.url).forms[0].fields["webhook_id"] == form.fields["webhook_id"]


DECLINES = {
    "decline@hundi": ("ZA", 400, "You declined the request in your UPI app."),
    "insufficient@hundi": ("Z9", 400, "There was not enough money in the account."),
    "expired@hundi": ("U69", 400, "The payment request expired before it was approved."),
    "unregistered@hundi": ("ZH", 401, "This UPI ID is not registered."),
}


@pytest.mark.parametrize("payer_vpa", DECLINES)
def test_a_decline_is_told_with_its_reason_and_the_order_can_be_paid_again(
    shop: Shop, browser: Browser, payer_vpa: str
) -> None:
    code, status, words = DECLINES[payer_vpa]
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    answer = scan(shop.gateway, screen.upi_link, payer_vpa)
    assert (answer["status"], answer["code"]) == ("declined", code)
    assert shop.declined(order_id, code).bank_message
    again = browser.get(screen.url)
    assert again.at == "choose"
    assert words in again.text
    assert "No money has left your account." in again.text
    assert (shop.postings(order_id), [state for _, state in shop.bank_debits(order_id)]) == (
        [],
        [] if status == 401 else ["declined"],
    )
    # On the same page a fresh QR: one QR is one attempt.
    renewed = browser.submit(again.form("/qr"))
    assert renewed.upi_link != screen.upi_link
    scan(shop.gateway, renewed.upi_link)
    shop.becomes(order_id, 200)
    assert_paid_everywhere(shop, order_id, "success@hundi", browser, screen)
    assert shop.attempts(order_id)[1]["state"] == "paid"
    assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)] == ["paid"]
    # Whoever goes back to the shop instead has ended the payment; an old QR that is paid after that
    # is a late success.
    given_up = new_order_id()
    screen = shop.open_page(browser, given_up)
    scan(shop.gateway, screen.upi_link, payer_vpa)
    shop.declined(given_up, code)
    told = shop.goes_back(browser, screen, given_up)
    assert (told.status_code, told.payment_status, told.bank_code, told.is_failed) == (
        status,
        "FAIL",
        code,
        True,
    )
    assert browser.get(screen.url).at == "over"


def test_pressing_decline_in_the_app_is_a_decline_whoever_pays(
    shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    assert "Declined" in pay_in_app(browser, screen, act="decline").text
    shop.declined(order_id, "ZA")
    assert shop.postings(order_id) == []


# --- outcomes that take their time: begun together, awaited one by one ---


@dataclass(frozen=True)
class Slow:
    """A payment whose outcome is still open.

    What the customer's app showed, and what verify said then.
    """

    order_id: str
    screen: Screen
    shown: dict[str, str]
    asked_at_once: tuple[int, str]


@pytest.fixture(scope="module")
def slow(shop: Shop) -> Mapping[str, Slow]:
    """One payment of each slow kind."""
    begun: dict[str, Slow] = {}
    with Browser() as browser, shop.gateway.undecided():
        for payer_vpa in ("pending@hundi", "silent@hundi", "deemed@hundi"):
            order_id = new_order_id()
            screen = shop.open_page(browser, order_id)
            shown = scan(shop.gateway, screen.upi_link, payer_vpa)
            told = shop.verify(order_id)
            begun[payer_vpa] = Slow(
                order_id, screen, shown, (told.status_code, told.payment_status)
            )
    return begun


@pytest.mark.parametrize(
    ("payer_vpa", "shown"),
    [
        ("pending@hundi", ("pending", "01")),
        ("silent@hundi", ("silent", "")),
        ("deemed@hundi", ("pending", "RB")),
    ],
)
def test_an_open_outcome_stays_211_and_ends_paid(
    slow: Mapping[str, Slow], shop: Shop, browser: Browser, payer_vpa: str, shown: tuple[str, str]
) -> None:
    """Silence never becomes failure: whatever may still become paid is 211."""
    one = slow[payer_vpa]
    assert (one.shown["status"], one.shown["code"]) == shown
    assert one.asked_at_once[0] == 211
    assert one.asked_at_once[1] in {"INPROCESS", "INCOMPLETE"}
    shop.becomes(one.order_id, 200)
    assert_paid_everywhere(shop, one.order_id, payer_vpa, browser, one.screen)
    # Nothing was ever called a failure on the way.
    assert [each.event for each in shop.endpoint.about(shop.merchant, one.order_id)] == ["paid"]
    assert not {"failed", "unknown"} & set(shop.events(one.order_id))


def test_while_the_bank_is_undecided_nothing_else_may_begin(shop: Shop, browser: Browser) -> None:
    """Whoever does not know if money moved must not offer to pay again."""
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    with shop.gateway.undecided():
        scan(shop.gateway, screen.upi_link, "pending@hundi")
        until(lambda: browser.get(screen.url).at == "waiting", "the page to wait")
        waiting = browser.get(screen.url)
        assert not waiting.offers("/card")
        assert not waiting.offers("choose=1")
        assert shop.verify(order_id).payment_status == "INPROCESS"
        for tail, typed in (
            ("/qr", {}),
            ("/card", {"number": "4111111111111111", "expiry": "12/40", "cvv": "123"}),
            ("/vpa", {"vpa": "a@hundi"}),
        ):
            for query in ("", "?choose=1"):
                assert browser.post(screen.url + tail + query, typed).at == "waiting"
        # Sent again by the shop, the same order shows the same wait and not a second chance.
        assert shop.open_page(browser, order_id).at == "waiting"
    settled(browser, screen)
    assert len(shop.attempts(order_id)) == 1
    assert shop.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


# --- collect requests ---


@pytest.fixture(scope="module")
def collector(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that may still ask for a UPI ID, where the network's rules allow it."""
    yield from open_shop(gateway, server, "collector", upi_collect="on", mcc="6211")


def test_a_collect_request_is_paid_in_the_app_it_was_sent_to(
    collector: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = collector.open_page(browser, order_id)
    sent = browser.submit(screen.form("/vpa"), vpa=" Asha@Hundi ")
    assert "asha@hundi" in sent.text or sent.at == "result"
    assert settled(browser, screen).at == "result"
    assert_paid_everywhere(collector, order_id, "asha@hundi", browser, screen)
    assert [(each["method"], each["state"]) for each in collector.attempts(order_id)][-1] == (
        "upi_collect",
        "paid",
    )


@pytest.mark.parametrize(
    ("payer_vpa", "status", "code"),
    [("decline@hundi", 400, "ZA"), ("unregistered@hundi", 401, "ZH")],
)
def test_a_collect_request_may_be_declined(
    collector: Shop, browser: Browser, payer_vpa: str, status: int, code: str
) -> None:
    order_id = new_order_id()
    screen = collector.open_page(browser, order_id)
    browser.submit(screen.form("/vpa"), vpa=payer_vpa)
    collector.declined(order_id, code)
    assert browser.get(screen.url).at == "choose"
    told = collector.goes_back(browser, screen, order_id)
    assert (told.status_code, told.payment_status) == (status, "FAIL")
    assert collector.postings(order_id) == []


@pytest.mark.parametrize(
    "typed",
    ["", "asha", "asha@", "@hundi", "a b@hundi", "asha@hundi@upi", "x" * 300 + "@upi", "आशा@upi"],
)
def test_a_malformed_upi_id_is_said_at_the_field_and_begins_nothing(
    collector: Shop, browser: Browser, typed: str
) -> None:
    order_id = new_order_id()
    screen = collector.open_page(browser, order_id)
    back = browser.submit(screen.form("/vpa"), vpa=typed)
    assert back.at == "choose"
    assert back.form("/vpa").fields["vpa"] == typed[:255]
    assert collector.events(order_id) == ["created"]


def test_where_the_rules_end_collect_the_page_neither_offers_nor_takes_it(
    shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    assert not screen.offers("/vpa")
    browser.post(screen.url + "/vpa", {"vpa": "success@hundi"})
    assert shop.events(order_id) == ["created"]


def test_a_phone_is_offered_the_app_and_a_merchant_its_own_channels(shop: Shop) -> None:
    with Browser(**{"user-agent": PHONE}) as phone:
        screen = shop.open_page(phone, new_order_id())
        link = screen.link("upi://pay")
        assert link == screen.upi_link
        assert urlsplit(screen.form("/card").action).path == f"{screen.path}/card"
        only_upi = shop.open_page(phone, new_order_id(), channels=("upi",))
        assert not only_upi.offers("/card")
        only_card = shop.open_page(phone, new_order_id(), channels=("pg",))
        assert not only_card.offers("upi://")
        assert phone.post(only_card.url + "/qr", {}).at == "choose"
