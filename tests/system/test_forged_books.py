"""Somebody who can write into the database gets no money out.

It leaves only for a cause that the books can show.

The rows are inserted as no code of the gateway would; the audit names them, and each is taken out
again.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan
from tests.system.test_authorisations import authorised
from tests.system.test_subscriptions import approved

LOOKS_S = 4
"""Longer than the worker takes to look for refunds that are owed or due."""
POSTING = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
    at)
    SELECT merchant_id, attempt_id, 'late_refund_due', 'payable', 'owed_back', received_paise,
    'INR', now()
    FROM attempts WHERE merchant_id = $1 AND payment_id = $2 AND state = 'paid'
"""
REFUND = """
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise,
        settled_paise, currency, connector, state, created_at, due_at)
    SELECT merchant_id, attempt_id + 1, payment_id, attempt_id, $3, received_paise, received_paise,
        'INR', connector, 'initiated', now(), now()
    FROM attempts WHERE merchant_id = $1 AND payment_id = $2 AND state = 'paid'
"""
CAPTURE = """
    INSERT INTO completions (merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise,
        currency, connector, state, actor, created_at, due_at)
    SELECT merchant_id, attempt_id + 1, payment_id, attempt_id, 'capture', amount_paise, currency,
        connector, 'sent', 'merchant', now() - interval '5 minutes', now()
    FROM attempts WHERE merchant_id = $1 AND payment_id = $2 AND state = 'authorised'
"""
DEBIT = """
    INSERT INTO subscription_debits (merchant_id, debit_id, subscription_id, period_no,
        amount_paise, currency, state, planned_at, created_at, due_at, connector, noticed_at)
    SELECT merchant_id, subscription_id + 1, subscription_id, 1, amount_paise, currency,
        'announced', now(), now(), now(), connector, now() - interval '25 hours'
    FROM subscriptions WHERE merchant_id = $1 AND subscription_id = $2
"""
CLEAN = "DELETE FROM refunds WHERE merchant_id = $1 AND refund_id = $2"


@pytest.fixture(scope="module")
def bent(new_folder: Callable[[str], Path], server: MerchantServer) -> Iterator[Shop]:
    """A merchant of a gateway whose books are bent on purpose."""
    with RunningGateway(new_folder("bent")) as gateway:
        yield from open_shop(gateway, server, "bent")


def paid(shop: Shop, browser: Browser) -> tuple[str, int]:
    """Return the order id and the id of a payment, in books that hold."""
    order_id = new_order_id()
    scan(shop.gateway, shop.open_page(browser, order_id).upi_link)
    payment_id = int(shop.becomes(order_id, 200).transaction_id)
    return order_id, payment_id


def broken(gateway: RunningGateway) -> list[str]:
    """Return the promises that an audit finds broken."""
    ended = gateway.invoke("audit", "--json")
    assert ended.exit_code == 1
    return [each["name"] for each in json.loads(ended.stdout)["checked"] if each["violations"]]


@pytest.mark.parametrize("cause", ["merchant", "late", "overpaid"])
def test_a_refund_that_was_written_into_the_books_is_not_sent(
    bent: Shop, browser: Browser, cause: str
) -> None:
    order_id, payment_id = paid(bent, browser)
    bent.gateway.audit()
    said = bent.gateway.logged().count("refund_not_backed")
    bent.gateway.rows(REFUND, bent.merchant.number, payment_id, cause)
    written = bent.gateway.value("SELECT refund_id FROM refunds WHERE payment_id = $1", payment_id)
    until(
        lambda: bent.gateway.logged().count("refund_not_backed") > said, "the worker to look at it"
    )
    assert bent.bank_refunds(order_id) == []
    assert "refund_posting_differs" in broken(bent.gateway)
    bent.gateway.rows(CLEAN, bent.merchant.number, written)
    bent.gateway.audit()
    # The worker goes on with what is real.
    bent.client.refund([RefundItem(str(payment_id), AMOUNT_PAISE)], request_id=order_id)
    bent.hears_event(order_id, "refund_done")
    assert bent.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


def test_a_capture_or_debit_that_was_written_into_the_books_is_not_sent(
    bent: Shop, browser: Browser
) -> None:
    with httpx.Client(trust_env=False, timeout=30) as http:
        plan = approved(Sender(bent.gateway.base_url, http), bent)
    order_id, held = authorised(bent, browser)
    bent.gateway.rows(CAPTURE, bent.merchant.number, int(held.transaction_id))
    bent.gateway.rows(DEBIT, bent.merchant.number, subscription := int(plan["ap_transactionid"]))
    written = bent.gateway.value(
        "SELECT completion_id FROM completions WHERE payment_id = $1", int(held.transaction_id)
    )
    debit = bent.gateway.value(
        "SELECT debit_id FROM subscription_debits WHERE subscription_id = $1", subscription
    )
    for line in ("completion_not_backed", "debit_not_backed"):
        until(lambda line=line: line in bent.gateway.logged(), f"the worker to say {line}")
    assert bent.bank_endings(order_id) == []
    assert (
        bent.gateway.value("SELECT payment_id FROM subscription_debits WHERE debit_id = $1", debit)
        is None
    )
    assert {"completion_differs", "debit_differs"} <= set(broken(bent.gateway))
    bent.gateway.rows("DELETE FROM completions WHERE completion_id = $1", written)
    bent.gateway.rows("DELETE FROM subscription_debits WHERE debit_id = $1", debit)
    bent.gateway.audit()


def test_a_posting_that_was_written_into_the_books_pays_nobody(
    bent: Shop, browser: Browser
) -> None:
    """The last test of these books: a posting cannot be taken out again."""
    order_id, payment_id = paid(bent, browser)
    bent.gateway.rows(POSTING, bent.merchant.number, payment_id)
    time.sleep(LOOKS_S)
    assert bent.bank_refunds(order_id) == []
    assert bent.gateway.value("SELECT count(*) FROM refunds WHERE payment_id = $1", payment_id) == 0
    assert broken(bent.gateway) == ["cause_missing"]
