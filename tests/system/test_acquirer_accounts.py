"""Accounts at acquirers are added, rotated and disabled during payments, and are kept."""

import asyncio
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET
from tests.acquirers.cashfree.standin_links import running_with_links
from tests.acquirers.razorpay.standin import KEY_ID, WEBHOOK_SECRET, Standin
from tests.acquirers.razorpay.standin import KEY_SECRET as OF_STANDIN
from tests.conftest import NewFolder
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, scan, settled
from tests.system.test_metrics import counted

WEBHOOK_SECRETS = tuple(f"webhook secret {number}" for number in (4711, 4712, 4713, 4714))
KEY_SECRET = "a key secret that nobody reads 4715"
_Standin = TypeVar("_Standin")


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with RunningGateway(new_folder("accounts")) as running:
        yield running
        # To our books it is an acquirer of its own, whose books nobody else shows.
        left_out = [
            part for name in ("north", "south", "west") for part in ("--without-acquirer", name)
        ]
        assert running.operate("audit", *left_out)["holds"]


@pytest.fixture(scope="module")
def own(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with an account of its own."""
    yield from open_shop(apart, server, "own")


@pytest.fixture(scope="module")
def other(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """Another merchant of the same gateway."""
    yield from open_shop(apart, server, "other")


def acquirer(gateway: RunningGateway, verb: str, *arguments: str, fields: object = None) -> Any:
    """Run `hundi acquirer` with fields on standard input, and return what it prints."""
    return gateway.operate("acquirer", verb, *arguments, text=json.dumps(fields) if fields else "")


def add_north(gateway: RunningGateway, shop: Shop) -> None:
    """Give a merchant an account at the simulated bank, and wait until it takes payments."""
    fields = {"url": gateway.simbank_url, "key": gateway.acquirer_key}
    merchant = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
    acquirer(gateway, "add", "north", "sandbox", *merchant, fields=fields)
    listed = {
        each["acquirer"]: (each["kept_in"], each["merchant"]) for each in acquirer(gateway, "list")
    }
    assert listed == {
        "sandbox": ("settings", "every one"),
        "north": ("database", shop.merchant.merchant_id),
    }


def refund(shop: Shop, transaction_id: str) -> None:
    """Give a payment back, and wait until the money has gone."""
    request_id = new_order_id("R")
    (result,) = shop.client.refund([RefundItem(transaction_id)], request_id=request_id)
    assert result.accepted, result
    done = (
        "SELECT count(*) FROM refunds WHERE merchant_id = $1 AND refund_id = $2 AND state = 'done'"
    )
    until(
        lambda: shop.gateway.value(done, shop.merchant.number, int(result.refund_id)), "the refund"
    )


def connector_of(shop: Shop, browser: Browser) -> str:
    """Open an order and return at which acquirer its QR is."""
    order_id = new_order_id()
    shop.open_page(browser, order_id)
    return shop.attempts(order_id)[0]["connector"]


def test_an_account_that_is_added_takes_its_merchants_payments_alone(
    apart: RunningGateway, own: Shop, other: Shop, browser: Browser
) -> None:
    processes = {each.pid for part in ("api", "worker") for each in apart.part(part)}
    assert connector_of(own, browser) == "sandbox"
    add_north(apart, own)
    until(lambda: connector_of(own, browser) == "north", "the account to be used", every_s=0.5)
    assert connector_of(other, browser) == "sandbox"
    by_card, by_upi = new_order_id(), new_order_id()
    assert settled(browser, pay_card(browser, own.open_page(browser, by_card))).at == "result"
    scan(apart, own.open_page(browser, by_upi).upi_link)
    for order_id in (by_card, by_upi):
        paid = own.becomes(order_id, 200)
        assert [
            each["connector"] for each in own.attempts(order_id) if each["state"] == "paid"
        ] == ["north"]
        refund(own, paid.transaction_id)
    elsewhere = new_order_id()
    scan(apart, other.open_page(browser, elsewhere).upi_link)
    other.becomes(elsewhere, 200)
    assert {each["connector"] for each in other.attempts(elsewhere)} == {"sandbox"}
    assert {each.pid for part in ("api", "worker") for each in apart.part(part)} == processes, (
        "nothing was restarted"
    )


def test_it_is_rotated_while_customers_pay_and_nobody_notices(
    apart: RunningGateway, own: Shop
) -> None:
    port = urlsplit(apart.simbank_url).port
    addresses = cycle([f"http://localhost:{port}", apart.simbank_url])
    crowd, revisions = customers(own, 32, (BY_UPI, BY_CARD)), list[int]()

    def rotate() -> None:
        for _ in range(4):
            revisions.append(
                acquirer(apart, "rotate", "north", fields={"url": next(addresses)})["revision"]
            )

    at_once(crowd, rotate, width=4)
    for each in crowd:
        each.ends()
    assert [each.broken for each in crowd if each.broken] == [], "a customer was turned away"
    assert revisions == [2, 3, 4, 5]
    paid = apart.rows(
        "SELECT DISTINCT connector FROM attempts WHERE merchant_id = $1 AND state = 'paid'",
        own.merchant.number,
    )
    assert [each["connector"] for each in paid] == ["north"]


@dataclass(frozen=True)
class Razorpay:
    """The stand-in of Razorpay in a thread of its own."""

    bank: Standin
    loop: asyncio.AbstractEventLoop

    def pays(self, gateway: RunningGateway) -> None:
        """Let a customer pay the one link, and have the webhook about it sent."""
        (payment,) = self.bank.books.payments.values()
        self.bank.books.pay(payment.id)
        self._tell(gateway)

    def disputes(self, gateway: RunningGateway, paise: int) -> str:
        """Have the customer's bank dispute a part, announce it, and return its number."""
        (payment,) = self.bank.books.payments.values()
        dispute = self.bank.money.raise_dispute(payment.id, paise)
        self._tell(gateway)
        return str(dispute["id"])

    def _tell(self, gateway: RunningGateway) -> None:
        sending = self.bank.send(self.bank.events()[-1], f"{gateway.base_url}/callbacks/south")
        assert asyncio.run_coroutine_threadsafe(sending, self.loop).result(20) == 200


@contextmanager
def alongside(
    standin: AbstractAsyncContextManager[_Standin],
) -> Iterator[tuple[_Standin, asyncio.AbstractEventLoop]]:
    """Run a stand-in in a thread of its own, as the processes of the gateway call it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    stack = AsyncExitStack()
    try:
        yield wait(stack.enter_async_context(standin)), loop
    finally:
        wait(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def razorpay() -> Iterator[Razorpay]:
    """Razorpay, as its documents say that it behaves."""
    with alongside(Standin.running()) as (bank, loop):
        yield Razorpay(bank, loop)


def ask_razorpay(razorpay: Razorpay, shop: Shop, browser: Browser) -> str:
    """Open orders until Razorpay is asked for the link of one, and return that order's id."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        if not screen.offers("/upi/app"):  # a QR of the simulated bank is there at once
            browser.submit(screen.form("/qr"))
        return order_id if razorpay.bank.books.payments else ""

    return until(look, "the account to be used", every_s=0.5)


def test_money_is_taken_at_razorpay_by_an_account_that_was_added(
    apart: RunningGateway, server: MerchantServer, razorpay: Razorpay, browser: Browser
) -> None:
    for shop in open_shop(apart, server, "south"):
        fields = {
            "mode": "test",
            "key_id": KEY_ID,
            "key_secret": "of another account",
            "url": razorpay.bank.url,
        }
        merchant = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
        more = {
            "webhook_secret": WEBHOOK_SECRET,
            "email": "pay@shop.example",
            "phone": "9000090000",
        }
        acquirer(
            apart,
            "add",
            "south",
            "razorpay",
            *merchant,
            fields=fields | more | {"methods": ["upi_link"]},
        )
        assert apart.invoke("acquirer", "check", "south").exit_code == 1
        see_that_reports_cannot_be_fetched(apart)
        see_that_another_acquirer_takes_over(apart, shop, browser)
        acquirer(apart, "rotate", "south", fields={"key_secret": OF_STANDIN})
        assert apart.invoke("acquirer", "check", "south").exit_code == 0

        order_id = ask_razorpay(razorpay, shop, browser)
        razorpay.pays(apart)
        assert shop.becomes(order_id, 200).channel == "upi"
        (attempt,) = shop.attempts(order_id)
        assert (attempt["connector"], attempt["method"], attempt["state"]) == (
            "south",
            "upi_link",
            "paid",
        )

        number = razorpay.disputes(apart, 10_000)
        held = (
            "SELECT bank_case, phase::text, held_paise FROM dispute_stages WHERE merchant_id = $1"
        )
        stages = [tuple(row.values()) for row in apart.rows(held, shop.merchant.number)]
        assert stages == [(number, "chargeback", 10_000)]

        razorpay.bank.money.settle(at=int(time.time()) - 86_400)
        for new in (1, 0):
            ((day,),) = [apart.operate("reconcile", "fetch", "south")["days"]]
            assert (day["lines"], day["new"]) == (1, new)
        import_by_the_worker(apart, razorpay)
        items = [
            each
            for each in apart.operate("reconcile", "work")["items"]
            if each["connector"] == "south"
        ]
        assert sorted((each["class"], each["reference"]) for each in items) == [
            ("fee_differs", f"{shop.merchant.number}-{attempt['attempt_id']}"),
            ("missing_here", "pay_nobodys"),
        ]


def see_that_reports_cannot_be_fetched(gateway: RunningGateway) -> None:
    """Wait until the worker was refused, and see that nobody has to look for it."""

    def shown() -> dict[str, Any] | None:
        reports = gateway.operate("reconcile", "work")["reports"]
        return next((each for each in reports if each["connector"] == "south"), None)

    found = until(shown, "the worker to ask for reports", every_s=1)
    assert found
    assert found["error"].endswith("the acquirer does not accept our credentials")
    assert counted(gateway, "hundi_settlement_reports_overdue_seconds", acquirer="south") >= 0
    assert "settlement_report_not_fetched" in gateway.logged()


def see_that_another_acquirer_takes_over(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """Open orders until one meets the account with the wrong secret; pay it elsewhere."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        if not screen.offers("/upi/app"):
            browser.submit(screen.form("/qr"))
        return (
            order_id if "south" in {each["connector"] for each in shop.attempts(order_id)} else ""
        )

    order_id = until(look, "the account to be asked", every_s=0.5)
    begun = [
        (each["connector"], each["state"], each["bank_code"]) for each in shop.attempts(order_id)
    ]
    assert begun == [("south", "expired", "unreachable"), ("sandbox", "offered", "")]
    refused = {"acquirer": "south", "call": "upi_link", "outcome": "credentials_refused"}
    assert counted(gateway, "hundi_acquirer_calls_total", **refused) == 1
    assert counted(gateway, "hundi_acquirer_reachable", acquirer="south") == 0
    shown = until(
        lambda: acquirer(gateway, "show", "south")["last_error"],
        "the refusal to be kept",
        every_s=1,
    )
    assert shown == "the acquirer does not accept our credentials"


def import_by_the_worker(gateway: RunningGateway, razorpay: Razorpay) -> None:
    """Have Razorpay settle a line more, and see that the worker imports it at its next try."""
    razorpay.bank.money.lines += [
        razorpay.bank.money.lines[0] | {"entity_id": "pay_nobodys", "order_receipt": None}
    ]
    gateway.rows("UPDATE report_fetches SET due_at = now() WHERE connector = 'south'")
    count = "SELECT count(*) FROM statement_lines WHERE connector = 'south'"
    until(lambda: gateway.value(count) == 2, "the worker to import what is new", every_s=1)
    until(lambda: gateway.operate("reconcile", "work")["reports"] == [], "the worker to be done")
    by = (
        "SELECT imported_by FROM statement_files WHERE connector = 'south' ORDER BY file_id DESC"
        " LIMIT 1"
    )
    assert gateway.value(by) == "worker"


def test_webhooks_under_the_secrets_before_each_rotation_are_believed_for_a_while(
    apart: RunningGateway,
) -> None:
    fields = {
        "key_id": "rzp_test_one",
        "key_secret": KEY_SECRET,
        "webhook_secret": WEBHOOK_SECRETS[0],
        "mode": "test",
    }
    # Nobody is there: a webhook only says when to ask.
    acquirer(
        apart,
        "add",
        "rzp",
        "razorpay",
        fields=fields | {"url": "http://127.0.0.1:9", "methods": ["upi_link"]},
    )
    until(lambda: hear(apart, WEBHOOK_SECRETS[0]) == 200, "the account to be known")
    assert hear(apart, WEBHOOK_SECRETS[1]) == 401
    for place in (1, 2):
        acquirer(apart, "rotate", "rzp", fields={"webhook_secret": WEBHOOK_SECRETS[place]})
        until(lambda: hear(apart, WEBHOOK_SECRETS[place]) == 200, "the new secret to be known")
    assert [hear(apart, each) for each in WEBHOOK_SECRETS] == [200, 200, 200, 401]
    # Nobody confirms the dispute: taken as heard, it would not be told again, and its merchant
    # never know.
    assert [hear(apart, each, DISPUTED) for each in WEBHOOK_SECRETS] == [409, 409, 409, 401]


PAID = {"event": "payment.captured", "payload": {}}
DISPUTED = {
    "event": "payment.dispute.created",
    "payload": {
        "dispute": {
            "entity": {
                "id": "disp_1",
                "payment_id": "pay_1",
                "amount": 10_000,
                "currency": "INR",
                "status": "open",
                "phase": "chargeback",
            }
        }
    },
}


def hear(gateway: RunningGateway, secret: str, told: object = PAID) -> int:
    """Send a webhook signed with a secret and return how it is answered."""
    body = json.dumps(told).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "x-razorpay-signature": signature,
        "x-razorpay-event-id": "evt_1",
        "content-type": "application/json",
    }
    url = f"{gateway.base_url}/callbacks/rzp"
    return httpx.post(url, content=body, headers=headers, trust_env=False, timeout=15).status_code


def test_keys_are_rotated_with_the_accounts_sealed_under_them(apart: RunningGateway) -> None:
    rotated = apart.operate("keys", "rotate")
    assert rotated["acquirers"] == 3
    keys = {row["key_id"]: row["sealed"] for row in apart.operate("keys", "list")}
    assert [number for key_id, number in keys.items() if key_id != rotated["key_id"]] == [0] * (
        len(keys) - 1
    )
    assert [hear(apart, each) for each in WEBHOOK_SECRETS] == [200, 200, 200, 401]


def test_a_disabled_account_takes_nothing_new_and_ends_what_was_begun(
    apart: RunningGateway, own: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = own.open_page(browser, order_id)
    (begun,) = own.attempts(order_id)
    assert begun["connector"] == "north"
    acquirer(apart, "disable", "north")
    until(
        lambda: connector_of(own, browser) == "sandbox", "the account to be left alone", every_s=0.5
    )
    scan(apart, screen.upi_link)
    paid = own.becomes(order_id, 200)
    refund(own, paid.transaction_id)
    assert {each["connector"] for each in own.attempts(order_id)} == {"north"}


def test_instalments_are_chosen_at_the_page_of_an_account_that_was_added(
    apart: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    with alongside(running_with_links()) as (bank, _):
        for shop in open_shop(apart, server, "west", channels="pg_emi"):
            fields = {
                "environment": "sandbox",
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
            }
            more = {
                "phone_when_unknown": "9000090000",
                "url": f"{bank.url}/pg",
                "link_origins": [bank.url],
            }
            offered = {"methods": ["emi_page"], "instalments_from_rupees": 1_000}
            merchant = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
            acquirer(apart, "add", "west", "cashfree", *merchant, fields=fields | more | offered)
            order_id, screen = until(
                lambda: opened_elsewhere(shop, browser), "the account to be used", every_s=0.5
            )
            assert not screen.form("/emi").fields, "neither a plan nor a card is chosen at ours"
            page = browser.submit(screen.form("/emi"))
            assert page.url.startswith(f"{bank.url}/links/")
            result = settled(browser, browser.post(page.url, {"outcome": "SUCCESS"}))
            assert "6 instalments" in result.text
            told = shop.becomes(order_id, 200)
            assert (told.channel, told.emi_months, told.emi_rate, told.emi_bank) == (
                "emi",
                6,
                "",
                "HDFC Bank",
            )
            (attempt,) = shop.attempts(order_id)
            assert (attempt["connector"], attempt["method"], attempt["state"]) == (
                "west",
                "emi_page",
                "paid",
            )
            below = shop.first_screen(browser, new_order_id(), amount_paise=99_999)
            assert not any(each.action.endswith("/emi") for each in below.forms)


def opened_elsewhere(shop: Shop, browser: Browser) -> tuple[str, Screen] | None:
    """Open an order, and return it once its instalments are chosen at the acquirer's page."""
    order_id = new_order_id()
    screen = shop.first_screen(browser, order_id)
    return (order_id, screen) if "You choose your bank and instalments" in screen.text else None


def test_no_secret_is_in_a_log_or_in_a_table_in_plain(apart: RunningGateway) -> None:
    secrets = [*WEBHOOK_SECRETS, KEY_SECRET]
    rows = "\n".join(
        row["row"]
        for table in ("acquirer_accounts", "trail_entries")
        for row in apart.rows(f"SELECT t::text AS row FROM {table} t")
    )
    shown = json.dumps([acquirer(apart, verb, "rzp") for verb in ("show", "history")])
    for where in (rows, shown, apart.logged()):
        assert "rzp" in where
        for secret in secrets:
            assert secret not in where
            assert secret.encode().hex() not in where


def test_accounts_are_there_after_a_restart(
    apart: RunningGateway, own: Shop, browser: Browser
) -> None:
    acquirer(apart, "enable", "north")
    until(
        lambda: connector_of(own, browser) == "north", "the account to be used again", every_s=0.5
    )
    for each in apart.part("api"):
        each.kill()
    until(apart.is_ready, "the api to be back")
    until(lambda: connector_of(own, browser) == "north", "the account to be there again")
