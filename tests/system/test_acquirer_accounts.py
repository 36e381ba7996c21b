"""Accounts at acquirers are added, rotated and disabled during payments, and are kept."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import urlsplit

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.acquirers.razorpay.published_mandates import PAUSED
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, running_apart
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, scan, settled

WEBHOOK_SECRETS = tuple(f"webhook secret {number}" for number in (4711, 4712, 4713, 4714))
KEY_SECRET = "a key secret that nobody reads 4715"


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with running_apart(new_folder("accounts"), "north") as running:
        yield running


@pytest.fixture(scope="module")
def own(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with an account of its own."""
    yield from open_shop(apart, server, "own")


@pytest.fixture(scope="module")
def other(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """Another merchant of the same gateway."""
    yield from open_shop(apart, server, "other")


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
    # A mandate that nobody approved here is another gateway's: nothing is asked about it.
    assert [hear(apart, each, PAUSED) for each in WEBHOOK_SECRETS] == [200, 200, 200, 401]


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
    assert rotated["acquirers"] == 2
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
