"""Refunds through the running gateway.

The batch, each item's answer, the notification, and both books.
"""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hundi.console.refund_form import OF_APPROVAL, OF_FORM
from hundi.payments.links.rules import ORDER_BEGINS
from hundi.wire.merchant.refunds import RESERVED
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Reply, Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan


def batch(*items: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(items).encode()).decode()


def refund(sender: Sender, merchant: Merchant, *items: dict[str, Any], **more: Any) -> Reply:
    return sender.ask("refund", merchant, {"mode": "refund", "transactions": batch(*items), **more})


def paid(
    gateway: RunningGateway, shop: Shop, browser: Browser, payer_vpa: str = "success@hundi"
) -> tuple[str, int]:
    """Return order id and transaction id of a paid order."""
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link, payer_vpa)
    return order_id, int(shop.becomes(order_id, 200).transaction_id)


def test_a_refund_goes_back_is_told_and_stands_in_both_books(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(gateway, shop, browser)
    reply = refund(sender, shop.merchant, {"ap_transactionid": transaction, "amount": "100.00"})
    assert (reply.code, reply.envelope["status"]) == ("00", "success")
    (item,) = reply.data["transactions"]
    assert (item["success"], item["amount"], item["ap_transactionid"]) == (
        "true",
        "100.00",
        transaction,
    )
    assert item["refund_id"] > 0
    told = shop.hears_event(order_id, "refund_done")
    assert (told.transaction.transaction_type, told.transaction.amount_paise) == (340, 10_000)
    assert not told.transaction.is_paid, "news of a refund is no news of a payment"
    assert shop.bank_refunds(order_id) == [(10_000, "done")]
    record = sender.verify(shop.merchant, {"orderid": order_id}).data
    assert (record["transaction_payment_status"], record["transaction_type"]) == ("SUCCESS", 320)
    assert (record["refunds_count"], record["refunds_total"]) == (1, "100.00")
    again = refund(sender, shop.merchant, {"ap_transactionid": str(transaction)})
    (refused,) = again.data["transactions"]
    assert str(item["refund_id"]) in refused["message"]
    assert (again.envelope["status"], refused["success"], refused["refund_id"]) == (
        "success",
        "false",
        0,
    )
    assert "cannot be performed" in refused["message"]


def test_a_batch_is_answered_item_by_item_in_its_order(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    _, first = paid(gateway, shop, browser)
    _, second = paid(gateway, shop, browser)
    items = [
        {"ap_transactionid": first, "amount": "1.00"},
        {"ap_transactionid": 123, "amount": "1.00"},
        {"ap_transactionid": second, "amount": "9999999.00"},
        {"ap_transactionid": second, "amount": "1e3"},
        {"ap_transactionid": second},
    ]
    reply = refund(sender, shop.merchant, *items)
    results = reply.data["transactions"]
    assert [each["ap_transactionid"] for each in results] == [first, 123, second, second, second]
    assert [each["success"] for each in results] == ["true", "false", "false", "false", "true"]
    assert [each["response_code"] for each in results] == ["00", "503", "121", "110", "00"]


def test_the_same_request_again_gives_the_same_answer(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(gateway, shop, browser)
    item = {"ap_transactionid": transaction, "amount": "10.00"}
    once = refund(sender, shop.merchant, item, refund_request_id=order_id)
    again = refund(sender, shop.merchant, item, refund_request_id=order_id)
    assert once.data == again.data
    other = refund(sender, shop.merchant, item | {"amount": "11.00"}, refund_request_id=order_id)
    assert other.data["transactions"][0]["response_code"] == "122"
    longer = refund(sender, shop.merchant, item, item, refund_request_id=order_id)
    assert [each["response_code"] for each in longer.data["transactions"]] == ["122", "122"], (
        "of another batch"
    )
    shop.hears_event(order_id, "refund_done")
    assert shop.bank_refunds(order_id) == [(1_000, "done")]


def test_no_request_of_a_server_passes_for_one_of_the_gateways_own(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    """Under these the console names people, and a payment link gives back what it cannot keep."""
    assert {OF_APPROVAL, OF_FORM, ORDER_BEGINS} == set(RESERVED)
    _, transaction = paid(gateway, shop, browser)
    item = {"ap_transactionid": transaction, "amount": "1.00"}
    for begins in RESERVED:
        taken = begins + "215000000000001"
        whole = refund(sender, shop.merchant, item, refund_request_id=taken)
        alone = refund(
            sender, shop.merchant, item | {"refund_request_id": taken}, refund_request_id="mine"
        )
        (one,) = alone.data["transactions"]
        assert (whole.code, one["response_code"], one["success"]) == ("110", "110", "false")
        for words in (whole.envelope["message"], one["message"]):
            assert all(
                each in words
                for each in ("refund_request_id", taken, "an id of your own", *RESERVED)
            ), words
    own = refund(sender, shop.merchant, item, refund_request_id="my-console-1")
    assert own.data["transactions"][0]["response_code"] == "00"
    ids = "SELECT request_id FROM refunds WHERE merchant_id = $1 AND payment_id = $2"
    assert gateway.rows(ids, shop.merchant.number, transaction) == [{"request_id": "my-console-1"}]


def test_another_merchants_transaction_is_unknown(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser, rival: Shop
) -> None:
    _, transaction = paid(gateway, shop, browser)
    (item,) = refund(sender, rival.merchant, {"ap_transactionid": transaction}).data["transactions"]
    assert (item["success"], item["response_code"], item["refund_id"]) == ("false", "503", 0)


def test_what_spoils_a_whole_batch_is_named(sender: Sender, shop: Shop) -> None:
    for transactions, words in (
        ("!!!", "not Base64"),
        (base64.b64encode(b"{}").decode(), "transactions"),
        (batch(), "1 to 1000 items"),
        (batch(*({"ap_transactionid": 1} for _ in range(1_001))), "1 to 1000 items"),
    ):
        reply = sender.ask("refund", shop.merchant, {"transactions": transactions})
        assert (reply.code, reply.envelope["data"]) == ("110", [])
        assert words in reply.message


def test_a_refund_that_the_bank_refuses_counts_no_longer(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(gateway, shop, browser, "norefund@hundi")
    (item,) = refund(sender, shop.merchant, {"ap_transactionid": transaction}).data["transactions"]
    assert item["success"] == "true", "accepted is begun, not done"
    told = shop.hears_event(order_id, "refund_failed")
    assert (told.transaction.transaction_type, told.transaction.amount_paise) == (340, AMOUNT_PAISE)
    assert shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "declined")]
    assert sender.verify(shop.merchant, {"orderid": order_id}).data["refunds_count"] == 0
    (again,) = refund(sender, shop.merchant, {"ap_transactionid": transaction}).data["transactions"]
    assert again["success"] == "true", "what failed may be asked for again"
    assert again["refund_id"] != item["refund_id"]
    until(
        lambda: shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "declined")] * 2,
        "the bank to refuse again",
    )
    gateway.audit()


def test_a_refund_of_which_the_bank_tells_late_is_asked_about_and_sent_once(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(gateway, shop, browser, "laterefund@hundi")
    (item,) = refund(sender, shop.merchant, {"ap_transactionid": transaction}).data["transactions"]
    state = "SELECT state FROM refunds WHERE refund_id = $1"
    until(
        lambda: gateway.value(state, item["refund_id"]) == "unknown",
        "the bank to say that it works on it",
    )
    assert shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]
    shop.hears_event(order_id, "refund_done")
    assert gateway.value(state, item["refund_id"]) == "done"
    assert shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]
    gateway.audit()


