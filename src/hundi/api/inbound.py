"""One HTTP request and its reply, straight from the server (ASGI), without a framework in between.

Every call of a merchant or a partner comes this way; pages, health and the shop keep the framework
(decision 0012).
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from litestar.types import Receive, Send

from hundi.infra.http.exchanges import exchange_of
from hundi.wire import forms

_QUERY_FIELDS_MAX = 64


class DisconnectedError(ConnectionError):
    """The caller disconnected before the whole body arrived; nothing of the request is acted on."""


class Inbound:
    """A request of which only the head was read. Header names are lower case."""

    __slots__ = ("_exchange", "_named", "_receive", "_scope", "method", "path", "peer")

    def __init__(self, scope: Mapping[str, Any], receive: Receive) -> None:
        """Keep the server's request (ASGI's scope); the body is not read yet."""
        self._scope = scope
        self._receive = receive
        self._exchange = exchange_of(self._scope)
        self.path: str = self._scope["path"]
        self.method: str = self._scope["method"]
        client = self._scope.get("client")
        self.peer: str = client[0] if client else ""
        """The address the connection comes from."""
        # The first of repeated headers counts.
        self._named: dict[bytes, bytes] = dict(reversed(self._scope["headers"]))

    def header(self, name: bytes) -> str:
        """Return one header, "" when it was not sent."""
        value = self._named.get(name)
        return value.decode("latin-1") if value else ""

    def last_of(self, name: bytes) -> str:
        """Return the last entry of a comma-separated header over all its lines.

        "" when it was not sent.
        """
        if name not in self._named:
            return ""
        lines = [value.decode("latin-1") for each, value in self._scope["headers"] if each == name]
        return ",".join(lines).rsplit(",", 1)[-1].strip()

    def headers(self) -> dict[str, str]:
        """Return all headers."""
        return {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in self._scope["headers"]
        }

    def query(self, name: str) -> str:
        """Return one field of the query, "" when it was not sent."""
        try:
            found = forms.pairs(self._scope["query_string"], _QUERY_FIELDS_MAX)
        except forms.UnreadableForm:
            return ""
        return next((value for each, value in found if each == name and value), "")

    def query_fields(self) -> dict[str, str]:
        """Return the fields of the query, also empty ones; the first of repeated names counts."""
        query: bytes = self._scope["query_string"]
        try:
            return dict(reversed(forms.pairs(query, _QUERY_FIELDS_MAX))) if query else {}
        except forms.UnreadableForm:
            return {}

    def query_once(self) -> dict[str, str]:
        """Return the fields of the query. Raises UnreadableForm, for a repeated name as well."""
        found = forms.pairs(self._scope["query_string"], _QUERY_FIELDS_MAX)
        fields = dict(found)
        if len(fields) != len(found):
            message = "a name that comes twice"
            raise forms.UnreadableForm(message)
        return fields

    async def body(self, bytes_max: int) -> bytes | None:
        """Return the body, or None when it is longer than allowed. Raises DisconnectedError."""
        declared = self.header(b"content-length")
        if declared.isdigit() and int(declared) > bytes_max:
            return None
        body = self._exchange.taken_body() if self._exchange is not None else None
        if body is not None:
            return body if len(body) <= bytes_max else None
        body = b""
        while True:
            event: Mapping[str, Any] = await self._receive()
            if event["type"] == "http.disconnect":
                raise DisconnectedError
            body += event.get("body", b"")
            if len(body) > bytes_max:
                return None
            if not event.get("more_body"):
                return body

    async def answer(self, reply: "Reply", send: Send) -> None:
        """Send the reply: at once where the server can, else by two messages."""
        headers = [*reply.headers, (b"content-length", b"%d" % len(reply.body))]
        exchange = self._exchange
        if exchange is not None and exchange.answered(reply.status, headers, reply.body):
            return
        start: Any = {"type": "http.response.start", "status": reply.status, "headers": headers}
        end: Any = {"type": "http.response.body", "body": reply.body}
        await send(start)
        await send(end)


class Reply(msgspec.Struct, frozen=True):
    """A whole HTTP reply. headers: all but content-length."""

    body: bytes = b""
    status: int = 200
    headers: Iterable[tuple[bytes, bytes]] = ()
