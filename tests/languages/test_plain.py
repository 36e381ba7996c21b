"""The programs of docs/v1.md: the plain interface in each language, at the running gateway."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from hundi.sdk import QrOrder
from tests.languages.conftest import LANGUAGES
from tests.languages.programs import run, variables_of
from tests.system.conftest import open_shop
from tests.system.endpoint import Endpoint, MerchantServer, ReceivedRequest
from tests.system.plain import bearer_key
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan


@dataclass(frozen=True)
class PaidShop:
    """A shop with a paid order. given: what its programs take. webhook: what it heard of it."""

    shop: Shop
    given: dict[str, str]
    webhook: ReceivedRequest


def first_heard(endpoint: Endpoint) -> ReceivedRequest:
    """Return the first webhook, waiting for it."""
    return until(lambda: endpoint.heard[:1], "a webhook")[0]


@pytest.fixture(scope="module")
def paid(gateway: RunningGateway, server: MerchantServer) -> Iterator[PaidShop]:
    """A shop that hears of its orders in the plain interface's own form."""
    options = {"notification_form": "standard", "multiple_partial_refunds": "on"}
    for shop in open_shop(gateway, server, "without-a-kit", **options):
        order_id, scopes = new_order_id("PLAIN"), ("page", "read", "refund")
        code = shop.client.generate_qr(QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE))
        scan(gateway, code.text)
        transaction = shop.becomes(order_id, 200)
        webhook = first_heard(shop.endpoint)
        yield PaidShop(
            shop,
            {
                "BASE_URL": gateway.base_url,
                "BEARER_KEY": bearer_key(
                    gateway, shop.merchant, "programs", *scopes, refund_paise="500000"
                ),
                "ORDER_ID": order_id,
                "TRANSACTION_ID": transaction.transaction_id,
                "WEBHOOK_KEY": shop.merchant.credentials.webhook_keys[0],
            },
            webhook,
        )


def answers_of(language: str, paid: PaidShop, **changed: str) -> list[str]:
    """Run a program for a new order, and return its lines."""
    new = {"NEW_ORDER_ID": new_order_id("NEW"), **variables_of(paid.webhook)}
    body = changed.pop("body", paid.webhook.body.decode()).encode()
    return run("plain", language, {**paid.given, **new, **changed}, body).splitlines()


@pytest.mark.parametrize("language", ["python", *LANGUAGES])
def test_every_program_prints_the_same(language: str, paid: PaidShop) -> None:
    page_url, *rest = answers_of(language, paid)
    shown = httpx.get(page_url, follow_redirects=True)
    assert (shown.status_code, "₹1,499.50" in shown.text) == (200, True)
    events = int(rest.pop(3))
    assert events >= 1
    assert rest == ["paid 149950", "422 amount_paise", "201 100", "believed"]


def test_curl_is_answered_the_same(paid: PaidShop) -> None:
    created, order, problem, refund, events, webhook = map(json.loads, answers_of("curl", paid))
    assert httpx.get(created["page_url"], follow_redirects=True).status_code == 200
    assert (order["state"], order["amount_paise"]) == ("paid", AMOUNT_PAISE)
    assert (problem["status"], problem["field"]) == (422, "amount_paise")
    assert (refund["transaction_id"], refund["amount_paise"]) == (
        paid.given["TRANSACTION_ID"],
        100,
    )
    assert len(events["items"]) >= 1
    assert webhook == {"webhook": "believed"}


FORGED = {
    "another body": {"body": '{"id": "made up"}'},
    "another time": {"HTTP_WEBHOOK_TIMESTAMP": "1700000000"},
    "another id": {"HTTP_WEBHOOK_ID": "made-up"},
    "a key that is empty": {"WEBHOOK_KEY": "whsec_"},
}
"""What changes a webhook that was signed for this shop."""


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.parametrize("language", ["curl", "python", *LANGUAGES])
def test_no_program_believes_a_forgery(language: str, what: str, paid: PaidShop) -> None:
    *_, last = answers_of(language, paid, **FORGED[what])
    assert "not believed" in last
