"""Reads rows of all merchants, even while a worker of a cluster is lost (docs/citus.md).

Citus answers a query across merchants whole or not at all. If a lost worker makes it fail, it is
repeated for the merchants that can be reached, and so are queries of the next seconds: asking each
shard takes a second.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import asyncpg

from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import Rows
from hundi.infra.postgres.pool import Record

NodeLostError = asyncpg.ConnectionFailureError
"""The coordinator cannot reach a node; a lost coordinator is another error."""
REMEMBERED_S = 10.0
"""How long a process queries only the merchants that were reachable."""
_NODE = re.compile(r"remote node (?:\S+@)?(\S+:\d+)")
_log = get_logger(__name__)
# Each shard is queried separately, and one that cannot be reached is no error. The list must be one
# text: shards answer in texts.
_REACHABLE = """
SELECT success, result FROM run_command_on_shards('merchants',
    'SELECT string_agg(merchant_id::text, '','') FROM %s')
"""
_OF_MERCHANTS = """
SELECT logicalrelid::text AS name FROM pg_dist_partition
WHERE partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'merchant_id'
"""


@dataclass(frozen=True, slots=True)
class _Reachable:
    """The reachable part of a cluster.

    Its merchants, the tables with their rows, and how many shards are missing.
    """

    merchants: list[int]
    tables: list[str]
    missing: int
    until_s: float


_REACHABLE_OF: WeakKeyDictionary[Rows, _Reachable] = WeakKeyDictionary()


@dataclass(slots=True)
class LeftOut:
    """What looks left out. pieces: the most shards of the cluster that one look left out."""

    pieces: int = 0

    @property
    def words(self) -> str:
        """Return the sentence for people, "" if every merchant was seen."""
        # The names of the missing merchants are on their own node.
        sentence = (
            f"not all: {self.pieces} pieces of the cluster cannot be reached, and their merchants"
            " are left out"
        )
        return sentence if self.pieces else ""


_LEFT_OUT: ContextVar[LeftOut | None] = ContextVar("left_out", default=None)


@contextmanager
def left_out() -> Iterator[LeftOut]:
    """Yield what the looks within the block leave out, complete at its end."""
    token = _LEFT_OUT.set(missing := LeftOut())
    try:
        yield missing
    finally:
        _LEFT_OUT.reset(token)


def left_out_here() -> str:
    """Return the sentence for people about the looks so far within a block of `left_out`."""
    missing = _LEFT_OUT.get()
    return missing.words if missing else ""


def lost_node(lost: NodeLostError) -> str:
    """Return the node that cannot be reached, by host and port if the coordinator names them."""
    match = _NODE.search(str(lost))
    return f"node {match[1]}" if match else "a node of the cluster"


async def look(db: Rows, query: str, *args: Any) -> list[Record]:
    """Return the rows of a plain SELECT across merchants, without those of a lost worker."""
    return await look_by(db, db.fetch, query, *args)


async def look_by(
    db: Rows,
    fetch: Callable[..., Awaitable[list[Record]]],
    query: str,
    *args: Any,
) -> list[Record]:
    """Return the rows as `look` does.

    fetch: runs a query on the database, each time in a transaction of its own.
    """
    try:
        reachable = _REACHABLE_OF.get(db)
        if reachable is not None and monotonic() < reachable.until_s:
            return await _of_reachable(fetch, reachable, query, args)
        return await fetch(query, *args)
    except NodeLostError as lost:
        return await _of_reachable(fetch, await _asked_again(db, lost), query, args)


async def _asked_again(db: Rows, lost: NodeLostError) -> _Reachable:
    # Only the coordinator, which is there, says so. Every other error is raised.
    reachable = await _ask_pieces(db)
    _log.warning("worker_unreachable", pieces=reachable.missing, says=str(lost).partition("\n")[0])
    if reachable.missing:
        _REACHABLE_OF[db] = reachable
    return reachable


async def _of_reachable(
    fetch: Callable[..., Awaitable[list[Record]]],
    reachable: _Reachable,
    query: str,
    args: Sequence[Any],
) -> list[Record]:
    if (missing := _LEFT_OUT.get()) is not None:
        missing.pieces = max(missing.pieces, reachable.missing)
    return await fetch(of_some(query, reachable.tables, len(args) + 1), *args, reachable.merchants)


async def _ask_pieces(db: Rows) -> _Reachable:
    merchants, missing = _merchants(await db.fetch(_REACHABLE))
    tables = [row["name"] for row in await db.fetch(_OF_MERCHANTS)]
    return _Reachable(merchants, tables, missing, monotonic() + REMEMBERED_S)


def of_some(query: str, owned: list[str], place: int) -> str:
    """Return a query across merchants as one of the merchants in a parameter.

    owned: the tables with a merchant's rows; in the query each stands for the rows of these
    merchants.
    """
    tables = dict.fromkeys(re.findall(r"\b(?:from|join)\s+(\w+)", query, re.IGNORECASE))
    parts = [
        f"{name} AS NOT MATERIALIZED "  # noqa: S608 (a table of ours)
        f"(SELECT tableoid, * FROM public.{name} WHERE merchant_id = ANY (${place}::bigint[]))"
        for name in tables
        if name in owned
    ]
    return f"WITH {', '.join(parts)} {query}"


def _merchants(pieces: list[Record]) -> tuple[list[int], int]:
    """Return the merchants of the shards that answered, and how many shards did not."""
    results = [each["result"] or "" for each in pieces if each["success"]]
    merchants = [int(each) for text in results for each in text.split(",") if each]
    return merchants, len(pieces) - len(results)
