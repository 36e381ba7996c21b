"""The application that answers interfaces and callbacks, and passes all other addresses on."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
from litestar import Litestar
from litestar.types import Receive, Scope, Send

from hundi.api import demo_clock, problems, strays
from hundi.api.addresses import (
    CALLBACK,
    CONSENT_PAGE,
    DEMO_CLOCK,
    LINK_PAGE,
    MANDATE_PAGE,
    RETURN_PAGE,
    SESSION_PAGE,
    WHERE_PAGE,
    below,
    loggable,
    of_kit,
)
from hundi.api.bank import callbacks
from hundi.api.endpoint import Handler, sender_address
from hundi.api.headers import OF_NO_PAGE, Headers, completed, completing
from hundi.api.inbound import DisconnectedError, Inbound, Reply
from hundi.api.merchant import (
    banks,
    completions,
    disputes,
    kit_operations,
    links,
    notifications,
    refund,
    saved_cards,
    seamless,
    settlements,
    split,
    subscriptions,
    terms,
    token,
    upi,
    upi_address,
    verify,
)
from hundi.api.merchant.plain import handlers as plain
from hundi.api.partner import gst, identity, leads, pos, pos_entries, prepaid_cards
from hundi.infra.monitoring import traces
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import Refusal, Refused
from hundi.wire.operation import Interface
from hundi.wire.plain.operation import DOCUMENT

if TYPE_CHECKING:
    from hundi.api.context import GatewayContext

Refuse = Callable[[Inbound, Refusal], Reply]

_ROOMS = (
    token,
    verify,
    banks,
    upi_address,
    completions,
    upi,
    seamless,
    refund,
    subscriptions,
    saved_cards,
    links,
    settlements,
    terms,
    split,
    disputes,
    notifications,
)
MERCHANTS: Mapping[Interface[Any, Any], Handler] = {
    interface: handler for room in _ROOMS for interface, handler in room.HANDLERS.items()
}
PARTNERS: Mapping[Interface[Any, Any], Handler] = {
    interface: handler
    for room in (gst, identity, leads, pos, pos_entries, prepaid_cards)
    for interface, handler in room.HANDLERS.items()
}
_POST, _GET = "POST", "GET"
PAGE_BODY_BYTES_MAX = 16 * 1024
"""Bytes of the largest body for a page: text that a person types."""
_OF_MERCHANTS = (SESSION_PAGE, MANDATE_PAGE, CONSENT_PAGE)
CONSOLE = "/console/"
_OF_NETWORKS = (CONSOLE, LINK_PAGE, RETURN_PAGE, WHERE_PAGE)
_COUNTED = (*_OF_MERCHANTS, *_OF_NETWORKS, "/app")
"""Pages that need the database or another server; the rest are files."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pages:
    """The handlers of customers' browsers in front of the framework.

    forms: by address, the handler of a POST; other methods belong to the application behind.
    session: answers a GET of a session's own address. too_many: answers callers over their limit.
    """

    forms: Mapping[str, Handler]
    session: Handler
    too_many: Refuse


