"""Shops with old kits at a running gateway, and the connections of their servers."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.old_kit import START, OldKit
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, pay_card


@dataclass(frozen=True)
class KitShop:
    """A shop, its kit, and the connection of its server."""

    shop: Shop
    kit: OldKit
    http: httpx.Client

    def start(self, browser: Browser, form: dict[str, str], query: str = "") -> Screen:
        """Post the kit's form as a customer's browser does."""
        return browser.post(self.shop.gateway.base_url + START + query, form)

    def paid(self, order_id: str, amount: str = "1499.50") -> dict[str, str]:
        """Return what the shop's server is told of a new order that a card paid."""
        with Browser() as browser:
            pay_card(browser, self.start(browser, self.kit.form(order_id, amount)))
        return until(lambda: self.booked(order_id), f"{order_id} to be verified as paid")

    def booked(self, order_id: str) -> dict[str, str] | None:
        told = self.kit.verify(self.http, order_id)
        return told if told["TRANSACTIONSTATUS"] == "200" else None

    def why(self, screen: Screen) -> tuple[str, str]:
        """Return code and words of the request log under the reference on a page."""
        query = (
            "SELECT code, words, detail, explained FROM refused_requests"
            " WHERE merchant_id = $1 AND reference = $2"
        )
        (row,) = self.shop.gateway.rows(query, self.shop.merchant.number, screen.codes[1])
        return str(row["code"]), " ".join(map(str, row.values()))


def from_address(address: str) -> httpx.Client:
    return httpx.Client(
        trust_env=False, timeout=30, transport=httpx.HTTPTransport(local_address=address)
    )


def opened(
    gateway: RunningGateway, server: MerchantServer, version: str, *, listed: bool = True
) -> Iterator[KitShop]:
    """Open a shop of which the operator knows the kit, and the address of its server."""
    with from_address("127.0.0.88") as http:
        kind = {"client": f"kit-{version}"}
        for shop in open_shop(gateway, server, f"kit-{version}", events=(), **kind):
            if listed:
                merchant_id = shop.merchant.merchant_id
                gateway.operate(
                    "merchant", "senders", merchant_id, "--operation-address", "127.0.0.88"
                )
            yield KitShop(shop, OldKit(shop.merchant, gateway.base_url, version), http)
