"""The only client for calls to other servers: limited in time and size, without redirects.

An address that somebody else chose is checked when the connection is made, not only when it is
saved, so a name that resolves differently later does not help an attacker.
"""

import asyncio
import re
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from hundi.infra.http.addresses import AddressRefusedError, check_ip, check_url
from hundi.infra.http.meetings import meet
from hundi.infra.http.turns import lent
from hundi.infra.monitoring import traces
from hundi.infra.monitoring.counters import BANK_SECONDS
from hundi.kernel.clock import world_now

_NUMBERED = re.compile(r"/[^/]*\d[^/]*")
"""Parts of a path that name one payment or challenge; a span's name leaves them out."""
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Resolves a host name to IP addresses; raises OSError if there are none."""
Check = Callable[[str], None]
"""Raises AddressRefusedError for an IP address that may not be called."""

ANSWER_BYTES_MAX = 2_048
"""How much is kept of an answer from a server that others chose, in bytes."""
_RESOLVE_THREADS_MAX = 16
_UNCLEAN_CONNECTIONS_MAX = 8
_URLS_KEPT = 1_024


class Reach(Enum):
    """The addresses that may be called."""

    PUBLIC = "public"
    """Public ones only: for an address that somebody else chose."""
    PRIVATE = "private"
    """Loopback and private networks too, never metadata, link-local and the like."""
    ANY = "any"
    """All: for an address of our own settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """The settings of one use of the client; the defaults are for addresses that others chose.

    connect_s: how long a connection may take; None: as long as the whole call. answer_bytes_max:
    how much of an answer is read. cut_answers: a longer answer is cut; otherwise the call is
    "broken". keep_alive_s: how long an idle connection is kept; 0: one connection for each call.
    connections_per_host_max: 0: only connections_max counts. names_kept_s: how long a name's
    checked addresses are reused. counted_as: the acquirer in metrics, "" for none: merchants'
    servers would be too many labels.
    """

    reach: Reach = Reach.PUBLIC
    connect_s: float | None = None
    answer_bytes_max: int = ANSWER_BYTES_MAX
    cut_answers: bool = True
    keep_alive_s: float = 15.0
    connections_max: int = 200
    connections_per_host_max: int = 20
    names_kept_s: int = 10
    counted_as: str = ""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer to a call.

    body: as sent, never unpacked. latency_ms: to the end of the body. headers: names in any case.
    """

    status: int
    body: bytes
    latency_ms: int
    headers: Mapping[str, str]


class NoAnswerError(Exception):
    """No answer came.

    reason: "name", "connect", "tls", "timeout" or "broken". sent: False only if certainly nothing
    was received.
    """

    def __init__(self, reason: str, *, sent: bool, latency_ms: int = 0) -> None:
        """Store the reason, which is also the text."""
        super().__init__(reason)
        self.reason = reason
        self.sent = sent
        self.latency_ms = latency_ms


class OutboundClient:
    """Calls other servers over a connection pool of its own, opened at the first call."""

    def __init__(self, settings: ClientSettings, resolve: Resolve | None = None) -> None:
        """Open nothing yet. resolve: turns names into addresses.

        The system's resolver by default.
        """
        self._settings = settings
        self._names = _SystemNames()
        self._resolve = resolve or self._names.resolve
        self._check_ip = _judge(settings.reach)
        self._session: aiohttp.ClientSession | None = None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            settings = self._settings
            connector = _CleanConnector(
                resolver=_JudgingResolver(self._resolve, self._check_ip),
                socket_factory=_judging_socket(self._check_ip),
                ttl_dns_cache=settings.names_kept_s,
                limit=settings.connections_max,
                limit_per_host=settings.connections_per_host_max,
                keepalive_timeout=settings.keep_alive_s or None,
                force_close=not settings.keep_alive_s,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                raise_for_status=False,
                skip_auto_headers=("User-Agent",),
                headers={"Accept-Encoding": "identity", "User-Agent": "Hundi"},
            )
        return self._session

    async def check_address(self, url: str) -> None:
        """Raise AddressRefusedError unless the address could be called now.

        For use when it is saved.
        """
        host, port = check_url(url)
        try:
            addresses = await self._resolve(host, port)
        except OSError as error:
            message = f"the name {host} cannot be found"
            raise AddressRefusedError(message) from error
        for address in addresses:
            self._check_ip(address)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float
    ) -> HttpAnswer:
        """Send one POST; see `send`."""
        return await self.send("POST", url, body, headers, timeout_s=timeout_s)

    async def send(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float
    ) -> HttpAnswer:
        """Send one request and return the answer, redirects included.

        timeout_s: from the name look-up to the last byte read. Raises AddressRefusedError,
        NoAnswerError.
        """
        if self._settings.reach is not Reach.ANY:
            _check_written(url, self._settings.reach)
        began = time.perf_counter()
        if not self._settings.counted_as:
            with lent():
                return await self._sent(method, url, body, headers, timeout_s, began)
        span_id, header = traces.call_header()
        outcome = "silent"  # also for a cancelled call
        try:
            with lent():
                traced = {**headers, "traceparent": header} if header else headers
                answer = await self._sent(method, url, body, traced, timeout_s, began)
            outcome = "failed" if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "answered"
        except NoAnswerError as error:
            outcome = "silent" if error.sent else "not_sent"
            raise
        except AddressRefusedError:
            outcome = "not_sent"
            raise
        else:
            return answer
        finally:
            BANK_SECONDS.labels(self._settings.counted_as, outcome).observe(
                time.perf_counter() - began
            )
            if span_id:
                traces.tell_call(
                    span_id,
                    f"{method} {_NUMBERED.sub('/…', urlsplit(url).path)}",
                    began,
                    outcome=outcome,
                )

    async def _sent(
        self,
        method: str,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        timeout_s: float,
        began: float,
    ) -> HttpAnswer:
        asked_at = world_now()
        try:
            async with self._open_session().request(
                method,
                url,
                data=body or None,
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=timeout_s, sock_connect=self._settings.connect_s
                ),
            ) as response:
                read = await self._read(response)
                meet(url, asked_at, response.headers.get("Date"), "")
                return HttpAnswer(response.status, read, _since_ms(began), response.headers)
        except AddressRefusedError:
            raise
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            reason, sent = _reason(error)
            meet(url, asked_at, None, reason)
            raise NoAnswerError(reason, sent=sent, latency_ms=_since_ms(began)) from error

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """Read at most the allowed bytes.

        The connection of a longer answer is closed, not drained.
        """
        most = self._settings.answer_bytes_max
        body = bytearray()
        while len(body) <= most:
            piece = await response.content.read(most + 1 - len(body))
            if not piece:
                return bytes(body)
            body += piece
        response.close()
        if not self._settings.cut_answers:
            message = f"answer over {most} bytes"
            raise aiohttp.ClientPayloadError(message)
        return bytes(body[:most])

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
        self._names.close()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the client."""
        await self.close()


