"""One request and its answer, with a short way for bodies and answers that are whole.

ASGI sends an answer in two messages and looks at each header of it, and a body comes as an event
that somebody waits for. That is a third of what a small request costs. So the server offers the
application an exchange (ASGI: "extensions"): a body that has come already is taken at once, and an
answer whose bytes are all known is written at once. All else goes the way of ASGI.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

EXTENSION = "hundi.exchange"
"""The exchange's name among a scope's extensions."""
_LINGER_S = 2.0
"""For how long the rest of a body is still taken after an answer that did not wait for it."""
_UNFIT = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no header may hold, beside a line's end (RFC 9110, 5.5)."""


class Joining:
    """A transport that sends the head of an answer together with its body.

    The server writes one after the other, and the loop sends each write at once: two system calls,
    two packets, and a caller that wakes up for a head alone.

    is_read: whether the whole request has come.
    """

    __slots__ = ("_held", "_is_read", "_lingers", "_loop", "_transport")

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_read: Callable[[], bool],
    ) -> None:
        """Start with nothing held."""
        self._transport, self._loop, self._is_read = transport, loop, is_read
        self._held = b""
        self._lingers = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever else a transport can)
        """Return what the transport itself has."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Hold the first piece until the second, or until the loop's next turn."""
        if self._held:
            self._transport.write(self._held + data)
            self._held = b""
        else:
            self._held = data
            self._loop.call_soon(self._flush)

    def write_whole(self, data: bytes) -> None:
        """Send a whole answer at once."""
        self._flush()
        self._transport.write(data)

    def is_closing(self) -> bool:
        """Return whether nothing more will be sent."""
        return self._lingers or self._transport.is_closing()

    def close(self) -> None:
        """Send the held piece, then close.

        While the caller still sends, what it sends is thrown away for a moment: a connection that
        is closed with bytes unread is reset, and the answer may be lost (RFC 9112, 9.6).
        """
        self._flush()
        if self._is_read():
            self._transport.close()
        elif not self.is_closing():
            self._lingers = True
            self._transport.write_eof()
            self._transport.resume_reading()
            self._loop.call_later(_LINGER_S, self._transport.close)

    def _flush(self) -> None:
        if self._held:
            self._transport.write(self._held)
            self._held = b""


class WholeExchange(Protocol):
    """The short way for what is whole."""

    def taken_body(self) -> bytes | None:
        """Return the body if all of it has come and nobody took it yet, else None."""
        ...

    def answered(self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> bool:
        """Send a whole answer; False if only ASGI's way can, and nothing was sent.

        headers: their names in lower case, content-length among them. Raises ValueError for a
        header with a line's end or a control character.
        """
        ...


class HttpExchange:
    """The short way, beside the server's own record of a request and its answer."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        """Take a request whose head was read."""
        self._cycle = cycle

    def taken_body(self) -> bytes | None:
        """See WholeExchange."""
        cycle = self._cycle
        if cycle.more_body or cycle.disconnected or cycle.response_complete:
            return None
        body, cycle.body = bytes(cycle.body), bytearray()
        return body

    def answered(self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> bool:
        """See WholeExchange."""
        cycle = self._cycle
        if cycle.flow.write_paused or cycle.response_started or cycle.scope["method"] == "HEAD":
            return False
        if cycle.disconnected:
            return True  # nobody waits for it
        lines = [b"%b: %b\r\n" % each for each in (*cycle.default_headers, *headers)]
        if not cycle.keep_alive:
            lines.append(b"connection: close\r\n")
        head = b"".join([STATUS_LINE[status], *lines, b"\r\n"])
        ends = len(lines) + 2
        if head.count(b"\n") != ends or head.count(b"\r") != ends or _UNFIT.search(head):
            message = "a header holds a line's end or a control character"
            raise ValueError(message)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write_whole(head + body)  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue] (the server's own transport)
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()
        return True


def exchange_of(scope: Mapping[str, Any]) -> WholeExchange | None:
    """Return the exchange of a request, None where another server serves."""
    return scope.get("extensions", {}).get(EXTENSION)
