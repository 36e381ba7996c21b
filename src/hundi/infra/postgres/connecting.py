"""Connects to PostgreSQL; if an address names several servers, to the one that takes writes.

The client library tries several servers within one time limit, so a silent machine uses it up
before the next is tried. Here each server has a share of the time, and the last working one is
tried first.
"""

from typing import Any, cast
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

import asyncpg

_FOUND: dict[str, str] = {}
"""The configured address → its server that took writes last."""
_NEXT = (
    OSError,
    TimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.PostgresConnectionError,
    asyncpg.TargetServerAttributeNotMatched,
)
"""The errors that lead to the next server: it is away, starts, stops, or is a standby."""


def servers(url: str) -> list[str]:
    """Return an address for each server in an address, in its order.

    Several servers are written `host1:port1,host2:port2`; the one that takes writes is meant,
    unless the address says otherwise.
    """
    parts = urlsplit(url)
    credentials, at, hosts = parts.netloc.rpartition("@")
    if "," not in hosts:
        return [url]
    options = {"target_session_attrs": ["read-write"], **parse_qs(parts.query)}
    query = urlencode(options, doseq=True)
    return [
        SplitResult(parts.scheme, credentials + at + host, parts.path, query, "").geturl()
        for host in hosts.split(",")
    ]


async def connect_to_one(url: str, *, timeout_s: float, **options: Any) -> asyncpg.Connection:
    """Return a connection to the first server that accepts one. Raises the last server's error."""
    addresses = servers(url)
    if len(addresses) == 1:
        return await asyncpg.connect(url, timeout=cast("int", timeout_s), **options)
    last, share_s = _FOUND.get(url), timeout_s / len(addresses)
    error: Exception | None = None
    for each in sorted(addresses, key=lambda server: server != last):
        try:
            connection = await asyncpg.connect(each, timeout=cast("int", share_s), **options)
        except _NEXT as problem:
            # A server in recovery is worth waiting for, whatever the others say.
            error = error if isinstance(error, asyncpg.CannotConnectNowError) else problem
        else:
            _FOUND[url] = each
            return connection
    assert error is not None
    raise error
