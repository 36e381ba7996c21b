"""Reads of all merchants' rows when a Citus worker is lost, with answers of a cluster."""

import asyncpg
import pytest

from hundi.infra.postgres.looks import left_out, look, lost_node, of_some

QUERY = (
    "SELECT merchant_id, payment_id FROM payments p JOIN partners USING (x) WHERE p.due_at <= $1"
    " LIMIT $2"
)
PIECES: list[dict[str, object]] = [
    {"success": True, "result": "7,12"},
    {"success": False, "result": "connection refused"},
    {"success": True, "result": None},
]


class Cluster:
    """Refuses the first question, and answers what a coordinator with one lost worker answers."""

    def __init__(self, error: Exception, pieces: list[dict[str, object]] | None = None) -> None:
        """Refuse with this error. pieces: what each says; without it one is lost."""
        self.error: Exception | None = error
        self.pieces = pieces or PIECES
        self.asked: list[tuple[object, ...]] = []

    async def fetch(self, query: str, /, *args: object) -> list[dict[str, object]]:
        """Return rows."""
        self.asked.append((query, *args))
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        if "run_command_on_shards" in query:
            return self.pieces
        if "pg_dist_partition" in query:
            return [{"name": "payments"}, {"name": "refunds"}]
        return [{"merchant_id": 7}]


async def test_a_look_goes_on_with_the_merchants_that_can_be_reached() -> None:
    cluster = Cluster(asyncpg.ConnectionFailureError("connection to the remote node failed\nmore"))
    assert await look(cluster, QUERY, "now", 10) == [{"merchant_id": 7}]  # type: ignore[arg-type]
    assert cluster.asked[-1] == (of_some(QUERY, ["payments"], 3), "now", 10, [7, 12])


async def test_in_an_outage_the_next_looks_ask_the_reachable_merchants_alone() -> None:
    cluster = Cluster(asyncpg.ConnectionFailureError("connection to the remote node failed"))
    for _ in range(5):
        with left_out() as missing:
            assert await look(cluster, QUERY, "now", 10) == [{"merchant_id": 7}]  # type: ignore[arg-type]
        assert missing.pieces == 1
    assert sum("run_command_on_shards" in str(asked[0]) for asked in cluster.asked) == 1
    assert [asked[0] for asked in cluster.asked].count(QUERY) == 1, (
        "the lost worker is not asked by each look"
    )


async def test_when_another_worker_is_lost_the_pieces_are_asked_again() -> None:
    cluster = Cluster(asyncpg.ConnectionFailureError("connection to the remote node failed"))
    await look(cluster, QUERY, "now", 10)  # type: ignore[arg-type]
    cluster.error = asyncpg.ConnectionFailureError("connection to the remote node failed")
    assert await look(cluster, QUERY, "now", 10) == [{"merchant_id": 7}]  # type: ignore[arg-type]
    assert sum("run_command_on_shards" in str(asked[0]) for asked in cluster.asked) == 2


async def test_where_every_piece_answers_the_next_look_is_whole() -> None:
    cluster = Cluster(
        asyncpg.ConnectionFailureError("a connection broke"),
        pieces=[{"success": True, "result": "7,12"}],
    )
    await look(cluster, QUERY, "now", 10)  # type: ignore[arg-type]
    with left_out() as missing:
        assert await look(cluster, QUERY, "now", 10) == [{"merchant_id": 7}]  # type: ignore[arg-type]
    assert (missing.pieces, missing.words) == (0, "")
    assert cluster.asked[-1] == (QUERY, "now", 10)


@pytest.mark.parametrize(
    "error", [asyncpg.ConnectionDoesNotExistError("gone"), asyncpg.QueryCanceledError("slow")]
)
async def test_a_look_that_fails_otherwise_fails(error: Exception) -> None:
    cluster = Cluster(error)
    with pytest.raises(type(error)):
        await look(cluster, QUERY, "now", 10)  # type: ignore[arg-type]
    assert len(cluster.asked) == 1


@pytest.mark.parametrize(
    ("says", "node"),
    [
        (
            "connection to the remote node hundi@10.0.0.3:5432 failed with the following error: x",
            "node 10.0.0.3:5432",
        ),
        ("connection to the remote node 10.0.0.3:5432 failed", "node 10.0.0.3:5432"),
        ("a connection broke", "a node of the cluster"),
    ],
)
def test_the_lost_node_is_named(says: str, node: str) -> None:
    assert lost_node(asyncpg.ConnectionFailureError(says)) == node


def test_each_table_with_owners_stands_for_the_rows_of_some() -> None:
    assert of_some(QUERY, ["payments", "refunds"], 3) == (
        "WITH payments AS NOT MATERIALIZED "
        "(SELECT tableoid, * FROM public.payments WHERE merchant_id = ANY ($3::bigint[])) " + QUERY
    )
