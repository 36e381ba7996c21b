"""Connects to PostgreSQL; where an address names several servers, to the one that takes writes.

The client library tries several servers within one time limit, so a machine that is silent (not one
that refuses) uses it up before the next is asked. Here each server has a share of the time, and the
one found last is asked first.
"""

from typing import Any, cast
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

import asyncpg

_FOUND: dict[str, str] = {}
"""Address as configured → the server of it that took writes last."""
_NEXT = (
    OSError,
    TimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.PostgresConnectionError,
    asyncpg.TargetServerAttributeNotMatched,
)
"""What sends us to the next server: it is away, starts, stops, or is a standby."""


def servers(url: str) -> list[str]:
    """Return an address for each server that an address names, in its order.

    Several are named `host1:port1,host2:port2`; the one that takes writes is meant, unless the
    address says else.
    """
    parts = urlsplit(url)
    credentials, at, hosts = parts.netloc.rpartition("@")
    if "," not in hosts:
        return [url]
    wanted = {"target_session_attrs": ["read-write"], **parse_qs(parts.query)}
    query = urlencode(wanted, doseq=True)
    return [
        SplitResult(parts.scheme, credentials + at + host, parts.path, query, "").geturl()
        for host in hosts.split(",")
    ]


async def connect_to_one(url: str, *, timeout_s: float, **options: Any) -> asyncpg.Connection:
    """Return a connection to the first server that takes it. Raises what the last one said."""
    known = servers(url)
    if len(known) == 1:
        return await asyncpg.connect(url, timeout=cast("int", timeout_s), **options)
    last, share_s = _FOUND.get(url), timeout_s / len(known)
    error: Exception | None = None
    for each in sorted(known, key=lambda server: server != last):
        try:
            connection = await asyncpg.connect(each, timeout=cast("int", share_s), **options)
        except _NEXT as problem:
            # A server that recovers is worth waiting for, whatever the others say.
            error = error if isinstance(error, asyncpg.CannotConnectNowError) else problem
        else:
            _FOUND[url] = each
            return connection
    assert error is not None
    raise error
