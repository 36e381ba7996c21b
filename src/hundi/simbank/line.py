"""Posts to one address over connections that stay open: all that sending callbacks needs of HTTP/1.1.

A common HTTP client cost ten times as much, which was a fifth of all that a payment cost at the bank.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

import httptools

_CONNECTIONS_MAX = 32
# The gateway closes what was idle for longer, and might do so just when something is sent.
_IDLE_S_MAX = 60
_ANSWER_BYTES_MAX = 64 * 1024


class Line:
    """At most _CONNECTIONS_MAX connections to one address, one request at a time on each."""

    def __init__(self, url: str, *, timeout_s: float) -> None:
        """Prepare; nothing is opened yet. timeout_s: for a whole post, waiting for a connection included."""
        parts = urlsplit(url)
        self._timeout_s = timeout_s
        self._host = parts.hostname or ""
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        # The address is an operator's setting; what is not ASCII in it is refused here, at start.
        self._head = f"POST {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n".encode("ascii")
        self._places = asyncio.Semaphore(_CONNECTIONS_MAX)
        self._idle: list[_Connection] = []

    async def post(self, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a body and return the status of the answer. Raises OSError, TimeoutError."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = self._head + f"{lines}Content-Length: {len(body)}\r\n\r\n".encode("ascii") + body
        async with asyncio.timeout(self._timeout_s), self._places:
            connection = self._free() or await self._opened()
            try:
                status = await connection.ask(request)
            except BaseException:
                connection.abort()
                raise
        if connection.is_open:
            self._idle.append(connection)
        return status

    def close(self) -> None:
        """End every connection that nobody uses."""
        while self._idle:
            self._idle.pop().abort()

    def _free(self) -> "_Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and time.monotonic() - connection.answered_at < _IDLE_S_MAX:
                return connection
            connection.abort()
        return None

    async def _opened(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(_Connection, self._host, self._port, ssl=self._tls))[1]


class _Connection(asyncio.Protocol):
    """One connection; the methods named `on_` are called by the parser."""

    def __init__(self) -> None:
        self.is_open = False
        self.answered_at = 0.0
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[int] | None = None
        self._headed = False
        self._bytes = 0

    async def ask(self, request: bytes) -> int:
        self._answer = asyncio.get_running_loop().create_future()
        self._headed, self._bytes = False, 0
        self._transport.write(request)
        return await self._answer

    def abort(self) -> None:
        self.is_open = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # pyright: ignore[reportAttributeAccessIssue] (a stream's)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._answer is None or self._bytes > _ANSWER_BYTES_MAX:
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.abort()

    def on_headers_complete(self) -> None:
        # What only announces another answer is none.
        self._headed = self._parser.get_status_code() >= 200  # noqa: PLR2004

    def on_message_complete(self) -> None:
        if self._headed:
            self._end()
            if not self._parser.should_keep_alive():
                self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._headed:
            # An answer without a length ends with its connection.
            self._end()
        elif self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("closed before the answer"))

    def _end(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            self.answered_at = time.monotonic()
            answer.set_result(self._parser.get_status_code())
