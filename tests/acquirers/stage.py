"""What the newer stand-ins of acquirers share: calls kept, troubles, a clock, signed webhooks."""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, TypeVar

from aiohttp import ClientSession, web

from tests.acquirers.server import opened_site

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Document = dict[str, Any]
Planned = TypeVar("Planned")


class Trouble(StrEnum):
    """What happens to the next call of a path."""

    LOST_BEFORE = "lost_before"
    """The connection ends before anything was done."""
    LOST_AFTER = "lost_after"
    """Everything was done, and the connection ends without an answer."""
    TOO_MANY = "429"
    """Refused, and nothing was done."""
    FAILED_BEFORE = "500 before"
    """An error of the server before anything was done."""
    FAILED_AFTER = "500 after"
    """An error of the server after everything was done."""
    UNAVAILABLE = "503"
    HTML = "html"
    """A page with status 200, and nothing was done."""
    CUT = "cut"
    """Half of the JSON, after everything was done."""
    EMPTY = "empty"
    """{} with status 200, after everything was done."""
    SILENT = "silent"
    """Everything was done, and the answer comes only when the test sets `released`."""


BEFORE: dict[Trouble, int] = {
    Trouble.TOO_MANY: 429,
    Trouble.FAILED_BEFORE: 500,
    Trouble.UNAVAILABLE: 503,
}


@dataclass(frozen=True)
class Call:
    """A call of a merchant's server as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def asked(self) -> Document:
        """Read its body, {} for none."""
        return json.loads(self.body) if self.body else {}


@dataclass(frozen=True)
class Webhook:
    """A webhook as it goes out. body: the bytes that are signed."""

    name: str
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Document:
        return json.loads(self.body)

    def reserialised(self) -> "Webhook":
        """Return it as a proxy leaves it that reads and writes its JSON: the signature is over."""
        return Webhook(self.name, self.headers, json.dumps(self.said, indent=1).encode())

    def unsigned(self) -> "Webhook":
        """Return it without what proves where it comes from."""
        kept = {
            name: each
            for name, each in self.headers.items()
            if "signature" not in name.lower() and name != "Authorization"
        }
        return Webhook(self.name, kept, self.body)

    def saying(self, **changes: Any) -> "Webhook":
        """Return it with other fields and its old signature, as a forger would."""
        return Webhook(self.name, self.headers, json.dumps(self.said | changes).encode())


class StandinError(Exception):
    """A call that the acquirer refuses. status: of HTTP; document: its body."""

    def __init__(self, status: int, document: Document) -> None:
        super().__init__(str(document))
        self.status, self.document = status, document


class Stage(ABC):
    """An acquirer on a free port, whose books, network and clock a test plays.

    url: where it listens. calls: every call in its order. troubles: by what method and path end
    with ("/payouts", "POST /v1/payouts"), what such calls get next. alter: likewise, what is made
    of the next JSON answers. clock: the hour that it believes, in seconds of Unix; `pass_time`
    moves it. addresses: when set, calls from others are refused. webhooks: what there is to tell,
    in its order; a test sends them as it likes: late, twice, altered or never.
    """

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[Call] = []
        self.troubles: dict[str, deque[Trouble]] = defaultdict(deque)
        self.alter: dict[str, deque[Callable[[Any], Any]]] = defaultdict(deque)
        self.webhooks: list[Webhook] = []
        self.addresses: set[str] | None = None
        self.released = asyncio.Event()
        self.clock = time.time()
        self._runner: web.AppRunner | None = None

    @abstractmethod
    def routes(self, app: web.Application) -> None:
        """Say which paths it answers."""

    @abstractmethod
    def trouble_document(self, status: int) -> Document:
        """Return the body of a refusal that has no other reason than trouble."""

    def unlisted(self) -> StandinError:
        """Return the refusal of a call from an address that is not listed."""
        return StandinError(403, self.trouble_document(403))

    def is_listed(self, request: web.Request) -> bool:
        """Return whether a call comes from where the acquirer takes calls."""
        return self.addresses is None or request.remote in self.addresses

    async def open(self) -> None:
        self._runner, self.url = await opened_site(self.routes, self._door)

    async def close(self) -> None:
        assert self._runner is not None
        self.released.set()
        await self._runner.cleanup()

    @classmethod
    @asynccontextmanager
    async def running(cls, *arguments: Any, **settings: Any) -> AsyncIterator[Self]:
        """Serve until the block ends."""
        stage = cls(*arguments, **settings)
        await stage.open()
        try:
            yield stage
        finally:
            await stage.close()

    def trouble(self, call_end: str, *troubles: Trouble) -> None:
        """Make the next such calls go wrong, one trouble each."""
        self.troubles[call_end].extend(troubles)

    def change(self, call_end: str, *changes: Callable[[Any], Any]) -> None:
        """Make of the next JSON answers to such calls something else, one change each."""
        self.alter[call_end].extend(changes)

    def called(self, call_end: str = "") -> list[Call]:
        """Return the calls so far whose method and path end so."""
        return [each for each in self.calls if f"{each.method} {each.path}".endswith(call_end)]

    @property
    def now(self) -> int:
        return int(self.clock)

    def pass_time(self, seconds: float) -> None:
        self.clock += seconds

    async def send(self, webhook: Webhook, to: str) -> int:
        """Post a webhook, and return the status of the answer."""
        async with (
            ClientSession() as http,
            http.post(to, data=webhook.body, headers=webhook.headers) as answer,
        ):
            return answer.status

    @web.middleware
    async def _door(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        query, headers = dict(request.query), dict(request.headers)
        body = await request.read()
        self.calls.append(Call(request.method, request.path, query, headers, body))
        trouble = due(self.troubles, f"{request.method} {request.path}")
        if trouble is Trouble.LOST_BEFORE:
            return self._lost(request)
        if trouble is Trouble.HTML:
            return web.Response(text="<title>Maintenance</title>", content_type="text/html")
        status = BEFORE.get(trouble) if trouble else None
        if status:
            return web.json_response(self.trouble_document(status), status=status)
        answer = await self._answered(request, handler)
        if trouble is Trouble.SILENT:
            await self.released.wait()
        return self._spoilt(request, answer, trouble)

    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if self.addresses is not None and not self.is_listed(request):
                raise self.unlisted()
            answer = await handler(request)
        except StandinError as error:
            answer = web.json_response(error.document, status=error.status)
        change = due(self.alter, f"{request.method} {request.path}")
        if change is not None:
            assert isinstance(answer, web.Response)
            assert isinstance(answer.body, bytes)
            answer = web.json_response(change(json.loads(answer.body)), status=answer.status)
        return answer

    def _spoilt(
        self, request: web.Request, answer: web.StreamResponse, trouble: Trouble | None
    ) -> web.StreamResponse:
        if trouble is Trouble.LOST_AFTER:
            return self._lost(request)
        if trouble is Trouble.FAILED_AFTER:
            return web.json_response(self.trouble_document(500), status=500)
        if trouble is Trouble.EMPTY:
            return web.json_response({})
        if trouble is Trouble.CUT:
            assert isinstance(answer, web.Response)
            assert isinstance(answer.body, bytes)
            half = answer.body[: len(answer.body) // 2]
            return web.Response(body=half, content_type="application/json")
        return answer

    def _lost(self, request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response(status=500)


def due(planned: dict[str, deque[Planned]], call: str) -> Planned | None:
    """Take what was planned for a call next, None for nothing."""
    for end, waiting in planned.items():
        if waiting and call.endswith(end):
            return waiting.popleft()
    return None
