"""Databases on a Citus cluster, for whoever has one.

Each is one database on every node, under the same name.
"""

import asyncio
import atexit
import os
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from hundi.infra.postgres import citus
from hundi.infra.postgres.migrate import migrate, with_database
from tests.databases import drop_database

_NODES = (
    "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND isactive ORDER BY groupid"
)
_SHARDS = 4
_TRIES = 10
_END_ALL = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1
    AND pid <> pg_backend_pid()
"""

_PREPARED = (
    "SELECT format('ROLLBACK PREPARED %L', gid) FROM pg_prepared_xacts WHERE database ="
    " current_database()"
)


async def workers_of(url: str) -> tuple[str, ...]:
    """Return the addresses of a coordinator's workers, none on plain PostgreSQL."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(_NODES)
    except asyncpg.UndefinedTableError:
        return ()
    finally:
        await connection.close()
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    return tuple(urlunsplit(parts._replace(netloc=f"{user}@{row[0]}:{row[1]}")) for row in rows)


async def prepare(nodes: Sequence[str]) -> None:
    """Make a cluster of new databases: the coordinator's first, then the workers'."""
    for url in nodes:
        await _run(
            url,
            "CREATE EXTENSION citus",
            f"ALTER DATABASE {_quoted(url)} SET citus.shard_count = {_SHARDS}",
        )
    first = urlsplit(nodes[0])
    await _run(nodes[0], f"SELECT citus_set_coordinator_host('{first.hostname}', {first.port})")
    for url in nodes[1:]:
        parts = urlsplit(url)
        await _add(nodes[0], f"SELECT citus_add_node('{parts.hostname}', {parts.port})")


async def _add(url: str, statement: str) -> None:
    """Add a node, again while somebody else adds one to the rows that all databases share."""
    for _ in range(_TRIES):
        try:
            return await _run(url, statement)
        except asyncpg.InternalServerError:
            await asyncio.sleep(0.5)
    return await _run(url, statement)


async def let_go(connection: asyncpg.Connection, name: str) -> None:
    """End all connections to a database and let none in, so that it can be copied."""
    await connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    await connection.fetch(_END_ALL, name)


async def tune(url: str) -> None:
    """Give a copy of a spread database its database's own settings, which are not copied."""
    connection = await asyncpg.connect(url)
    try:
        await citus.tune(connection)
    finally:
        await connection.close()


# --- databases of whole gateways ---


class Cluster:
    """Databases for gateways that tests run in other processes, dropped when this one ends."""

    def __init__(self, nodes: Sequence[str]) -> None:
        """Take the addresses of its nodes, the coordinator's first."""
        self._nodes = nodes
        self._made: dict[str, str] = {}
        atexit.register(self._drop_all)

    def url_of(self, folder: str) -> str:
        """Return the address of the database of the gateway in a folder.

        A new one has the newest schema, spread.
        """
        if folder not in self._made:
            name = f"hundi_served_{os.getpid()}_{len(self._made)}"
            _apart(self._make(name))
            self._made[folder] = name
        return with_database(self._nodes[0], self._made[folder])

    async def _make(self, name: str) -> None:
        for url in self._nodes:
            await _run(url, f'CREATE DATABASE "{name}"')
        nodes = [with_database(url, name) for url in self._nodes]
        await prepare(nodes)
        await migrate(nodes[0], spread=True)

    def _drop_all(self) -> None:
        for name in self._made.values():
            asyncio.run(self._drop(name))

    async def _drop(self, name: str) -> None:
        for url in self._nodes:
            await _end_prepared(with_database(url, name))
            connection = await asyncpg.connect(url)
            await drop_database(connection, name)
            await connection.close()


async def _end_prepared(url: str) -> None:
    """Undo what a gateway that was killed left prepared.

    It holds back all databases of its node, and its own stays.
    """
    try:
        connection = await asyncpg.connect(url)
    except asyncpg.InvalidCatalogNameError:
        return  # it was never made
    try:
        for row in await connection.fetch(_PREPARED):
            await connection.execute(row[0])
    finally:
        await connection.close()


@cache
def cluster() -> Cluster | None:
    """Return the cluster whose coordinator HUNDI_TEST_DATABASE_URL names.

    None where it names none, or nothing.
    """
    given = os.environ.get("HUNDI_TEST_DATABASE_URL")
    workers = _apart(workers_of(given)) if given else ()
    return Cluster((given, *workers)) if given and workers else None


def _apart(work: Coroutine[Any, Any, Any]) -> Any:
    """Carry out something in a thread of its own.

    A test that starts a gateway may be within an event loop.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _quoted(url: str) -> str:
    return '"' + urlsplit(url).path.removeprefix("/") + '"'


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
