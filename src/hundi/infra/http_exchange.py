"""One kept connection of an HTTP/1.1 client: a request goes out whole, an answer comes back cut to what is kept.

A common HTTP client took ten times as much for each call, which was a quarter of all that a delivery cost the worker.
"""

import asyncio
import time

import httptools

HEAD_BYTES_MAX = 64 * 1024
"""Of an answer, all that announces another answer included."""


class BrokenAnswerError(Exception):
    """What came is no HTTP answer, or ended too soon."""


class Exchange(asyncio.Protocol):
    """One connection, one request at a time. The methods named `on_` are called by the parser."""

    def __init__(self, body_bytes_max: int) -> None:
        """Prepare; asyncio connects it. body_bytes_max: how much of an answer's body is kept."""
        self.is_open = False
        self.answered_at = 0.0
        self._body_bytes_max = body_bytes_max
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[tuple[int, dict[str, str], bytes]] | None = None

    async def ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a whole request; return (status, headers with names in lower case, first bytes of the body).

        Raises BrokenAnswerError, OSError. After any exception, and after an answer that was cut, it is of no more use.
        """
        self._answer = asyncio.get_running_loop().create_future()
        self._status, self._head_bytes = 0, 0
        self._headers: dict[str, str] = {}
        self._body = b""
        self._transport.write(request)
        return await self._answer

    def abort(self) -> None:
        """End the connection at once."""
        self.is_open = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport (called by asyncio)."""
        self._transport: asyncio.Transport = transport  # pyright: ignore[reportAttributeAccessIssue] (a stream's)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        """Read on (called by asyncio); what nobody asked for ends the connection."""
        if self._answer is None:
            self.abort()
            return
        self._head_bytes += 0 if self._status else len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._break()
            return
        if not self._status and self._head_bytes > HEAD_BYTES_MAX:
            self._break()

    def on_message_begin(self) -> None:
        """Refuse an answer that nobody asked for."""
        if self._answer is None:
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep one header; the first of several with one name."""
        if self._answer is not None:
            self._headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        """Take the status; what only announces another answer is none."""
        status = self._parser.get_status_code()
        if status >= 200 or status == 101:  # noqa: PLR2004 (the classes of HTTP statuses)
            self._status = status
        else:
            self._headers.clear()

    def on_body(self, body: bytes) -> None:
        """Keep what is to be kept; the rest is not waited for."""
        self._body += body[: self._body_bytes_max + 1 - len(self._body)]
        if len(self._body) > self._body_bytes_max:
            self._body = self._body[: self._body_bytes_max]
            self._end()
            self.abort()

    def on_message_complete(self) -> None:
        """Hand over the answer."""
        if self._status and self._answer is not None:
            if not self._parser.should_keep_alive():
                self.abort()
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail whoever waits, unless the end of the connection is the end of the answer (called by asyncio)."""
        self.is_open = False
        if self._answer is None:
            return
        without_length = self._status and not {"content-length", "transfer-encoding"} & self._headers.keys()
        if without_length and exc is None:
            self._end()
        else:
            self._break()

    def _end(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            self.answered_at = time.monotonic()
            answer.set_result((self._status, self._headers, self._body))

    def _break(self) -> None:
        answer, self._answer = self._answer, None
        self.abort()
        if answer is not None and not answer.done():
            answer.set_exception(BrokenAnswerError())
