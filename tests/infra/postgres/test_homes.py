"""Calls about one merchant go to the node of a cluster that has its rows, else over the coordinator."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from hundi.infra.postgres.database import Database, open_database

# What Citus has to say about a cluster whose first half of merchants is on one node, and the other half on another.
_TOLD = """
CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text);
CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
CREATE FUNCTION worker_hash(bigint) RETURNS int LANGUAGE sql AS 'SELECT $1::int';
INSERT INTO pg_dist_shard VALUES ('payments', 1, '0', '9'), ('payments', 2, '10', '19'), ('refunds', 3, '0', '19');
INSERT INTO pg_dist_placement VALUES (1, 1), (2, 2), (3, 2);
"""
_NODES = """
INSERT INTO pg_dist_node SELECT g, '127.0.0.1', p, 'primary' FROM unnest($1::int[], $2::int[]) AS node (g, p);
"""
ASK = "SELECT $1::bigint"


@dataclass
class Node:
    """A way to the server of the test that counts who takes it."""

    port: int
    taken: int = 0
    server: asyncio.Server | None = None

    def end(self) -> None:
        """Take no more, as a machine that is lost."""
        assert self.server is not None
        self.server.close()


@asynccontextmanager
async def _node(url: str) -> AsyncIterator[Node]:
    parts = urlsplit(url)
    socket = f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.{parts.port or 5432}"
    node = Node(0)
    flows = set[asyncio.Task[None]]()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        node.taken += 1
        there = await asyncio.open_unix_connection(socket)
        flows.update({asyncio.create_task(pass_on(reader, there[1])), asyncio.create_task(pass_on(there[0], writer))})

    node.server = await asyncio.start_server(take, "127.0.0.1")
    node.port = node.server.sockets[0].getsockname()[1]
    yield node
    node.server.close()
    await asyncio.gather(*flows)


@dataclass
class Cluster:
    """A database that is told to be spread over two nodes, both of which are the one server of the test."""

    db: Database
    first: Node
    second: Node


@pytest.fixture
async def cluster(fresh_url: str) -> AsyncIterator[Cluster]:
    async with await open_database(fresh_url, pool_size=1) as db:
        if await db.fetchval("SELECT current_setting('citus.version', true) IS NOT NULL"):
            pytest.skip("a real cluster has nodes of its own")
        await db.execute(_TOLD)
    async with _node(fresh_url) as first, _node(fresh_url) as second:
        url = f"{fresh_url}&citus.version=13.0"
        async with await open_database(url, pool_size=4) as spread:
            await spread.execute(_NODES, [1, 2], [first.port, second.port])
            yield Cluster(spread, first, second)


async def test_a_call_goes_to_the_node_of_its_merchant(cluster: Cluster) -> None:
    assert [await cluster.db.shared.fetchval(ASK, each) for each in (3, 12, 4, 3)] == [3, 12, 4, 3]
    assert (cluster.first.taken, cluster.second.taken) == (1, 1), "their connections are kept"
    assert await cluster.db.fetchval(ASK, 3) == 3
    assert (cluster.first.taken, cluster.second.taken) == (1, 1), "anything else goes to the coordinator"


async def test_a_merchant_without_a_node_goes_over_the_coordinator(cluster: Cluster) -> None:
    assert await cluster.db.shared.fetchval(ASK, 77) == 77
    assert (cluster.first.taken, cluster.second.taken) == (0, 0)


async def test_what_a_node_refuses_is_told_and_not_sent_again(cluster: Cluster) -> None:
    with pytest.raises(asyncpg.DivisionByZeroError):
        await cluster.db.shared.fetchval("SELECT $1::bigint / 0", 3)
    assert await cluster.db.shared.fetchval(ASK, 3) == 3
    assert cluster.first.taken == 1


async def test_a_node_that_is_away_is_left_alone_and_the_coordinator_asked(cluster: Cluster) -> None:
    cluster.first.end()
    assert [await cluster.db.shared.fetchval(ASK, each) for each in (3, 4, 12)] == [3, 4, 12]
    assert (cluster.first.taken, cluster.second.taken) == (0, 1)


async def test_a_call_whose_node_dies_under_it_is_not_sent_again(cluster: Cluster) -> None:
    """It may have been done there."""
    with pytest.raises(asyncpg.PostgresConnectionError):
        await cluster.db.shared.fetchval("SELECT pg_terminate_backend(pg_backend_pid()), $1::bigint", 3)
    assert await cluster.db.shared.fetchval(ASK, 3) == 3
    assert cluster.first.taken == 2


async def test_calls_that_come_together_have_transactions_of_their_own(cluster: Cluster) -> None:
    query = "SELECT pg_current_xact_id()::text, $1::bigint"
    assert len(set(await asyncio.gather(*(cluster.db.shared.fetchval(query, each) for each in (3, 4, 12, 3))))) == 4


async def test_closing_waits_for_what_is_under_way(cluster: Cluster) -> None:
    query = "SELECT $1::bigint FROM pg_sleep(0.02)"
    tasks = [asyncio.create_task(cluster.db.shared.fetchval(query, each)) for each in (3, 12)]
    await asyncio.sleep(0)
    await cluster.db.close()
    assert await asyncio.gather(*tasks) == [3, 12]


async def test_a_real_cluster_is_asked_where_its_merchants_are(db: Database) -> None:
    if not await db.fetchval("SELECT current_setting('citus.version', true) IS NOT NULL"):
        pytest.skip("there is no cluster")
    ports = "SELECT nodeport FROM pg_dist_node WHERE groupid > 0"
    nodes = {row["nodeport"] for row in await db.fetch(ports)}
    asked = {await db.shared.fetchval("SELECT inet_server_port(), $1::bigint", each) for each in range(100, 140)}
    assert asked == nodes
