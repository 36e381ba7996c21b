"""Sends calls about one merchant to the Citus node that has its rows (decision 0065).

The coordinator's part of a call costs nearly as much as the call on one plain server, so the
coordinator would soon be the bottleneck.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from hundi.infra.logs import get_logger
from hundi.infra.postgres.pool import Connection, Pool, Record, end_at_once

KNOWN_S = 60.0
"""How long a merchant's node is remembered; a wrong node passes the call on, at some cost."""
AWAY_S = 30.0
"""How long a node that could not be reached is not tried again."""
_KNOWN_MAX = 100_000
_CLOSE_S_MAX = 5.0
_CLOSE_LOOK_S = 0.03
SEE_ALL = {"citus.override_table_visibility": "off"}
"""The setting of connections to a node.

Without it each catalogue query takes seconds (docs/citus.md).
"""
# No row if payments are not spread. A node without the newest metadata does not know where all rows
# are.
_HOME = """
SELECT n.nodename::text, n.nodeport::int FROM pg_dist_shard s
    JOIN pg_dist_placement p ON p.shardid = s.shardid JOIN pg_dist_node n ON n.groupid = p.groupid
WHERE s.logicalrelid::oid = to_regclass('payments')::oid AND n.noderole = 'primary'
    AND n.isactive AND n.hasmetadata AND n.metadatasynced
    AND worker_hash($1::bigint) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int
"""
_IS_MEMBER = "SELECT EXISTS (SELECT FROM pg_dist_node WHERE lower(nodename) = $1 AND nodeport = $2)"
_NOT_REACHED = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.TargetServerAttributeNotMatched,
)
_log = get_logger(__name__)


class _AwayError(Exception):
    """A node cannot be reached, so nothing was sent."""


class _StrangerError(ConnectionError):
    """Another server answers at the address of a node."""


class _Home(NamedTuple):
    url: str | None
    until_s: float


class Homes:
    """Connections to the nodes, and the node of each merchant.

    Calls to a node that cannot be reached directly go over the coordinator, which may reach it or
    reports that it is away.
    """

    def __init__(
        self, coordinator: Pool, url: str, opened: Callable[[str], Awaitable[Connection]], size: int
    ) -> None:
        """Prepare; nothing is opened yet.

        url: the coordinator's. opened: connects to an address. size: most connections to one node.
        """
        self._coordinator = coordinator
        self._url = url
        self._opened = opened
        self._size = size
        self._home_of: dict[int, _Home] = {}
        self._pools: dict[str, Pool] = {}
        self._away_until_s: dict[str, float] = {}
        self._under_way = 0

    async def fetch(self, query: str, merchant_id: int, *args: Any) -> list[Record]:
        """Return all rows of one statement about a merchant, in its own transaction."""
        self._under_way += 1
        try:
            return await self._fetch(query, merchant_id, *args)
        finally:
            self._under_way -= 1

    async def close(self) -> None:
        """Let callers finish for a moment, then close the connections to nodes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S_MAX):
                while self._under_way:  # noqa: ASYNC110 (rare)
                    await asyncio.sleep(_CLOSE_LOOK_S)
        for pool in self._pools.values():
            await pool.close()

    async def take(self, merchant_id: int) -> tuple[Pool, Connection]:
        """Return a connection to a merchant's node, else to the coordinator, and its pool.

        The caller gives it back to that pool.
        """
        url = await self._home(merchant_id)
        if url is not None and not self._is_away(url):
            pool = self._pools.get(url) or self._pools.setdefault(
                url, Pool(partial(self._open, url), self._size)
            )
            with suppress(_AwayError):
                return pool, await pool.take()
        return self._coordinator, await self._coordinator.take()

    async def _fetch(self, query: str, merchant_id: int, *args: Any) -> list[Record]:
        pool, connection = await self.take(merchant_id)
        return await pool.answer(connection, connection.fetch(query, merchant_id, *args))

    async def _open(self, url: str) -> Connection:
        if self._is_away(url):
            # Another call found it so, while this one waited to connect.
            raise _AwayError
        try:
            connection = await self._opened(url)
            try:
                await _check_member(connection, url)
            except BaseException:
                end_at_once(connection)
                raise
        except _NOT_REACHED as problem:
            if not self._is_away(url):
                _log.warning(
                    "node_not_reached",
                    node=urlsplit(url).netloc.rpartition("@")[2],
                    says=str(problem),
                )
            self._away_until_s[url] = monotonic() + AWAY_S
            raise _AwayError from problem
        return connection

    def _is_away(self, url: str) -> bool:
        return self._away_until_s.get(url, 0.0) > monotonic()

    async def _home(self, merchant_id: int) -> str | None:
        now = monotonic()
        home = self._home_of.get(merchant_id)
        if home is None or home.until_s < now:
            row = await self._coordinator.fetchrow(_HOME, merchant_id)
            home = _Home(None if row is None else _at(self._url, row[0], row[1]), now + KNOWN_S)
            if len(self._home_of) >= _KNOWN_MAX:
                self._home_of.clear()
            self._home_of[merchant_id] = home
        return home.url


async def _check_member(connection: Connection, url: str) -> None:
    """Raise _StrangerError unless a server belongs to the cluster.

    Where the gateway runs, a name may lead to another machine.
    """
    parts = urlsplit(url)
    if not await connection.fetchval(_IS_MEMBER, parts.hostname, parts.port):
        message = "another server answers at its address"
        raise _StrangerError(message)


def _at(url: str, host: str, port: int) -> str:
    """Return the address of the same database on another node, while that node takes writes."""
    parts = urlsplit(url)
    credentials, at, _ = parts.netloc.rpartition("@")
    name = f"[{host}]" if ":" in host else host
    # After a fail-over the old machine may be back as a standby, under its old address.
    query = urlencode({**dict(parse_qsl(parts.query)), "target_session_attrs": "read-write"})
    return urlunsplit(parts._replace(netloc=f"{credentials}{at}{name}:{port}", query=query))
