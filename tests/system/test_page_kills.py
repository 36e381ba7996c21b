"""Easebuzz, Pine Labs and Juspay take money once, while api and worker are killed."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
import pytest

from hundi.acquirers.calls.banks import ANY_BANK
from hundi.acquirers.juspay.rules import order_id as order_id_at_juspay
from hundi.sdk import RefundItem
from tests.acquirers.easebuzz import standin as of_easebuzz
from tests.acquirers.juspay import standin as of_juspay
from tests.acquirers.pinelabs import standin as of_pine
from tests.acquirers.pinelabs.standin_books import WEBHOOK_SECRET
from tests.acquirers.players import PLAYERS, Player
from tests.acquirers.stage import Stage
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.bank_redirects import NB, go
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, NotStartedError, Shop, new_order_id

ORDERS, REFUNDED = 6, 2
POSTING = [("payment", "receivable:south", "payable", AMOUNT_PAISE)]
CONTACT = {"contact_email": "shop@example.in", "contact_phone": "9000000000"}
FIELDS: dict[str, dict[str, Any]] = {
    "easebuzz": {
        "environment": "test",
        "key": of_easebuzz.KEY,
        "salt": of_easebuzz.SALT,
        **CONTACT,
    },
    "pinelabs": {
        "environment": "uat",
        "client_id": of_pine.CLIENT_ID,
        "client_secret": of_pine.CLIENT_SECRET,
        "webhook_secret": WEBHOOK_SECRET,
    },
    "juspay": {
        "environment": "sandbox",
        "merchant_id": of_juspay.MERCHANT_ID,
        "api_key": of_juspay.API_KEY,
        "client_id": of_juspay.CLIENT_ID,
        "webhook_username": of_juspay.WEBHOOK_USER,
        "webhook_password": of_juspay.WEBHOOK_PASSWORD,
        **CONTACT,
    },
}


@asynccontextmanager
async def served(stage: Stage) -> AsyncIterator[Stage]:
    """Serve a stand-in until the block ends."""
    await stage.open()
    try:
        yield stage
    finally:
        await stage.close()


def at_page(shop: Shop, player: Player, order_id: str) -> str:
    """Send a customer to the acquirer's page, again and again, and return our reference there."""

    def look() -> str:
        try:
            with Browser() as browser:
                screen = shop.first_screen(browser, order_id)
                if any(form.action.endswith(f"/{NB}") for form in screen.forms):
                    go(browser, screen, NB, ANY_BANK)
        except (httpx.TransportError, NotStartedError):
            pass  # the gateway was killed, or is not there again
        attempts = [each for each in shop.attempts(order_id) if each["connector"] == "south"]
        references = [f"{shop.merchant.number}-{each['attempt_id']}" for each in attempts]
        return next((each for each in reversed(references) if has_page(player, each)), "")

    return until(look, f"{order_id} to be at the acquirer's page", every_s=0.5)


def has_page(player: Player, reference: str) -> bool:
    """Return whether the acquirer was asked for a page."""
    calls = player.stage.called(player.page_call)
    return any(name.encode() in call.body for call in calls for name in _names(reference))


def _names(reference: str) -> tuple[str, str]:
    return reference, order_id_at_juspay(reference)


def kill(gateway: RunningGateway) -> None:
    for part in ("api", "worker", "api", "worker"):
        gateway.kill_part(part)


def tell(gateway: RunningGateway, player: Player, reference: str) -> None:
    """Send a webhook, which is lost where the gateway is not there."""
    headers, body = player.webhook(reference)
    try:
        httpx.post(
            f"{gateway.base_url}/callbacks/south", content=body, headers=headers, trust_env=False
        )
    except httpx.TransportError:
        return


def killed_while_paying(shop: Shop, player: Player) -> dict[str, str]:
    """Let customers come and pay while both are killed; return references by order ids."""
    orders = {order_id: at_page(shop, player, order_id) for order_id in _new_orders()}
    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill, shop.gateway)
        orders |= {order_id: at_page(shop, player, order_id) for order_id in _new_orders()}
        for place, reference in enumerate(orders.values()):
            player.pay(reference)
            if place % 2:
                tell(shop.gateway, player, reference)
        killing.result()
    return orders


def _new_orders() -> list[str]:
    return [new_order_id() for _ in range(ORDERS // 2)]


@pytest.mark.parametrize("name", PLAYERS)
def test_what_customers_pay_while_the_gateway_is_killed_is_taken_once(
    name: str, new_folder: NewFolder, server: MerchantServer
) -> None:
    player = PLAYERS[name]()
    with (
        running_apart(new_folder(f"kills-{name}"), "south") as gateway,
        alongside(served(player.stage)),
    ):
        for shop in open_shop(gateway, server, f"kills-{name}", channels="nb"):
            own = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
            fields = FIELDS[name] | player.addresses() | {"methods": ["netbanking"]}
            acquirer(gateway, "add", "south", name, *own, fields=fields)
            at_page(shop, player, new_order_id())  # everybody knows the account
            orders = killed_while_paying(shop, player)
            for order_id, reference in orders.items():
                assert shop.becomes(order_id, 200).status_code == 200
                assert shop.postings(order_id) == POSTING
                states = [each["state"] for each in shop.attempts(order_id)]
                assert states.count("paid") == 1, reference
            see_refunds_sent_once(shop, player, dict(list(orders.items())[:REFUNDED]))


def see_refunds_sent_once(shop: Shop, player: Player, orders: dict[str, str]) -> None:
    """Refund orders while the worker is killed, and see one refund of each at the acquirer."""
    for order_id in orders:
        number = shop.verify(order_id).transaction_id
        shop.client.refund([RefundItem(number, AMOUNT_PAISE)], request_id=new_order_id("R"))
    shop.gateway.kill_part("worker", times=2)

    def sent_again(reference: str) -> int:
        # What was lost is sent again once the acquirer has nothing of it twice, minutes apart.
        shop.gateway.rows(
            "UPDATE refunds SET due_at = now() WHERE due_at > now() + interval '90 seconds'"
        )
        return player.given_back(reference)

    for reference in orders.values():
        until(partial(sent_again, reference), f"the refund of {reference}", every_s=5.0)
    tell(shop.gateway, player, next(iter(orders.values())))
    assert [player.given_back(reference) for reference in orders.values()] == [1] * len(orders)
