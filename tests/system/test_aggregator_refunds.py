"""Refunds at an acquirer that numbers them, decides later, tells of them, and takes back."""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.wire.merchant.refunds import RefundItem
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan


@pytest.fixture(scope="module")
def face(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose acquirer is an aggregator."""
    with RunningGateway(
        new_folder("aggregator-refunds"), HUNDI_SIMBANK_FACE="aggregator"
    ) as running:
        yield running
        running.audit()


@pytest.fixture(scope="module")
def mall(face: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of that gateway."""
    yield from open_shop(face, server, "mall", channels="upi")


@pytest.fixture
def faults(face: RunningGateway) -> Iterator[Any]:
    """Injects faults into the acquirer's calls and callbacks until the test is over."""
    yield face.inject_faults
    face.inject_faults()


def paid(
    face: RunningGateway, mall: Shop, browser: Browser, payer: str = "success@hundi"
) -> tuple[str, str]:
    """Return order id and transaction id of a paid order."""
    order_id = new_order_id()
    scan(face, mall.open_page(browser, order_id).upi_link, payer)
    return order_id, mall.becomes(order_id, 200).transaction_id


def refund(mall: Shop, transaction: str) -> int:
    """Ask for all of a payment to go back; return the refund's id."""
    (result,) = mall.client.refund([RefundItem(transaction)], request_id=new_order_id("R"))
    assert result.accepted, result.message
    return int(result.refund_id)


def kept(face: RunningGateway, mall: Shop, refund_id: int) -> dict[str, Any]:
    sql = (
        "SELECT state, bank_code, reversed_code, due_at FROM refunds WHERE merchant_id = $1 AND"
        " refund_id = $2"
    )
    (row,) = face.rows(sql, mall.merchant.number, refund_id)
    return row


def in_flight(face: RunningGateway, mall: Shop) -> list[Any]:
    """Return the refunds of which nobody knows yet what the acquirer did."""
    sql = "SELECT refund_id FROM refunds WHERE merchant_id = $1 AND state IN ('sent', 'unknown')"
    return face.rows(sql, mall.merchant.number)


def words(face: RunningGateway, mall: Shop, refund_id: int) -> dict[str, str]:
    """Return what the gateway keeps of the acquirer's names for a refund."""
    sql = "SELECT name, value FROM acquirer_words WHERE merchant_id = $1 AND reference = $2"
    reference = f"{mall.merchant.merchant_id}-R{refund_id}"
    return {row["name"]: row["value"] for row in face.rows(sql, mall.merchant.number, reference)}


def send(face: RunningGateway, body: bytes, key: str = "") -> int:
    """Send a webhook as the aggregator does, and return how it was answered."""
    at = int(time.time())
    digest = hmac.new(
        (key or face.acquirer_key).encode(), b"%d." % at + body, hashlib.sha256
    ).hexdigest()
    headers = {"simbank-signature": f"t={at},v1={digest}", "content-type": "application/json"}
    with httpx.Client(base_url=face.base_url, trust_env=False) as http:
        return http.post("/callbacks/sandbox", content=body, headers=headers).status_code


def test_a_refund_is_created_first_and_known_by_the_acquirers_id(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(face, mall, browser)
    refund_id = refund(mall, transaction)
    told = mall.hears_event(order_id, "refund_done").transaction
    assert told.amount_paise == AMOUNT_PAISE
    names = words(face, mall, refund_id)
    assert names["refund_id"].startswith("rfnd_")
    assert (
        names["refund_of"]
        == f"{mall.merchant.merchant_id}-{mall.attempts(order_id)[0]['attempt_id']}"
    )
    assert mall.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


def test_a_refund_that_was_created_may_fail(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(face, mall, browser, "norefund@hundi")
    refund_id = refund(mall, transaction)
    assert mall.hears_event(order_id, "refund_failed").transaction.amount_paise == AMOUNT_PAISE
    assert kept(face, mall, refund_id)["bank_code"] == "57"
    assert mall.verify(order_id).refunds == 0


@pytest.mark.parametrize(
    "fault", [{"lose_reply": 1.0}, {"odd_answer": "garbage", "odd_answers": 1.0}]
)
def test_a_refund_whose_id_never_came_is_found_and_made_once(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any, fault: dict[str, Any]
) -> None:
    order_id, transaction = paid(face, mall, browser)
    faults(**fault)
    refund_id = refund(mall, transaction)
    until(lambda: mall.bank_refunds(order_id), "the refund at the bank")
    until(lambda: kept(face, mall, refund_id)["state"] == "unknown", "the answer to be lost")
    assert "refund_id" not in words(face, mall, refund_id)
    faults()
    mall.hears_event(order_id, "refund_done")
    assert mall.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]
    assert words(face, mall, refund_id)["refund_id"].startswith("rfnd_")


def test_what_comes_back_days_after_it_was_done_is_the_merchants_again(
    face: RunningGateway, mall: Shop, browser: Browser
) -> None:
    order_id, transaction = paid(face, mall, browser, "closedrefund@hundi")
    refund_id = refund(mall, transaction)
    mall.hears_event(order_id, "refund_done")
    told = mall.hears_event(order_id, "refund_reversed").transaction
    assert (told.status_code, told.transaction_type, told.amount_paise) == (211, 340, AMOUNT_PAISE)
    assert (told.refund_id, told.refund_status, told.is_refund, told.is_paid) == (
        str(refund_id), "reversed", True, False
    )  # fmt: skip
    row = kept(face, mall, refund_id)
    assert (row["state"], row["reversed_code"], row["due_at"]) == ("reversed", "M3", None)
    assert mall.bank_refunds(order_id) == [(AMOUNT_PAISE, "reversed")]
    assert [each[0] for each in mall.postings(order_id)] == ["payment"]
    sql = (
        "SELECT kind, debit, credit FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2"
        " ORDER BY at"
    )
    assert [tuple(row.values()) for row in face.rows(sql, mall.merchant.number, refund_id)] == [
        ("refund_begun", "payable", "refunds_in_flight"),
        ("refund_done", "refunds_in_flight", "receivable:sandbox"),
        ("refund_reversed", "receivable:sandbox", "payable"),
    ]
    after = mall.verify(order_id)
    assert (after.payment_status, after.refunds, after.refunded_paise) == ("SUCCESS", 0, 0)
    again = refund(mall, transaction)
    assert again != refund_id, "what came back may be given back again"
    until(lambda: mall.events(order_id).count("refund_reversed") == 2, "it to come back once more")


def test_webhooks_in_any_order_and_number_end_a_refund_once(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any
) -> None:
    faults(duplicate_callback=1.0, reorder_callbacks=0.5)
    order_id, transaction = paid(face, mall, browser)
    refund_id = refund(mall, transaction)
    mall.hears_event(order_id, "refund_done")
    reference = f"{mall.merchant.merchant_id}-R{refund_id}"
    news = {
        "event_id": "evt_9",
        "reference": reference,
        "refund_id": "rfnd_0",
        "kind": "refund.failed",
    }
    body = json.dumps(news).encode()
    assert [send(face, body) for _ in range(3)] == [200] * 3
    assert send(face, body, "another key of 16+") == 401
    until(lambda: kept(face, mall, refund_id)["due_at"] is None, "the question to be answered")
    assert kept(face, mall, refund_id)["state"] == "done", (
        "a webhook that says failed takes nothing back"
    )
    assert [each for each in mall.events(order_id) if each.startswith("refund")] == [
        "refund_begun",
        "refund_done",
    ]


def test_a_worker_killed_amid_refunds_and_their_reversals_books_each_once(
    face: RunningGateway, mall: Shop, browser: Browser, faults: Any
) -> None:
    payers = ["success@hundi", "closedrefund@hundi"] * 5
    orders = [paid(face, mall, browser, each) for each in payers]
    faults(delay_ms=[200, 600])
    ids = [refund(mall, transaction) for _, transaction in orders]
    until(lambda: in_flight(face, mall), "a refund that the acquirer was asked for")
    face.kill_part("worker")
    for _ in range(2):
        time.sleep(0.7)
        face.kill_part("worker")
    faults()
    for (order_id, _), refund_id, payer in zip(orders, ids, payers, strict=True):
        # Who hears of a refund only after it came back, never heard that it was done.
        ends = {"done"} if payer == "success@hundi" else {"reversed", "failed"}
        ended = until(
            lambda: {kept(face, mall, refund_id)["state"]} & ends, f"{order_id} to be {ends}"
        )
        (state,) = ended
        mall.hears_event(order_id, f"refund_{state}")
        assert mall.bank_refunds(order_id) == [
            (AMOUNT_PAISE, "done" if state == "done" else "reversed")
        ]
        told = [each for each in mall.events(order_id) if each.startswith("refund")]
        assert told == [
            "refund_begun",
            *(["refund_done"] if state == "reversed" else []),
            f"refund_{state}",
        ]
        assert mall.verify(order_id).refunds == int(state == "done")
    face.audit()
