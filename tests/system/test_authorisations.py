"""Authorise, capture, void and MOTO through the running gateway.

What the merchant, both books and the page say.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hundi.payments.orders.actions import FOLLOWED_CHANNEL
from hundi.sdk import RefundItem, Transaction
from tests.bent import moved
from tests.system.browser import Browser
from tests.system.conftest import NewMerchant, open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Reply, Sender, order
from tests.system.running import RunningGateway
from tests.system.shop import (
    AMOUNT_PAISE,
    CARD,
    VISA,
    NotStartedError,
    Shop,
    new_order_id,
    pay_card,
    scan,
)
from tests.system.test_refunds import batch

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def desk(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop that takes cards by telephone."""
    yield from open_shop(gateway, server, "desk", moto="on")


def authorised(shop: Shop, browser: Browser) -> tuple[str, Transaction]:
    """Return an order whose amount the card's bank holds."""
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id, authorise_only=True)
    assert not screen.offers("/upi/app"), "UPI cannot hold an amount"
    after = pay_card(browser, screen)
    assert after.at == "result"
    assert shop.come_back(after, order_id).transaction.payment_status == "AUTHORIZE"
    told = shop.verify(order_id)
    assert (told.status_code, told.payment_status, told.transaction_type) == (200, "AUTHORIZE", 310)
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == ([], [(AMOUNT_PAISE, "done")])
    assert shop.hears_event(order_id, "authorised").transaction == told
    return order_id, told


@pytest.mark.parametrize("paise", [None, 100_000])
def test_what_was_authorised_is_captured_told_and_posted(
    gateway: RunningGateway, shop: Shop, browser: Browser, paise: int | None
) -> None:
    order_id, held = authorised(shop, browser)
    captured = paise or AMOUNT_PAISE
    told = shop.client.capture(held.transaction_id, amount_paise=paise)
    assert (told.status_code, told.payment_status, told.transaction_type) == (200, "CAPTURE", 330)
    assert (told.amount_paise, told.captured_paise) == (AMOUNT_PAISE, captured)
    assert shop.verify(order_id) == told
    assert shop.hears_event(order_id, "captured").transaction == told
    assert shop.postings(order_id) == [("capture", "receivable:sandbox", "payable", captured)]
    assert shop.bank_endings(order_id) == [("capture", captured)]


def test_what_was_authorised_is_given_back(shop: Shop, browser: Browser) -> None:
    order_id, held = authorised(shop, browser)
    told = shop.client.void(held.transaction_id)
    assert (told.status_code, told.payment_status, told.transaction_type) == (400, "VOIDED", 420)
    assert shop.verify(order_id) == told
    assert shop.hears_event(order_id, "voided").transaction == told
    assert (shop.postings(order_id), shop.bank_endings(order_id)) == ([], [("void", AMOUNT_PAISE)])


def refused(reply: Reply) -> tuple[str, str]:
    """Return code and words of a refusal, whose data is an empty array."""
    assert (reply.envelope["status"], reply.envelope["status_code"], reply.data) == (
        "fail",
        "400",
        [],
    )
    return reply.code, reply.envelope["message"]


def test_what_cannot_be_captured_or_voided_is_refused_with_the_reason(
    gateway: RunningGateway, sender: Sender, shop: Shop, rival: Shop, browser: Browser
) -> None:
    order_id, held = authorised(shop, browser)
    named = {"ap_transactionid": held.transaction_id}
    code, words = refused(sender.ask("capture", shop.merchant, named | {"amount": "1499.51"}))
    assert (code, "₹1,499.51" in words) == ("121", True)
    for who, asked, wanted in (
        (rival.merchant, named, "503"),
        (shop.merchant, {"ap_transactionid": "1"}, "503"),
        (shop.merchant, {"ap_transactionid": "9" * 20}, "503"),
        (shop.merchant, {"ap_transactionid": "x"}, "110"),
        (shop.merchant, {}, "110"),
    ):
        for verb in ("capture", "void"):
            assert refused(sender.ask(verb, who, asked))[0] == wanted
    for amount in ("", "0", "-1", "1.001", "1e3"):
        assert refused(sender.ask("capture", shop.merchant, named | {"amount": amount}))[0] == "110"
    assert refused(sender.ask("void", shop.merchant, named | {"amount": "1.00"}))[0] == "110"
    # What a customer's browser has seen of the payment form is worth nothing here.
    for verb in ("capture", "void"):
        assert refused(sender.ask(verb, shop.merchant, order(order_id) | named))[0] == "110"
    assert sender.ask("capture", shop.merchant, named).code == "00"
    for verb in ("capture", "void"):
        assert refused(sender.ask(verb, shop.merchant, named))[0] == "120"
    voided_order, voided = authorised(shop, browser)
    shop.client.void(voided.transaction_id)
    for verb in ("capture", "void"):
        assert (
            refused(sender.ask(verb, shop.merchant, {"ap_transactionid": voided.transaction_id}))[0]
            == "120"
        )
    assert shop.bank_endings(voided_order) == [("void", AMOUNT_PAISE)]
    sold = new_order_id()
    scan(gateway, shop.open_page(browser, sold).upi_link)
    assert (
        refused(
            sender.ask(
                "void", shop.merchant, {"ap_transactionid": shop.becomes(sold, 200).transaction_id}
            )
        )[0]
        == "120"
    )


