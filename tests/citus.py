"""Databases on a Citus cluster, for whoever has one: each is one database on every node, under the same name."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

import asyncpg

_NODES = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND isactive ORDER BY groupid"
_SHARDS = 4
_TRIES = 10
_END_ALL = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()
"""


async def workers_of(url: str) -> tuple[str, ...]:
    """Return the addresses of the workers that a coordinator's database knows, none on plain PostgreSQL."""
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
        await _run(url, "CREATE EXTENSION citus", f"ALTER DATABASE {_quoted(url)} SET citus.shard_count = {_SHARDS}")
    first = urlsplit(nodes[0])
    await _run(nodes[0], f"SELECT citus_set_coordinator_host('{first.hostname}', {first.port})")
    for url in nodes[1:]:
        parts = urlsplit(url)
        await _add(nodes[0], f"SELECT citus_add_node('{parts.hostname}', {parts.port})")


async def _add(url: str, statement: str) -> None:
    """Add a node; who does so at the same moment for another database may be in the way, on rows that all share."""
    for _ in range(_TRIES):
        try:
            return await _run(url, statement)
        except asyncpg.InternalServerError:
            await asyncio.sleep(0.5)
    return await _run(url, statement)


async def let_go(connection: asyncpg.Connection, name: str) -> None:
    """End whoever is connected to a database, Citus' own daemon too, and let nobody in, so that it can be copied."""
    await connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    await connection.fetch(_END_ALL, name)


def _quoted(url: str) -> str:
    return '"' + urlsplit(url).path.removeprefix("/") + '"'


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
