"""A lean HTTP/1.1 client, and two kinds of load: a closed loop, and arrivals at a fixed rate.

A load generator on a common HTTP client costs as much as the gateway it measures, so this one does
only the necessary.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"
_CHUNKED = b"\r\ntransfer-encoding: chunked"
IN_FLIGHT_MAX = 200
"""Open loop: a gateway that falls this far behind gets no more at once.

A waiting chain's time counts from its due time.
"""


class BrokenChainError(Exception):
    """A step of a chain went wrong; the text names it."""


class HttpMessage(NamedTuple):
    """One HTTP message: start line and headers, body, and how many bytes of the stream it took."""

    head: bytes
    body: bytes
    size: int


def read_message(data: bytes) -> HttpMessage | None:
    """Return the first message of a stream, or None while it is incomplete."""
    end = data.find(_HEAD_END)
    if end < 0:
        return None
    head = data[:end]
    lower = head.lower()
    start = end + len(_HEAD_END)
    at = lower.find(_LENGTH)
    if at >= 0:
        size = start + int(lower[at + len(_LENGTH) :].split(b"\r\n", 1)[0])
        return HttpMessage(head, data[start:size], size) if len(data) >= size else None
    if _CHUNKED in lower:
        return _read_chunks(head, data, start)
    return HttpMessage(head, b"", start)


def _read_chunks(head: bytes, data: bytes, at: int) -> HttpMessage | None:
    parts: list[bytes] = []
    while True:
        line_end = data.find(b"\r\n", at)
        if line_end < 0:
            return None
        size = int(data[at:line_end].partition(b";")[0], 16)
        begin = line_end + 2
        at = begin + size + 2
        if len(data) < at:
            return None
        if size == 0:
            return HttpMessage(head, b"".join(parts), at)
        parts.append(data[begin : begin + size])


class LoadReply(NamedTuple):
    """A response: status, head and body."""

    status: int
    head: bytes
    body: bytes

    def header(self, name: bytes) -> bytes:
        """Return the value of a header, b"" when it is not there; name in lower case."""
        prefix = b"\r\n" + name + b":"
        at = self.head.lower().find(prefix)
        return self.head[at + len(prefix) :].split(b"\r\n", 1)[0].strip() if at >= 0 else b""


class Connection(asyncio.Protocol):
    """One keep-alive connection, one request at a time.

    It opens again after the other side closed it.
    """

    def __init__(self, host: str, port: int, source: str | None = None) -> None:
        """Prepare without a connection.

        source: the address to connect from.
        """
        self._host, self._port = host, port
        self._source = (source, 0) if source else None
        self._transport: asyncio.WriteTransport | None = None
        self._waiting: asyncio.Future[LoadReply] | None = None
        self._buffer = b""

    async def send(self, request: bytes) -> LoadReply:
        """Send a whole request and return its answer. Raises OSError when the connection breaks."""
        loop = asyncio.get_running_loop()
        if self._transport is None:
            await loop.create_connection(
                lambda: self, self._host, self._port, local_addr=self._source
            )
        self._waiting = loop.create_future()
        self._transport.write(request)  # pyright: ignore[reportOptionalMemberAccess] (connection_made has set it)
        return await self._waiting

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport (called by asyncio)."""
        self._transport = transport  # pyright: ignore[reportAttributeAccessIssue] (a stream's transport can write)
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        """Return an answer that is complete (called by asyncio)."""
        self._buffer = self._buffer + data if self._buffer else data
        message = read_message(self._buffer)
        if message is not None:
            self._buffer = self._buffer[message.size :]
            waiting, self._waiting = self._waiting, None
            if waiting is not None and not waiting.done():
                waiting.set_result(LoadReply(int(message.head[9:12]), message.head, message.body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the waiting request (called by asyncio)."""
        self._transport = None
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(exc or ConnectionResetError("closed before the answer"))


TAKEN = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class NotificationListener(asyncio.Protocol):
    """One connection of a merchant's server: answers 200 at once and passes requests on."""

    def __init__(self, take: Callable[[bytes, bytes], None]) -> None:
        """Pass head and body of each request to `take`."""
        self._take = take
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport (called by asyncio)."""
        self._transport: asyncio.WriteTransport = transport  # pyright: ignore[reportAttributeAccessIssue]

    def data_received(self, data: bytes) -> None:
        """Pass on every complete request (called by asyncio)."""
        self._buffer = self._buffer + data if self._buffer else data
        while (message := read_message(self._buffer)) is not None:
            self._buffer = self._buffer[message.size :]
            self._transport.write(TAKEN)
            self._take(message.head, message.body)


def get(host: str, path: str, headers: str = "") -> bytes:
    """Return a GET request; headers: whole lines, each with its line end."""
    return f"GET {path} HTTP/1.1\r\nhost: {host}\r\n{headers}\r\n".encode()


def post(host: str, path: str, content_type: str, body: bytes, headers: str = "") -> bytes:
    """Return a POST request; headers: whole lines, each with its line end."""
    about = f"content-type: {content_type}\r\ncontent-length: {len(body)}\r\n"
    return f"POST {path} HTTP/1.1\r\nhost: {host}\r\n{about}{headers}\r\n".encode() + body


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds of load before measuring, and of measuring."""

    warm_up_s: float
    measure_s: float


Meter = AbstractAsyncContextManager[object]
Chain = Callable[[], Awaitable[None]]
"""Does one chain. Raises BrokenChainError or OSError."""


@dataclass(frozen=True, slots=True)
class SpanSample:
    """The measurements of one span.

    Its length, and the seconds of each chain that ended in it.
    """

    seconds: float
    took_s: Sequence[float]

    @property
    def per_second(self) -> float:
        """Return how many chains ended per second."""
        return len(self.took_s) / self.seconds

    def quantile_ms(self, part: float) -> float:
        """Return the latency in milliseconds that a part (0.99) of the chains did not exceed."""
        return quantile(self.took_s, part) * 1000


def quantile(values: Sequence[float], part: float) -> float:
    """Return the smallest value that a part of the values does not exceed.

    Raises BrokenChainError without values.
    """
    if not values:
        message = "no chain ended in the measured time"
        raise BrokenChainError(message)
    return sorted(values)[max(0, math.ceil(len(values) * part) - 1)]


class _Window:
    """The chains that count: those that end while it is open."""

    def __init__(self) -> None:
        self.is_over = False
        self._is_open = False
        self._took_s: list[float] = []

    async def chain(self, do: Chain, due: float) -> None:
        await do()
        if self._is_open:
            self._took_s.append(time.perf_counter() - due)

    async def measure(self, span: Span, meter: Meter) -> SpanSample:
        await asyncio.sleep(span.warm_up_s)
        async with meter:
            begun = time.perf_counter()
            self._is_open = True
            await asyncio.sleep(span.measure_s)
            self._is_open = False
            seconds = time.perf_counter() - begun
        self.is_over = True
        return SpanSample(seconds, self._took_s)


async def closed_loop(customers: Sequence[Chain], span: Span, meter: Meter) -> SpanSample:
    """Run chains for every customer one after another; return when all started ones have ended.

    meter: runs exactly while chains count. Raises the errors of a chain.
    """
    window = _Window()

    async def customer(do: Chain) -> None:
        while not window.is_over:
            await window.chain(do, time.perf_counter())

    async with _first_failure(), asyncio.TaskGroup() as tasks:
        for do in customers:
            tasks.create_task(customer(do))
        measured = tasks.create_task(window.measure(span, meter))
    return measured.result()


async def open_loop(per_second: float, arrive: Chain, span: Span, meter: Meter) -> SpanSample:
    """Begin chains at fixed times; a chain's latency counts from its due time.

    meter: runs exactly while chains count. Raises the errors of a chain.
    """
    window, places = _Window(), asyncio.Semaphore(IN_FLIGHT_MAX)

    async def arrived(due: float) -> None:
        await window.chain(arrive, due)
        places.release()

    async with _first_failure(), asyncio.TaskGroup() as tasks:
        measured = tasks.create_task(window.measure(span, meter))
        due = time.perf_counter()
        while not window.is_over:
            await places.acquire()
            tasks.create_task(arrived(due))
            due += 1 / per_second
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
    return measured.result()


@asynccontextmanager
async def _first_failure() -> AsyncIterator[None]:
    """Raise the first failure of a task group, unwrapped."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