def test_fifty_parallel_refunds_never_exceed_what_was_captured_in_either_book(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    gateway.operate(
        "merchant", "set", shop.merchant.merchant_id, "--multiple-partial-refunds", "on"
    )
    try:
        order_id, transaction = paid(gateway, shop, browser)
        until(
            lambda: refund(
                sender, shop.merchant, {"ap_transactionid": transaction, "amount": "0.50"}
            ).data["transactions"][0],
            "the setting to be known everywhere",
        )
        with ThreadPoolExecutor(25) as pool:
            replies = list(
                pool.map(
                    lambda _: refund(
                        sender, shop.merchant, {"ap_transactionid": transaction, "amount": "100.00"}
                    ),
                    range(50),
                )
            )
        accepted = [
            each
            for reply in replies
            for each in reply.data["transactions"]
            if each["success"] == "true"
        ]
        assert len(accepted) == (AMOUNT_PAISE - 50) // 10_000
        expected = 50 + len(accepted) * 10_000
        until(
            lambda: sum(paise for paise, state in shop.bank_refunds(order_id)) == expected,
            "the bank to give it back",
        )
        assert shop.payment(order_id)["refunded_paise"] == expected <= AMOUNT_PAISE
    finally:
        gateway.operate(
            "merchant", "set", shop.merchant.merchant_id, "--multiple-partial-refunds", "off"
        )
    gateway.audit()


def test_the_limit_of_one_person_holds_for_the_merchants_servers_where_it_says_so(
    gateway: RunningGateway, server: MerchantServer, sender: Sender, browser: Browser
) -> None:
    """Ten small refunds are a large one, and nothing is taken from a refund that fits."""
    chosen = {
        "refund_alone_paise": 100_000,
        "refund_alone_on_api": "on",
        "multiple_partial_refunds": "on",
    }
    for careful in open_shop(gateway, server, "careful", **chosen):
        order_id, transaction = paid(gateway, careful, browser)
        of_payment = {"ap_transactionid": transaction}
        amounts = [
            {"amount": "900.00"},
            {"amount": "100.01"},
            {},
            {"amount": "100.00"},
            {"amount": "0.01"},
        ]
        reply = refund(sender, careful.merchant, *(of_payment | each for each in amounts))
        results = reply.data["transactions"]
        assert [each["response_code"] for each in results] == ["00", "120", "120", "00", "120"]
        assert "₹1,000.00 of a payment altogether, without a second person" in results[1]["message"]
        until(
            lambda order_id=order_id, shop=careful: len(shop.bank_refunds(order_id)) == 2,
            "both went back",
        )
        assert sorted(paise for paise, _ in careful.bank_refunds(order_id)) == [10_000, 90_000]
