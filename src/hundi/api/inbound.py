"""One request as the interfaces need it, read from what the server hands over (ASGI): no framework in between.

Every call of a merchant or a partner comes this way; pages, health and the shop keep the framework (decision 0012).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl

from litestar.types import Receive, Scope, Send

_QUERY_FIELDS_MAX = 64


class DisconnectedError(ConnectionError):
    """The caller went away before the whole request was here: nothing of it is acted on."""


class Inbound:
    """A request on its way in. Header names are lower case."""

    __slots__ = ("_receive", "_scope", "method", "path")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        """Take over what the server handed us; nothing is read yet."""
        self._scope = cast("Mapping[str, Any]", scope)
        self._receive = receive
        self.path: str = self._scope["path"]
        self.method: str = self._scope["method"]

    def header(self, name: bytes) -> str:
        """Return one header, "" when it was not sent."""
        found = next((value for each, value in self._scope["headers"] if each == name), b"")
        return found.decode("latin-1")

    def last_of(self, name: bytes) -> str:
        """Return the last entry of a header that lists, over all the lines it came in; "" when it was not sent."""
        lines = [value.decode("latin-1") for each, value in self._scope["headers"] if each == name]
        return ",".join(lines).rsplit(",", 1)[-1].strip()

    def headers(self) -> dict[str, str]:
        """Return all headers."""
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self._scope["headers"]}

    @property
    def peer(self) -> str:
        """Return the address the connection comes from."""
        client = self._scope.get("client")
        return client[0] if client else ""

    def query(self, name: str) -> str:
        """Return one field of the query, "" when it was not sent."""
        try:
            pairs = parse_qsl(self._scope["query_string"].decode("latin-1"), max_num_fields=_QUERY_FIELDS_MAX)
        except ValueError:
            return ""
        return next((value for each, value in pairs if each == name), "")

    async def body(self, bytes_max: int) -> bytes | None:
        """Return the body, or None when it is longer than allowed. Raises DisconnectedError."""
        declared = self.header(b"content-length")
        if declared.isdigit() and int(declared) > bytes_max:
            return None
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


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. headers: beside content-length."""

    body: bytes = b""
    status: int = 200
    headers: Iterable[tuple[bytes, bytes]] = field(default=())

    async def send(self, send: Send) -> None:
        """Hand it to the server."""
        headers = [*self.headers, (b"content-length", b"%d" % len(self.body))]
        start: Any = {"type": "http.response.start", "status": self.status, "headers": headers}
        end: Any = {"type": "http.response.body", "body": self.body}
        await send(start)
        await send(end)
