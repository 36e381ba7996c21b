"""Calls to addresses that others chose: bounded in time and size, never followed elsewhere, never into our own network.

The address is judged where the connection is made, not only where it is saved: a name that changes its mind gains
nothing.
"""

import asyncio
import math
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Self

from yarl import URL

from hundi.infra.addresses import AddressRefusedError, check_ip, check_url
from hundi.infra.http_exchange import BrokenAnswerError, Exchange

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Turns a host name into IP addresses; raises OSError when there are none."""

ANSWER_BYTES_MAX = 2_048
_CONNECTIONS_MAX = 200
_CONNECTIONS_PER_HOST_MAX = 20
_KEEP_ALIVE_S = 15.0
_RESOLVE_THREADS_MAX = 16
_NEXT_ADDRESS_S = 2.0
"""How long one of several addresses may take to be connected: a network that swallows packets costs only this."""
_OUR_HEADERS = "user-agent: Hundi\r\naccept: */*\r\naccept-encoding: identity\r\n"
_URLS_KEPT = 1_024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    body: the first 2,048 bytes as sent. latency_ms: to the end of the body. headers: names in lower case.
    """

    status: int
    body: bytes
    latency_ms: int
    headers: Mapping[str, str]


class UnreachableError(Exception):
    """No answer came.

    reason: "name", "connect", "tls", "timeout" or "broken".
    sent: False only when it is certain that nothing was received there.
    """

    def __init__(self, reason: str, *, sent: bool, latency_ms: int = 0) -> None:
        """Keep the reason; it is also the text."""
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.latency_ms = latency_ms


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a request goes, read from its address. host: as it is looked up, a name or a literal."""

    host: str
    port: int
    tls: bool
    head: str


class OutboundClient:
    """One per process. A connection to a private address is not lent to who may not have it."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        """Prepare inside a running event loop. resolve: how names become addresses; the system's way by default."""
        self._names = _SystemNames()
        self._resolve = resolve or self._names.resolve
        self._tls = ssl.create_default_context()
        self._places = asyncio.Semaphore(_CONNECTIONS_MAX)
        self._pools: dict[tuple[str, int, bool, bool], _Pool] = {}
        self._sweep_timer: asyncio.TimerHandle | None = None

    async def check_address(self, url: str, *, allow_private: bool) -> None:
        """Raise AddressRefusedError unless the address could be called now: for the moment when somebody saves it."""
        host, port = check_url(url)
        try:
            addresses = await self._resolve(host, port)
        except OSError as error:
            message = f"the name {host} cannot be found"
            raise AddressRefusedError(message) from error
        for address in addresses:
            check_ip(address, allow_private=allow_private)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float, allow_private: bool = False
    ) -> Answer:
        """Send one POST and return whatever was answered, redirects included.

        timeout_s: from the name look-up to the last byte kept. Raises AddressRefusedError, UnreachableError.
        """
        return await self.send("POST", url, body, headers, timeout_s=timeout_s, allow_private=allow_private)

    async def send(  # noqa: PLR0913 (a request has these parts)
        self,
        method: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        allow_private: bool = False,
    ) -> Answer:
        """Send one request; see `post`."""
        target = _read(url, allow_private=allow_private)
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        if lines.count("\n") != len(headers) or lines.count("\r") != len(headers):
            message = "a header holds a line end"
            raise ValueError(message)
        head = f"{method} {target.head}{lines}content-length: {len(body)}\r\n\r\n"
        began = time.perf_counter()
        try:
            async with asyncio.timeout(timeout_s), self._places:
                status, names, kept = await self._asked(target, head.encode() + body, allow_private=allow_private)
        except _NotConnectedError as error:
            raise UnreachableError(error.reason, sent=False, latency_ms=_since_ms(began)) from error
        except TimeoutError as error:
            raise UnreachableError("timeout", sent=True, latency_ms=_since_ms(began)) from error
        except (BrokenAnswerError, OSError) as error:
            raise UnreachableError("broken", sent=True, latency_ms=_since_ms(began)) from error
        return Answer(status, kept, _since_ms(began), names)

    async def _asked(
        self, target: _Target, request: bytes, *, allow_private: bool
    ) -> tuple[int, dict[str, str], bytes]:
        key = (target.host, target.port, target.tls, allow_private)
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = _Pool()
            if self._sweep_timer is None:
                self._sweep_timer = asyncio.get_running_loop().call_later(_KEEP_ALIVE_S, self._sweep)
        pool.users += 1
        try:
            async with pool.places:
                exchange = pool.free() or await self._opened(target, allow_private=allow_private)
                try:
                    answer = await exchange.ask(request)
                except BaseException:
                    exchange.abort()
                    raise
        finally:
            pool.users -= 1
        if exchange.is_open:
            pool.idle.append(exchange)
        return answer

    def _sweep(self) -> None:
        """End what was idle for too long, and come again while anything is left."""
        for key, pool in list(self._pools.items()):
            pool.end_idle(before=time.monotonic() - _KEEP_ALIVE_S)
            if not pool.users and not pool.idle:
                del self._pools[key]
        loop = asyncio.get_running_loop()
        self._sweep_timer = loop.call_later(_KEEP_ALIVE_S, self._sweep) if self._pools else None

    async def _opened(self, target: _Target, *, allow_private: bool) -> Exchange:
        """Connect to the first address that takes it; each is judged right here, and it is an address, not a name."""
        try:
            addresses = await self._addresses(target)
        except OSError as error:
            raise _NotConnectedError("name") from error
        for address in addresses:
            check_ip(address, allow_private=allow_private)
        problem: Exception | None = None
        for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
            try:
                async with asyncio.timeout(_NEXT_ADDRESS_S if left else None):
                    return await self._connected(target, address)
            except ssl.SSLError as error:
                raise _NotConnectedError("tls") from error
            except OSError as error:
                problem = error
        raise _NotConnectedError("connect") from problem

    async def _addresses(self, target: _Target) -> list[str]:
        try:
            return [str(ip_address(target.host))]
        except ValueError:
            return await self._resolve(target.host, target.port)

    async def _connected(self, target: _Target, address: str) -> Exchange:
        _, exchange = await asyncio.get_running_loop().create_connection(
            lambda: Exchange(ANSWER_BYTES_MAX),
            address,
            target.port,
            ssl=self._tls if target.tls else None,
            server_hostname=target.host if target.tls else None,
        )
        return exchange

    async def close(self) -> None:
        """Close every connection."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
        for pool in self._pools.values():
            pool.end_idle(before=math.inf)
        # The loop closes what was ended in its next turn.
        await asyncio.sleep(0)
        self._names.close()

    async def __aenter__(self) -> Self:
        """Hand over the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()


