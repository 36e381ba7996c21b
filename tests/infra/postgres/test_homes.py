"""Calls about a merchant go to the node with its rows, else through the coordinator."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from hundi.infra.postgres.database import Database, open_database

# What Citus has to say about a cluster whose first half of merchants is on one node, and the other
# half on another.
_TOLD = """
CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text,
    shardmaxvalue text);
CREATE TABLE pg_dist_placement (shardid bigint, groupid int);
CREATE TABLE pg_dist_node (groupid int, nodename text, nodeport int, noderole text,
    isactive bool DEFAULT true, hasmetadata bool DEFAULT true, metadatasynced bool DEFAULT true);
CREATE FUNCTION worker_hash(bigint) RETURNS int LANGUAGE sql AS 'SELECT $1::int';
INSERT INTO pg_dist_shard VALUES ('payments', 1, '0', '9'), ('payments', 2, '10', '19'),
    ('refunds', 3, '0', '19');
INSERT INTO pg_dist_placement VALUES (1, 1), (2, 2), (3, 2);
"""
_NODES = """
INSERT INTO pg_dist_node (groupid, nodename, nodeport, noderole)
SELECT g, '127.0.0.1', p, 'primary' FROM unnest($1::int[], $2::int[]) AS node (g, p);
"""
ASK = "SELECT $1::bigint"
_BEGINS = b"\0\3\0\0"
"""The version of the protocol, with which a session begins."""


@dataclass
class Node:
    """A way to the server of the test that counts who takes it.

    given: what it tells the server in place of what the client asked for. silent: until when it
    answers nobody; then it turns them away.
    """

    port: int
    taken: int = 0
    server: asyncio.Server | None = None
    given: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    silent: asyncio.Event | None = None

    def end(self) -> None:
        """Take no more, as a machine that is lost."""
        assert self.server is not None
        self.server.close()

    def altered(self, data: bytes) -> bytes:
        """Return what a client sends, with other parameters where it begins a session."""
        if not self.given or data[4:8] != _BEGINS:
            return data
        asked = data[8:].rstrip(b"\0").split(b"\0")
        parameters = dict(zip(asked[::2], asked[1::2], strict=True)) | self.given
        words = _BEGINS + b"".join(b"%s\0%s\0" % each for each in parameters.items()) + b"\0"
        return struct.pack("!I", len(words) + 4) + words


@asynccontextmanager
async def _node(url: str) -> AsyncIterator[Node]:
    parts = urlsplit(url)
    socket = f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.{parts.port or 5432}"
    node = Node(0)
    flows = set[asyncio.Task[None]]()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(node.altered(data))
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        node.taken += 1
        if node.silent is not None:
            await node.silent.wait()
            writer.close()
            return
        there = await asyncio.open_unix_connection(socket)
        flows.update(
            {
                asyncio.create_task(pass_on(reader, there[1])),
                asyncio.create_task(pass_on(there[0], writer)),
            }
        )

    node.server = await asyncio.start_server(take, "127.0.0.1")
    node.port = node.server.sockets[0].getsockname()[1]
    yield node
    node.server.close()
    await asyncio.gather(*flows)


@dataclass
class Cluster:
    """A database that seems to be spread over two nodes, which are one server."""

    url: str
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
            yield Cluster(url, spread, first, second)


async def test_a_call_goes_to_the_node_of_its_merchant(cluster: Cluster) -> None:
    assert [await cluster.db.shared.fetchval(ASK, each) for each in (3, 12, 4, 3)] == [3, 12, 4, 3]
    assert (cluster.first.taken, cluster.second.taken) == (1, 1), "their connections are kept"
    assert await cluster.db.fetchval(ASK, 3) == 3
    assert (cluster.first.taken, cluster.second.taken) == (1, 1), (
        "anything else goes to the coordinator"
    )


async def test_a_merchant_without_a_node_goes_over_the_coordinator(cluster: Cluster) -> None:
    assert await cluster.db.shared.fetchval(ASK, 77) == 77
    assert (cluster.first.taken, cluster.second.taken) == (0, 0)


async def test_what_a_node_refuses_is_told_and_not_sent_again(cluster: Cluster) -> None:
    with pytest.raises(asyncpg.DivisionByZeroError):
        await cluster.db.shared.fetchval("SELECT $1::bigint / 0", 3)
    assert await cluster.db.shared.fetchval(ASK, 3) == 3
    assert cluster.first.taken == 1


async def test_a_node_that_is_away_is_left_alone_and_the_coordinator_asked(
    cluster: Cluster,
) -> None:
    cluster.first.end()
    assert [await cluster.db.shared.fetchval(ASK, each) for each in (3, 4, 12)] == [3, 4, 12]
    assert (cluster.first.taken, cluster.second.taken) == (0, 1)


async def test_who_waits_to_connect_to_a_node_that_is_away_does_not_try(cluster: Cluster) -> None:
    over = cluster.first.silent = asyncio.Event()
    async with await open_database(cluster.url, pool_size=1) as db:
        calls = [asyncio.create_task(db.shared.fetchval(ASK, 3)) for _ in range(3)]
        await asyncio.sleep(0)
        await db.fetchval(
            ASK, 3
        )  # over the only connection, after all three have learned of their node
        over.set()
        assert await asyncio.gather(*calls) == [3] * 3
    assert cluster.first.taken == 1


@pytest.mark.parametrize(
    ("given", "case"),
    [
        ({b"database": b"postgres"}, "a server that is not of the cluster answers"),
        ({b"default_transaction_read_only": b"on"}, "it is a standby by now"),
    ],
)
async def test_another_server_at_a_nodes_address_is_left_alone(
    cluster: Cluster, given: dict[bytes, bytes], case: str
) -> None:
    cluster.first.given = given
    where = (
        "SELECT current_database()::text || current_setting('transaction_read_only'), $1::bigint"
    )
    here = await cluster.db.fetchval(where, 3)
    assert here.endswith("off")
    assert await cluster.db.shared.fetchval(where, 3) == here, case
    assert cluster.first.taken > 0


@pytest.mark.parametrize("column", ["isactive", "hasmetadata", "metadatasynced"])
async def test_a_node_that_may_not_know_where_all_rows_are_is_not_asked(
    cluster: Cluster, column: str
) -> None:
    await cluster.db.execute(f"UPDATE pg_dist_node SET {column} = false WHERE groupid = 1")
    assert [await cluster.db.shared.fetchval(ASK, each) for each in (3, 12)] == [3, 12]
    assert (cluster.first.taken, cluster.second.taken) == (0, 1)


async def test_a_call_whose_node_dies_under_it_is_not_sent_again(cluster: Cluster) -> None:
    """It may have been done there."""
    with pytest.raises(asyncpg.PostgresConnectionError):
        await cluster.db.shared.fetchval(
            "SELECT pg_terminate_backend(pg_backend_pid()), $1::bigint", 3
        )
    assert await cluster.db.shared.fetchval(ASK, 3) == 3
    assert cluster.first.taken == 2


async def test_calls_that_come_together_have_transactions_of_their_own(cluster: Cluster) -> None:
    query = "SELECT pg_current_xact_id()::text, $1::bigint"
    assert (
        len(
            set(
                await asyncio.gather(
                    *(cluster.db.shared.fetchval(query, each) for each in (3, 4, 12, 3))
                )
            )
        )
        == 4
    )


async def test_a_transaction_of_a_merchant_is_on_its_node(cluster: Cluster) -> None:
    for merchant_id in (3, 12, 3):
        async with cluster.db.transaction_of(merchant_id) as conn:
            assert await conn.fetchval(ASK, merchant_id) == merchant_id
            assert conn.is_in_transaction()
    with pytest.raises(asyncpg.DivisionByZeroError):
        async with cluster.db.transaction_of(3) as conn:
            await conn.fetchval("SELECT 1 / 0")
    assert (cluster.first.taken, cluster.second.taken) == (1, 1), "their connections are kept"
    assert cluster.db.is_spread


async def test_a_transaction_of_a_merchant_whose_node_is_away_goes_over_the_coordinator(
    cluster: Cluster,
) -> None:
    cluster.first.end()
    async with cluster.db.transaction_of(3) as conn:
        assert await conn.fetchval(ASK, 3) == 3
    assert cluster.first.taken == 0


async def test_one_server_has_the_rows_of_every_merchant(db: Database) -> None:
    if db.is_spread:
        pytest.skip("this is a cluster")
    async with db.transaction_of(3) as conn:
        assert await conn.fetchval(ASK, 3) == 3


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
    asked = {
        await db.shared.fetchval("SELECT inet_server_port(), $1::bigint", each)
        for each in range(100, 140)
    }
    assert asked == nodes
