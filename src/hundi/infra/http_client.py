"""Calls to addresses that others chose: limited in time and size, never redirected, never inward.

The address is judged where the connection is made, not only where it is saved: a name that changes its mind gains
nothing.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from hundi.infra.addresses import AddressRefusedError, check_ip, check_url

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Turns a host name into IP addresses; raises OSError when there are none."""

ANSWER_BYTES_MAX = 2_048
_CONNECTIONS_MAX = 200
_CONNECTIONS_PER_HOST_MAX = 20
_KEEP_ALIVE_S = 15.0
_RESOLVE_THREADS_MAX = 16
_NAME_CACHE_S = 10
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


class OutboundClient:
    """Calls other servers over two pools, so that connections to private addresses are never shared."""

    def __init__(self, resolve: Resolve | None = None) -> None:
        """Prepare inside a running event loop. resolve: turns names into addresses; the system's by default."""
        self._names = _SystemNames()
        self._resolve = resolve or self._names.resolve
        self._sessions = {allow: self._session(allow_private=allow) for allow in (False, True)}

    def _session(self, *, allow_private: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            resolver=_JudgingResolver(self._resolve, allow_private=allow_private),
            socket_factory=_judging_socket(allow_private=allow_private),
            ttl_dns_cache=_NAME_CACHE_S,
            limit=_CONNECTIONS_MAX,
            limit_per_host=_CONNECTIONS_PER_HOST_MAX,
            keepalive_timeout=_KEEP_ALIVE_S,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            raise_for_status=False,
            skip_auto_headers=("User-Agent",),
            headers={"Accept-Encoding": "identity", "User-Agent": "Hundi"},
        )

    async def check_address(self, url: str, *, allow_private: bool) -> None:
        """Raise AddressRefusedError unless the address could be called now; for use when it is saved."""
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
        _check_written(url, allow_private=allow_private)
        began = time.perf_counter()
        try:
            async with self._sessions[allow_private].request(
                method,
                url,
                data=body,
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=timeout_s),
            ) as response:
                kept = await _first_bytes(response)
                names = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status, kept, _since_ms(began), names)
        except AddressRefusedError:
            raise
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            reason, sent = _reason(error)
            raise UnreachableError(reason, sent=sent, latency_ms=_since_ms(began)) from error

    async def close(self) -> None:
        """Close every connection."""
        for session in self._sessions.values():
            await session.close()
        self._names.close()

    async def __aenter__(self) -> Self:
        """Hand over the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()


@lru_cache(maxsize=_URLS_KEPT)
def _check_written(url: str, *, allow_private: bool) -> None:
    """Raise AddressRefusedError if the address alone, as it is written, shows that it may not be called.

    The same few are called over and over; a refusal is not remembered.
    """
    host, _ = check_url(url)
    # aiohttp does not resolve a host that is an address already.
    with suppress(ValueError):
        check_ip(host, allow_private=allow_private)


async def _first_bytes(response: aiohttp.ClientResponse) -> bytes:
    """Read at most what is kept; the connection of a longer answer is closed, not drained."""
    kept = bytearray()
    while len(kept) <= ANSWER_BYTES_MAX:
        piece = await response.content.read(ANSWER_BYTES_MAX + 1 - len(kept))
        if not piece:
            return bytes(kept)
        kept += piece
    response.close()
    return bytes(kept[:ANSWER_BYTES_MAX])


def _reason(error: Exception) -> tuple[str, bool]:
    """Return (reason, whether the request may have been received)."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "name", False
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return "tls", False
        case aiohttp.ClientConnectorError():
            return "connect", False
        case aiohttp.InvalidURL():
            return "name", False
        case TimeoutError():
            return "timeout", True
        case _:
            return "broken", True


def _since_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


def _judging_socket(*, allow_private: bool) -> Callable[[tuple[Any, ...]], socket.socket]:
    """Return the maker of sockets that sees the very address of the connection: the last judge of all."""

    def make(information: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = information
        check_ip(address[0], allow_private=allow_private)
        return socket.socket(family, kind, protocol)

    return make


class _JudgingResolver(AbstractResolver):
    """Resolves for aiohttp, and refuses a name that has any address we may not call."""

    def __init__(self, resolve: Resolve, *, allow_private: bool) -> None:
        self._resolve = resolve
        self._allow_private = allow_private

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found: list[ResolveResult] = []
        for address in await self._resolve(host, port):
            check_ip(address, allow_private=self._allow_private)
            version = socket.AF_INET6 if ":" in address else socket.AF_INET
            if family in {socket.AF_UNSPEC, version}:
                found.append(
                    ResolveResult(
                        hostname=host, host=address, port=port, family=version, proto=0, flags=socket.AI_NUMERICHOST
                    )
                )
        return found

    async def close(self) -> None:
        """Nothing is held."""


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