@lru_cache(maxsize=_URLS_KEPT)
def _read(url: str, *, allow_private: bool) -> _Target:
    """Read an address; raise AddressRefusedError if it shows, as it is written, that it may not be called.

    The same few are called over and over; a refusal is not remembered.
    """
    check_url(url)
    try:
        read = URL(url)
        host, port, head_host = read.raw_host, read.port, read.host_port_subcomponent
    except ValueError as error:
        message = "the address cannot be read"
        raise AddressRefusedError(message) from error
    if not host or not port or not head_host:
        message = "the address names no host"
        raise AddressRefusedError(message)
    with suppress(ValueError):
        check_ip(host, allow_private=allow_private)
    head = f"{read.raw_path_qs} HTTP/1.1\r\nhost: {head_host}\r\n{_OUR_HEADERS}"
    return _Target(host, port, read.scheme == "https", head)


class _NotConnectedError(Exception):
    """No connection; nothing was sent. reason: as in UnreachableError."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Pool:
    """The connections to one place."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(_CONNECTIONS_PER_HOST_MAX)
        self.idle: list[Exchange] = []
        self.users = 0

    def free(self) -> Exchange | None:
        """Return the connection that was used last, unless it has been idle for too long."""
        while self.idle:
            exchange = self.idle.pop()
            if exchange.is_open and time.monotonic() - exchange.answered_at < _KEEP_ALIVE_S:
                return exchange
            exchange.abort()
        return None

    def end_idle(self, *, before: float) -> None:
        """End the connections whose last answer came before a time of the monotonic clock."""
        for exchange in self.idle:
            if exchange.answered_at < before:
                exchange.abort()
        self.idle = [exchange for exchange in self.idle if exchange.is_open]


def _since_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


class _SystemNames:
    """The system's resolver on threads of its own: a slow name must not keep other work from the loop's few threads."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_RESOLVE_THREADS_MAX, "names")

    async def resolve(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
