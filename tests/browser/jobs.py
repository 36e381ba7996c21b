"""One demo gateway with a past for all jobs of the console, its people and its shop."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import asyncpg
from playwright.sync_api import Browser

from tests.browser.hand import Hand
from tests.system.console import Console
from tests.system.endpoint import Endpoint, MerchantServer
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway
from tests.system.shop import Shop


class Jobs:
    """What the jobs share.

    A person signs in once. The books are read in a thread of their own: the browser's event loop
    runs in this one.
    """

    def __init__(self, gateway: RunningGateway, server: MerchantServer) -> None:
        """Take the demo's first merchant."""
        self.gateway, self.server = gateway, server
        self.endpoint: Endpoint = server.endpoint("jobs")
        merchant = Merchant.of(gateway.demo["merchants"][0])
        self.shop = Shop.at(gateway, merchant, self.endpoint)
        self.merchant_id = int(merchant.merchant_id)
        self._sessions: dict[str, Console] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        """Hand over the jobs."""
        self._open.enter_context(self.shop.client)
        self._aside = self._open.enter_context(ThreadPoolExecutor(1))
        return self

    def __exit__(self, *_: object) -> None:
        """Close every session."""
        self._open.close()

    @contextmanager
    def person(self, browser: Browser, name: str, *allowed: str) -> Iterator[Hand]:
        """Let one of the demo's people begin at Home. allowed: permissions of the browser."""
        with Hand(browser, self.session(name), *allowed) as hand:
            yield hand

    def session(self, name: str) -> Console:
        """Return the session of one of the demo's people."""
        if name not in self._sessions:
            address = f"198.51.100.{100 + len(self._sessions)}"
            console = Console.signed_in(self.gateway, f"{name}@demo.example", address)
            self._sessions[name] = self._open.enter_context(console)
        return self._sessions[name]

    @contextmanager
    def newcomer(self, browser: Browser) -> Iterator[Hand]:
        """Let somebody begin who has no account yet."""
        with Console(self.gateway) as console, Hand(browser, console) as hand:
            yield hand

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        return self._aside.submit(lambda: asyncio.run(self._rows(query, values))).result()

    async def _rows(self, query: str, values: tuple[object, ...]) -> list[dict[str, Any]]:
        conn = await asyncpg.connect(self.gateway.database_url(), timeout=60)
        try:
            return [dict(row) for row in await conn.fetch(query, *values, timeout=60)]
        finally:
            await conn.close()

    def value(self, query: str, *values: object) -> Any:
        """Return the one value that a query finds, or None."""
        return next((next(iter(row.values())) for row in self.rows(query, *values)), None)

    def disputed_owner(self) -> str:
        """Return who owns the shop whose payment is disputed: by the demo's past, either one."""
        merchant_id = self.value("SELECT merchant_id FROM dispute_stages WHERE state = 'open'")
        return "asha" if merchant_id == self.merchant_id else "bharat"

    def number_of(self, order_id: str) -> int:
        """Return Hundi's number of an order's payment."""
        query = "SELECT payment_id FROM payments WHERE merchant_id = $1 AND order_id = $2"
        return int(self.value(query, self.merchant_id, order_id))

    def tries_of(self, order_id: str) -> set[str]:
        """Return the states of an order's attempts."""
        query = "SELECT state FROM attempts WHERE merchant_id = $1 AND payment_id = $2"
        return {
            row["state"] for row in self.rows(query, self.merchant_id, self.number_of(order_id))
        }

    def role_of(self, email: str) -> str | None:
        """Return somebody's role at the merchant."""
        query = (
            "SELECT m.role FROM memberships m JOIN people p USING (person_id)"
            " WHERE m.merchant_id = $1 AND p.email = $2"
        )
        role: str | None = self.value(query, self.merchant_id, email)
        return role
