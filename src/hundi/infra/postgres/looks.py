"""Reads the rows of all merchants, also while a worker of a cluster is lost (docs/citus.md).

Citus answers a question of all merchants whole or not at all. One that a lost worker leaves without
an answer is asked again of the merchants that can be reached, and so are those of the next seconds:
to ask each piece takes a second.
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
"""The coordinator says that a node cannot be reached; a lost coordinator is another error."""
REMEMBERED_S = 10.0
"""For which a process goes on with the merchants that could be reached, without asking for all of
them.
"""
_NODE = re.compile(r"remote node (?:\S+@)?(\S+:\d+)")
_log = get_logger(__name__)
# Each piece is asked for itself, and a piece that cannot be reached is no error. The list must be
# one text: the pieces' answers come as texts.
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
    """What of a cluster can be reached.

    Its merchants, the tables with their rows, and how many pieces are missing.
    """

    merchants: list[int]
    tables: list[str]
    missing: int
    until_s: float


_REACHABLE_OF: WeakKeyDictionary[Rows, _Reachable] = WeakKeyDictionary()


@dataclass(slots=True)
class LeftOut:
    """What looks had to leave out. pieces: of the cluster, the most that one look did."""

    pieces: int = 0

    @property
    def words(self) -> str:
        """Return what a person is told, nothing where every merchant was seen."""
        # Who they are is known only where they are.
        told = (
            f"not all: {self.pieces} pieces of the cluster cannot be reached, and their merchants"
            " are left out"
        )
        return told if self.pieces else ""


_LEFT_OUT: ContextVar[LeftOut | None] = ContextVar("left_out", default=None)


@contextmanager
def left_out() -> Iterator[LeftOut]:
    """Yield what the looks within the block leave out, known at its end."""
    token = _LEFT_OUT.set(found := LeftOut())
    try:
        yield found
    finally:
        _LEFT_OUT.reset(token)


def left_out_here() -> str:
    """Return what a person is told of the looks so far within the block of `left_out`."""
    found = _LEFT_OUT.get()
    return found.words if found else ""


def lost_node(lost: NodeLostError) -> str:
    """Return which node cannot be reached, by its host and port where the coordinator names it."""
    named = _NODE.search(str(lost))
    return f"node {named[1]}" if named else "a node of the cluster"


async def look(db: Rows, query: str, *args: Any) -> list[Record]:
    """Return the rows of a plain SELECT across merchants.

    Without a lost worker's where there is one.
    """
    return await look_by(db, db.fetch, query, *args)


async def look_by(
    db: Rows,
    fetch: Callable[..., Awaitable[list[Record]]],
    query: str,
    *args: Any,
) -> list[Record]:
    """Return the rows as `look` does.

    fetch: how that database is asked, each time in a transaction of its own.
    """
    try:
        known = _REACHABLE_OF.get(db)
        if known is not None and monotonic() < known.until_s:
            return await _of_reachable(fetch, known, query, args)
        return await fetch(query, *args)
    except NodeLostError as lost:
        return await _of_reachable(fetch, await _asked_again(db, lost), query, args)


async def _asked_again(db: Rows, lost: NodeLostError) -> _Reachable:
    # It is the coordinator that says so, and it is there. Everything else goes on as any error.
    found = await _ask_pieces(db)
    _log.warning("worker_unreachable", pieces=found.missing, says=str(lost).partition("\n")[0])
    if found.missing:
        _REACHABLE_OF[db] = found
    return found


async def _of_reachable(
    fetch: Callable[..., Awaitable[list[Record]]],
    known: _Reachable,
    query: str,
    args: Sequence[Any],
) -> list[Record]:
    if (missing := _LEFT_OUT.get()) is not None:
        missing.pieces = max(missing.pieces, known.missing)
    return await fetch(of_some(query, known.tables, len(args) + 1), *args, known.merchants)


async def _ask_pieces(db: Rows) -> _Reachable:
    merchants, missing = _merchants(await db.fetch(_REACHABLE))
    tables = [row["name"] for row in await db.fetch(_OF_MERCHANTS)]
    return _Reachable(merchants, tables, missing, monotonic() + REMEMBERED_S)


def of_some(query: str, owned: list[str], place: int) -> str:
    """Return a question of the merchants that are given as a parameter, in place of one of all.

    owned: the tables with a merchant's rows; each that the question names stands for its rows of
    these merchants.
    """
    named = dict.fromkeys(re.findall(r"\b(?:from|join)\s+(\w+)", query, re.IGNORECASE))
    parts = [
        f"{name} AS NOT MATERIALIZED "  # noqa: S608 (a table of ours)
        f"(SELECT tableoid, * FROM public.{name} WHERE merchant_id = ANY (${place}::bigint[]))"
        for name in named
        if name in owned
    ]
    return f"WITH {', '.join(parts)} {query}"


def _merchants(pieces: list[Record]) -> tuple[list[int], int]:
    """Return the merchants of the pieces that answered, and how many did not."""
    told = [each["result"] or "" for each in pieces if each["success"]]
    return [int(each) for text in told for each in text.split(",") if each], len(pieces) - len(told)