class Interfaces:
    """Routes calls and callbacks by their address, and all else to another application."""

    def __init__(
        self,
        behind: Litestar,
        aliases: tuple[str, ...],
        pages: Pages,
        headers: Headers = OF_NO_PAGE,
    ) -> None:
        """Mount every operation under `/gateway` and the alias prefixes.

        headers: of every response that does not set them itself.
        """
        self._behind = behind
        self._opened: GatewayContext | None = None
        self._headers = headers
        self._pages = pages
        self._handlers: dict[str, Handler] = {
            address.rstrip("/"): handler
            for interface, handler in {**MERCHANTS, **PARTNERS}.items()
            for address in below(interface.below, aliases)
        }
        self._kits: dict[str, Handler] = {
            address: handler
            for kit, handler in kit_operations.HANDLERS.items()
            for address in of_kit(kit, aliases)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on; the server's start and end are passed on as well."""
        if scope["type"] != "http":
            self._opened = None
            await self._behind(scope, receive, send)
            return
        inbound = Inbound(scope, receive)
        if not traces.is_on():
            await self._answer(inbound, scope, receive, send)
            return
        began_s = time.perf_counter()
        traces.forget()
        await self._answer(inbound, scope, receive, send)
        traces.tell(f"{inbound.method} {loggable(inbound.path)}", traces.SERVER, began_s)

    async def _answer(self, inbound: Inbound, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            reply = await self._reply(inbound)
            if reply is None:
                await self._pass_on(inbound, scope, receive, completing(send, self._headers))
                return
        except DisconnectedError:
            return  # nobody waits for an answer, and nothing was done
        except Refused as refused:
            reply = self._pages.too_many(inbound, refused.refusal)
        except Exception as problem:  # noqa: BLE001 (an exception must not reach the server)
            _log.error("request_failed", path=loggable(inbound.path), exc_info=problem)
            reply = Reply(status=500)
        whole = Reply(reply.body, reply.status, completed(list(reply.headers), self._headers))
        await inbound.answer(whole, send)

    @property
    def _gateway(self) -> "GatewayContext":
        opened = self._opened = self._opened or self._behind.state.gateway
        return opened

    async def _reply(self, inbound: Inbound) -> Reply | None:
        """Return the reply of an interface; None for what belongs to the application behind."""
        if problems.is_plain(inbound.path) and inbound.path != DOCUMENT:
            gateway = self._gateway
            await self._count(inbound, gateway)
            return await plain.answer(gateway, inbound)
        form = self._posted(inbound.path) if inbound.method == _POST else None
        handler = form or self._handler(inbound.path)
        wrong = handler is not None and inbound.method != _POST
        # The application behind makes pages; other methods of programs are answered here.
        if handler is None and inbound.method == _GET and _is_session(inbound.path):
            return await self._shown(inbound, self._gateway)
        if handler is None or (wrong and strays.wants_page(inbound.header(b"accept"))):
            return None
        if wrong:
            return strays.wrong_method(inbound.path, inbound.method)
        gateway = self._gateway
        await self._count(inbound, gateway)
        return await handler(gateway, inbound)

    def _posted(self, path: str) -> Handler | None:
        """Return the handler of an address that is served for POST alone."""
        return self._pages.forms.get(path) or self._kits.get(path)

    async def _shown(self, inbound: Inbound, gateway: "GatewayContext") -> Reply:
        """Return the page of a session, in its merchant's turn."""
        await self._count(inbound, gateway)
        if await inbound.body(PAGE_BODY_BYTES_MAX) is None:
            return Reply(status=413)
        async with gateway.admission.turn(self._merchant_of(inbound.path), ""):
            return await self._pages.session(gateway, inbound)

    async def _count(self, inbound: Inbound, gateway: "GatewayContext") -> None:
        """Count a request against its network's rate limit.

        Over the limit it delays, then raises Refused (TOO_MANY_REQUESTS).
        """
        admission = gateway.admission
        try:
            sender = inbound.path.rstrip("/") if inbound.path.startswith(CALLBACK) else ""
            admission.count(
                sender_address(inbound, gateway),
                inbound.peer,
                world_now().timestamp(),
                sender,
            )
        except Refused:
            await admission.delay()
            raise

    async def _pass_on(self, inbound: Inbound, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application behind answer: pages, the demo shop, files, health."""
        path = inbound.path
        if path.startswith(_COUNTED):
            await self._count(inbound, self._gateway)
        if path.startswith(_OF_NETWORKS):
            # A network's requests wait only for each other: floods of the sign-in, of payment
            # links' codes or of unproven returns delay nobody else.
            asking = sender_address(inbound, self._gateway) or inbound.peer
            async with self._gateway.admission.turn(f"network {asking}", ""):
                await self._behind(scope, receive, send)
            return
        if not path.startswith(_OF_MERCHANTS):
            await self._behind(scope, receive, send)
            return
        # The whole body first: a customer who sends it slowly must not hold a turn meanwhile.
        body = await inbound.body(PAGE_BODY_BYTES_MAX)
        if body is None:
            await inbound.answer(Reply(status=413), send)
            return
        async with self._gateway.admission.turn(self._merchant_of(path), ""):
            await self._behind(scope, _received(body, receive), send)

    def _merchant_of(self, path: str) -> str:
        """Return the merchant whose turn a page takes.

        Addresses that name none share one turn.
        """
        name, sessions = path.removeprefix(SESSION_PAGE), self._gateway.sessions
        if path.startswith(MANDATE_PAGE):
            name, sessions = path.removeprefix(MANDATE_PAGE), self._gateway.mandate_links
        elif path.startswith(CONSENT_PAGE):
            name, sessions = path.removeprefix(CONSENT_PAGE), self._gateway.consent_links
        named = sessions.open_(name.partition("/")[0])
        return str(named[0]) if named else "unnamed"

    def _handler(self, path: str) -> Handler | None:
        if path == DEMO_CLOCK:
            return demo_clock.move
        found = self._handlers.get(path.rstrip("/"))
        return callbacks.bank_callback if found is None and path.startswith(CALLBACK) else found


def _is_session(path: str) -> bool:
    """Return whether an address is a session's own, and none below it."""
    return (
        path.startswith(SESSION_PAGE)
        and path.find("/", len(SESSION_PAGE)) < 0
        and path != SESSION_PAGE
    )


def _received(body: bytes, receive: Receive) -> Receive:
    """Return the `receive` of a request whose body was read.

    Afterwards it reports the end of the connection.
    """
    events: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:  # noqa: ANN401 (an event of ASGI)
        return events.pop() if events else await receive()

    return again
