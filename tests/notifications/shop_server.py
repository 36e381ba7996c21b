"""A merchant's server that behaves as told, and merchants who listen there."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec
from aiohttp import web
from standardwebhooks import Webhook

from hundi.notifications.rules import Delivery, DeliveryKey, Recipient, Rendered

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
WEBHOOK_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@dataclass
class Listener:
    """What a merchant's server heard, in order, and how it answers.

    By the words for each webhook id, then 200.
    """

    url: str = ""
    heard: list[tuple[int, str]] = field(default_factory=list)
    accepted: list[tuple[int, str]] = field(default_factory=list)
    words: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    always: dict[int, str] = field(default_factory=dict)
    under_way: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    under_way_max: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        merchant_id = int(request.match_info["merchant_id"])
        body = await request.read()
        webhook_id = request.headers["webhook-id"]
        signed_at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), UTC)
        assert request.headers["webhook-signature"] == Webhook(WEBHOOK_KEY).sign(
            webhook_id, signed_at, body.decode()
        )
        assert msgspec.json.decode(body)["webhook_id"] == webhook_id
        self.heard.append((merchant_id, webhook_id))
        self.under_way[merchant_id] += 1
        self.under_way_max[merchant_id] = max(
            self.under_way_max[merchant_id], self.under_way[merchant_id]
        )
        try:
            waiting = self.words[webhook_id]
            word = waiting.pop(0) if waiting else self.always.get(merchant_id, "200")
            response = await self._say(word, request)
        finally:
            self.under_way[merchant_id] -= 1
        if response.status < 300:
            self.accepted.append((merchant_id, webhook_id))
        return response

    async def _say(self, word: str, request: web.Request) -> web.StreamResponse:
        match word:
            case "hang":
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.release.wait(), 20)
                return web.Response(status=500)
            case "disconnect":
                assert request.transport is not None
                request.transport.abort()
                return web.Response(status=500)
            case "redirect":
                return web.Response(
                    status=302, headers={"Location": self.url.format(merchant_id=0)}
                )
            case "huge":
                return web.Response(status=500, body=b"\0\xff" * 500_000)
            case "later":
                return web.Response(status=503, headers={"Retry-After": "120"})
            case _:
                return web.Response(status=int(word), text="seen")


@dataclass
class Merchants:
    """Every id is a merchant who listens at `url`, but for those with an address of their own."""

    url: str
    others: dict[int, str] = field(default_factory=dict)

    render: Callable[[Delivery], Rendered] = field(default_factory=lambda: render)

    async def __call__(self, merchant_id: int) -> Recipient | None:
        url = self.others.get(merchant_id, self.url.format(merchant_id=merchant_id))
        return Recipient(url, (WEBHOOK_KEY,), self.render)


def render(delivery: Delivery) -> Rendered:
    told = {"webhook_id": delivery.key.webhook_id, "kind": delivery.kind, "facts": delivery.facts}
    return Rendered("application/json", msgspec.json.encode(told))


def key(merchant_id: int, payment_id: int = 1, event_no: int = 1) -> DeliveryKey:
    return DeliveryKey(merchant_id, payment_id, event_no)
