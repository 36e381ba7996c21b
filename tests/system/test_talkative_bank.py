"""A bank that says card and Aadhaar numbers in its words.

No table, log, page, reply or notification has one of them.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.sdk import RefundItem
from hundi.wire import cipher
from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.bending_proxy import BendingProxy
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import FACE, RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card, settled
from tests.system.test_bank_callbacks import reference_of, say, word
from tests.system.test_canaries import dumped
from tests.system.test_disputes import AMOUNT, DisputedOrder

KEY = "6" * 64
CARD, GROUPED, AADHAAR = "5425987610345211", "5425 9876 1034 5211", "983214065774"
NUMBERS = (CARD, GROUPED, AADHAAR)
SAID = f"card {GROUPED} ({CARD}) of {AADHAAR}"
DECLINED = "4000000000009995"
WORDS = {"message", "name", "issuer", "reason", "holder"}
"""Names of what the bank says in words; everything else of its answers decides something."""


def talkative(said: bytes) -> bytes:
    """Return an answer of the bank with numbers in each of its words."""
    try:
        return json.dumps(_with_numbers(json.loads(said))).encode()
    except ValueError:
        return said


def _with_numbers(said: Any) -> Any:
    if isinstance(said, list):
        return [_with_numbers(each) for each in said]
    if not isinstance(said, dict):
        return said
    return {
        name: SAID if name in WORDS and isinstance(inner, str) else _with_numbers(inner)
        for name, inner in said.items()
    }


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose bank says numbers in every answer."""
    folder = new_folder("talkative")
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "acquirer_key").write_text(KEY)
    with BendingProxy() as proxy:
        acquirer = {"KIND": "sandbox", "URL": proxy.url, "KEY": KEY, "FACE": FACE}
        settings = {f"HUNDI_ACQUIRERS__SANDBOX__{name}": value for name, value in acquirer.items()}
        with RunningGateway(folder, **settings) as running:
            proxy.target, proxy.rewrite = running.simbank_url, talkative
            yield running
            running.audit()


@pytest.fixture(scope="module")
def pages() -> list[str]:
    """Every page that a customer was shown."""
    return []


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer, pages: list[str]) -> Iterator[Shop]:
    """A shop whose bank returned numbers in answers of every kind and by callback."""
    for opened in open_shop(gateway, server, "talkative", channels="nb_upi_pg"):
        with Browser() as browser:
            browser.http.event_hooks["response"].append(
                lambda answer: pages.append(answer.read().decode(errors="replace"))
            )
            _pay(opened, browser)
            _dispute(opened, browser)
            with httpx.Client(trust_env=False, timeout=30) as http:
                _call_back(opened, browser, Sender(gateway.base_url, http))
        yield opened


def _pay(shop: Shop, browser: Browser) -> None:
    paid = new_order_id()
    assert pay_card(browser, shop.open_page(browser, paid)).at == "result"
    pay_card(browser, shop.open_page(browser, new_order_id()), DECLINED)
    at_bank = go(browser, shop.open_page(browser, new_order_id()), NB)
    settled(browser, pay_there(browser, at_bank, NB))
    transaction = shop.verify(paid).transaction_id
    shop.client.refund([RefundItem(transaction, 10_000)], request_id=paid)
    shop.hears_event(paid, "refund_done")
    for end in (shop.client.capture, shop.client.void):
        held = new_order_id()
        pay_card(browser, shop.open_page(browser, held, authorise_only=True))
        end(shop.verify(held).transaction_id)


def _dispute(shop: Shop, browser: Browser) -> None:
    order = DisputedOrder(shop, browser)
    order.raised(amount_paise=AMOUNT)


def _call_back(shop: Shop, browser: Browser, sender: Sender) -> None:
    """Let the bank say by callback, in words with numbers, that a payment was declined."""
    order_id = new_order_id()
    shop.open_page(browser, order_id)
    said = word(
        reference_of(shop, order_id),
        status="declined",
        code="U30",
        message=SAID,
        rrn="",
        amount_paise=0,
    )
    assert say(shop.gateway, sender, json.dumps(said).encode()).status_code == 204
    assert shop.attempts(order_id)[-1]["bank_message"] == "card [card] ([card]) of [aadhaar]"


def seen_in(text: str) -> list[str]:
    """Return the numbers that stand in a text."""
    return [each for each in NUMBERS if each in text]


def test_the_bank_said_the_numbers(gateway: RunningGateway, shop: Shop) -> None:
    """What it said in their place is kept, so its words came through."""
    for table, column in (
        ("attempts", "bank_message"),
        ("attempts", "bank_name"),
        ("payments", "bank_message"),
        ("refunds", "bank_message"),
        ("completions", "bank_message"),
        ("dispute_stages", "reason"),
    ):
        masked = gateway.value(
            f"SELECT count(*) FROM {table} WHERE {column} LIKE '%[card]%[aadhaar]%'"
        )
        assert masked > 0, (table, column)


def test_no_table_keeps_one(gateway: RunningGateway, shop: Shop) -> None:
    assert [row for row in dumped(gateway, "hundi").split("\n") if seen_in(row)] == []


def test_no_log_line_and_no_file_beside_it_holds_one(gateway: RunningGateway, shop: Shop) -> None:
    assert [line for line in gateway.logged().split("\n") if seen_in(line)] == []


def test_no_page_no_notification_and_no_command_shows_one(
    gateway: RunningGateway, shop: Shop, pages: list[str]
) -> None:
    ours = [each for each in pages if seen_in(each)]
    assert ours == []
    assert len(pages) > 20
    told = [
        cipher.open_(shop.merchant.key, json.loads(each.body)["response"]).decode()
        for each in shop.endpoint.heard
    ]
    assert told
    assert seen_in("\n".join(told)) == []
    assert any("[card]" in each for each in told)
    orders = gateway.rows(
        "SELECT order_id FROM payments WHERE merchant_id = $1", shop.merchant.number
    )
    shown = [
        gateway.operate("payment", "show", shop.merchant.merchant_id, each["order_id"])
        for each in orders
    ]
    assert seen_in(json.dumps(shown)) == []


def test_a_number_that_was_kept_is_found(gateway: RunningGateway, shop: Shop) -> None:
    planted = "UPDATE merchants SET name = $2 WHERE merchant_id = $1"
    name = gateway.value("SELECT name FROM merchants WHERE merchant_id = $1", shop.merchant.number)
    gateway.rows(planted, shop.merchant.number, SAID)
    assert seen_in(dumped(gateway, "hundi")) == list(NUMBERS)
    gateway.rows(planted, shop.merchant.number, name)