def client_for_others(*, allow_private: bool) -> OutboundClient:
    """Return a client for addresses that merchants and partners chose."""
    return OutboundClient(ClientSettings(reach=Reach.PRIVATE if allow_private else Reach.PUBLIC))


def _judge(reach: Reach) -> Check:
    if reach is Reach.ANY:
        return lambda _address: None
    return partial(check_ip, allow_private=reach is Reach.PRIVATE)


@lru_cache(maxsize=_URLS_KEPT)
def _check_written(url: str, reach: Reach) -> None:
    """Raise AddressRefusedError if the address, as written, may not be called.

    Allowed addresses are cached, because the same few are called often; refusals are not.
    """
    host, _ = check_url(url)
    # aiohttp does not resolve a host that is an address already.
    with suppress(ValueError):
        _judge(reach)(host)


def _reason(error: Exception) -> tuple[str, bool]:
    """Return (reason, whether the request may have been received)."""
    match error:
        case aiohttp.ClientConnectorDNSError() | aiohttp.InvalidURL():
            return "name", False
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return "tls", False
        case aiohttp.ClientConnectorError():
            return "connect", False
        case aiohttp.ConnectionTimeoutError():
            return "timeout", False
        case TimeoutError():
            return "timeout", True
        case _:
            return "broken", True


def _since_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


def _judging_socket(check: Check) -> Callable[[tuple[Any, ...]], socket.socket]:
    """Return a socket factory that checks the connection's own address, as the last check."""

    def make(information: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = information
        check(address[0])
        return socket.socket(family, kind, protocol)

    return make


class _CleanConnector(aiohttp.TCPConnector):
    """Discards a connection with unrequested bytes, which would be read as the next answer."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Any],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 (the name of the method it overrides)
    ) -> aiohttp.connector.Connection:
        for _ in range(_UNCLEAN_CONNECTIONS_MAX):
            # Bytes that have arrived meanwhile are read from the sockets first.
            await asyncio.sleep(0)
            connection = await super().connect(req, traces, timeout)
            if connection.protocol is None or not connection.protocol.should_close:
                return connection
            connection.close()
        message = "the server speaks before it is asked"
        raise aiohttp.ClientConnectionError(message)


class _JudgingResolver(AbstractResolver):
    """Resolves for aiohttp, and refuses a name if any of its addresses may not be called."""

    def __init__(self, resolve: Resolve, check: Check) -> None:
        self._resolve = resolve
        self._check = check

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses: list[ResolveResult] = []
        for address in await self._resolve(host, port):
            self._check(address)
            version = socket.AF_INET6 if ":" in address else socket.AF_INET
            if family in {socket.AF_UNSPEC, version}:
                addresses.append(
                    ResolveResult(
                        hostname=host,
                        host=address,
                        port=port,
                        family=version,
                        proto=0,
                        flags=socket.AI_NUMERICHOST,
                    )
                )
        return addresses

    async def close(self) -> None:
        """Do nothing: no resource is held."""


class _SystemNames:
    """The system's resolver on threads of its own.

    A slow name must not block the loop's few threads for other work.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_RESOLVE_THREADS_MAX, "names")

    async def resolve(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        addresses = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        return list(dict.fromkeys(str(address[0]) for *_, address in addresses))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