def test_of_capture_void_and_refund_at_the_same_instant_one_wins(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, held = authorised(shop, browser)
    named = {"ap_transactionid": held.transaction_id}

    def ask(verb: str) -> tuple[str, Reply]:
        message = {"mode": "refund", "transactions": batch(named)} if verb == "refund" else named
        return verb, sender.ask(verb, shop.merchant, message)

    with ThreadPoolExecutor(12) as pool:
        came = list(pool.map(ask, ["capture", "void", "refund"] * 4))
    won = {verb for verb, reply in came if verb != "refund" and reply.code == "00"}
    assert len(won) == 1
    assert {reply.code for verb, reply in came if verb != "refund"} <= {"00", "120"}
    (winner,) = won
    given_back = [
        item for verb, reply in came if verb == "refund" for item in reply.data["transactions"]
    ]
    assert {item["response_code"] for item in given_back} <= {"00", "120"}
    begun = sum(item["success"] == "true" for item in given_back)
    assert begun <= (winner == "capture"), "what was given up cannot be given back"
    told = shop.verify(order_id)
    assert told.detailed_status == (
        "REFUNDED" if begun else {"capture": "CAPTURE", "void": "VOIDED"}[winner]
    )
    assert shop.bank_endings(order_id) == [(winner, AMOUNT_PAISE)]
    assert [kind for kind, *_ in shop.postings(order_id)] == ["capture"] * (winner == "capture")


def test_what_nobody_captured_in_time_is_given_back_by_itself(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id, _ = authorised(shop, browser)
    (attempt_id,) = (
        each["attempt_id"] for each in shop.attempts(order_id) if each["state"] == "authorised"
    )
    aged = "UPDATE attempts SET settled_at = {} WHERE attempt_id = $1"
    with gateway.unsealed():
        gateway.rows(aged.format(moved("settled_at", "-30 days")), attempt_id)
        gateway.rows("SELECT pg_notify($1, '')", FOLLOWED_CHANNEL)
        shop.hears_event(order_id, "voided")
        gateway.rows(aged.format(moved("settled_at", "30 days")), attempt_id)
    assert shop.verify(order_id).payment_status == "VOIDED"
    assert shop.bank_endings(order_id) == [("void", AMOUNT_PAISE)]


def test_a_capture_whose_answer_is_lost_is_answered_as_it_stands_and_becomes_known(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, held = authorised(shop, browser)
    gateway.inject_faults(lose_reply=1.0)
    try:
        reply = sender.ask(
            "capture", shop.merchant, {"ap_transactionid": held.transaction_id, "amount": "1000.00"}
        )
    finally:
        gateway.inject_faults()
    assert (reply.code, reply.data["transaction_payment_status"]) == ("00", "AUTHORIZE")
    assert "has not answered" in reply.envelope["message"]
    assert shop.hears_event(order_id, "captured").transaction.captured_paise == 100_000
    assert shop.bank_endings(order_id) == [("capture", 100_000)]
    assert shop.verify(order_id).payment_status == "CAPTURE"
    (ours,) = gateway.rows(
        "SELECT rrn FROM completions WHERE payment_id = $1", int(held.transaction_id)
    )
    theirs = {each["rrn"] for each in gateway.bank_entries() if each["kind"] == "capture"}
    assert ours["rrn"] in theirs, "an inquiry names the capture, not the hold"


def test_a_captured_payment_is_refunded_up_to_what_was_captured(
    shop: Shop, browser: Browser
) -> None:
    order_id, held = authorised(shop, browser)
    shop.client.capture(held.transaction_id, amount_paise=100_000)
    (result,) = shop.client.refund([RefundItem(held.transaction_id)], request_id=new_order_id("R"))
    assert (result.accepted, result.amount_paise) == (True, 100_000)
    shop.hears_event(order_id, "refund_done")
    assert shop.bank_refunds(order_id) == [(100_000, "done")]


def telephone(shop: Shop, browser: Browser, order_id: str) -> Any:
    return shop.open_page(browser, order_id, moto=True)


def test_a_card_by_telephone_is_charged_without_a_challenge(desk: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    screen = telephone(desk, browser, order_id)
    assert not screen.offers("/upi/app")
    after = browser.submit(screen.form("/card"), number=VISA, **CARD)
    assert after.at == "result"
    told = desk.verify(order_id)
    assert (told.status_code, told.payment_status, told.transaction_type, told.card_number) == (
        200,
        "SUCCESS",
        320,
        "XXXXXXXXXXXX1111",
    )
    assert desk.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]
    assert desk.hears_event(order_id, "paid").transaction == told


def test_a_declined_card_by_telephone_may_be_followed_by_another(
    desk: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    back = browser.submit(
        telephone(desk, browser, order_id).form("/card"), number="4000000000009995", **CARD
    )
    assert "There was not enough money in the account." in back.text
    assert browser.submit(back.form("/card"), number=VISA, **CARD).at == "result"


def test_a_silent_issuer_of_a_card_by_telephone_is_asked_until_it_says_approved(
    desk: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    with desk.gateway.undecided():
        waiting = browser.submit(
            telephone(desk, browser, order_id).form("/card"), number="4000000000000119", **CARD
        )
        assert waiting.at == "waiting"
    assert desk.becomes(order_id, 200).card_number == "XXXXXXXXXXXX0119"
    assert desk.bank_debits(order_id) == [(AMOUNT_PAISE, "done")]


def test_cards_by_telephone_need_the_merchants_setting(
    shop: Shop, browser: Browser, new_merchant: NewMerchant
) -> None:
    with pytest.raises(NotStartedError, match="113"):
        telephone(shop, browser, new_order_id())
    merchant: Merchant = new_merchant(channels="upi", moto="on")
    upi_only = Shop.at(shop.gateway, merchant, shop.endpoint)
    with upi_only.client, pytest.raises(NotStartedError, match="no way to take a payment"):
        telephone(upi_only, browser, new_order_id())
