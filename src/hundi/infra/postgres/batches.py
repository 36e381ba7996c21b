"""Lets concurrent calls share a transaction and its commit (decision 0035).

A call never waits to be batched: if no call of its statement is under way, it is sent at once,
alone.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from hundi.infra.postgres.pool import Pool, Record, is_refusal

CALLS_MAX = 32
"""The most calls in one transaction."""
PATIENCE_S = 0.03
"""How long calls wait for one under way, which may itself wait for a lock.

Several times as long as a commit.
"""
LOCK_TIMEOUT_MS = 200
"""The longest that a shared transaction waits for a lock.

After that its calls are sent one by one, and only one of them goes on waiting.
"""
CONNECTIONS_MAX = 4
"""Connections for shared transactions."""


class _Call(NamedTuple):
    args: tuple[Any, ...]
    answer: "asyncio.Future[list[Record]]"


class _Alone(Protocol):
    """Sends one call in a transaction of its own."""

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        """Return all rows."""
        ...


_ONE_ROW = ()
"""Marks statements that return one row per call."""


class Batches:
    """Sends calls of statements on one merchant, each of which takes effect whole or not at all.

    Each call has its own answer. If the server refuses one, its transaction has no effect, and each
    of the other calls is sent again alone. If the outcome of a transaction is unknown, all of its
    calls raise that error.
    """

    def __init__(self, alone: _Alone, shared: Pool | None) -> None:
        """Send over connections of these pools.

        shared: for several calls, with a short timeout for locks; None gives each call its own
        transaction.
        """
        self._alone = alone
        self._shared = shared
        self._lanes: dict[str, _Lane] = {}

    async def fetchval(self, query: str, *args: Any) -> Any:
        """Return the first column of the one row that a statement returns.

        Its first two arguments are the merchant and the row it writes: locks are taken in their
        order.
        """
        if self._shared is None:
            return (await self._alone.fetch(query, *args))[0][0]
        lane = self._lanes.get(query) or self._new_lane(query, _ONE_ROW, self._shared)
        if lane.patience is not None:
            return (await lane.join(args))[0][0]
        patience = lane.begin()
        try:
            return (await self._alone.fetch(query, *args))[0][0]
        finally:
            lane.end(patience)

    async def fetch(self, query: str, *args: Any, named: tuple[int, ...] = (0,)) -> list[Record]:
        """Return the rows of a statement.

        named: the columns that have the call's first arguments: the merchant, and whatever else
        separates the rows of one call from another's.
        """
        if self._shared is None:
            return await self._alone.fetch(query, *args)
        lane = self._lanes.get(query) or self._new_lane(query, named, self._shared)
        if lane.patience is not None:
            return await lane.join(args)
        patience = lane.begin()
        try:
            return await self._alone.fetch(query, *args)
        finally:
            lane.end(patience)

    async def close(self) -> None:
        """Wait for calls under way, then close the connections."""
        while any(lane.patience or lane.senders for lane in self._lanes.values()):  # noqa: ASYNC110 (rare)
            await asyncio.sleep(PATIENCE_S)
        if self._shared is not None:
            await self._shared.close()

    def _new_lane(self, query: str, named: tuple[int, ...], shared: Pool) -> "_Lane":
        lane = self._lanes[query] = _Lane(query, named, self._alone, shared)
        return lane


class _Lane:
    """Calls of one statement.

    patience: ends when the next calls are sent beside the one under way; None if they need not
    wait.
    """

    def __init__(self, query: str, named: tuple[int, ...], alone: _Alone, shared: Pool) -> None:
        """Start without calls.

        named: the columns whose values equal the first arguments of a row's call; or _ONE_ROW.
        """
        self.patience: asyncio.TimerHandle | None = None
        self.senders: set[asyncio.Task[None]] = set()
        self._query = query
        self._named = named
        self._alone = alone
        self._shared = shared
        self._waiting: list[_Call] = []

    def begin(self) -> asyncio.TimerHandle:
        """Make the next calls wait for the one that is sent now."""
        patience = asyncio.get_running_loop().call_later(PATIENCE_S, self._give_up)
        self.patience = patience
        return patience

    def end(self, patience: asyncio.TimerHandle) -> None:
        """Send the next calls, unless they were sent when the patience ended."""
        if self.patience is patience:
            patience.cancel()
            self._give_up()

    def join(self, args: tuple[Any, ...]) -> "asyncio.Future[list[Record]]":
        """Send a call together with the next ones, and return its answer."""
        call = _Call(args, asyncio.get_running_loop().create_future())
        self._waiting.append(call)
        return call.answer

    def _give_up(self) -> None:
        """Start the next batch without waiting for the slow one."""
        self.patience = None
        if self._waiting:
            sender = asyncio.create_task(self._send(self._next_calls(), self.begin()))
            self.senders.add(sender)
            sender.add_done_callback(self.senders.discard)

    def _next_calls(self) -> list[_Call]:
        """Take the calls to send together next.

        Only the first of calls with the same first arguments.
        """
        if not self._named:
            calls, self._waiting = self._waiting[:CALLS_MAX], self._waiting[CALLS_MAX:]
            return calls
        calls_by_key: dict[tuple[Any, ...], _Call] = {}
        waiting: list[_Call] = []
        for call in self._waiting:
            key = call.args[: len(self._named)]
            if key in calls_by_key or len(calls_by_key) == CALLS_MAX:
                waiting.append(call)
            else:
                calls_by_key[key] = call
        self._waiting = waiting
        return list(calls_by_key.values())

    def _split(self, rows: Sequence[Record], calls: Sequence[_Call]) -> list[list[Record]]:
        """Return the rows of each call."""
        if not self._named:
            return [[row] for row, _ in zip(rows, calls, strict=True)]
        of_each: dict[tuple[Any, ...], list[Record]] = {
            call.args[: len(self._named)]: [] for call in calls
        }
        for row in rows:
            of_each[tuple([row[place] for place in self._named])].append(row)
        return list(of_each.values())

    async def _send(self, calls: list[_Call], patience: asyncio.TimerHandle) -> None:
        # A call that was cancelled meanwhile has sent nothing.
        wanted = [call for call in calls if not call.answer.done()]
        try:
            if len(wanted) > 1:
                await self._send_together(wanted)
            elif wanted:
                await self._send_alone(wanted[0])
        finally:
            self.end(patience)

    async def _send_together(self, calls: list[_Call]) -> None:
        calls.sort(key=_order)
        try:
            rows = await self._shared.fetchmany(self._query, [call.args for call in calls])
            answers = self._split(rows, calls)
        except BaseException as problem:
            if is_refusal(problem):
                await asyncio.gather(*map(self._send_alone, calls))
                return
            for call in calls:
                _fail(call, problem)
            if not isinstance(problem, Exception):
                raise
        else:
            for call, answer in zip(calls, answers, strict=True):
                if not call.answer.done():
                    call.answer.set_result(answer)

    async def _send_alone(self, call: _Call) -> None:
        try:
            answer = await self._alone.fetch(self._query, *call.args)
        except BaseException as problem:
            _fail(call, problem)
            if not isinstance(problem, Exception):
                raise
        else:
            if not call.answer.done():
                call.answer.set_result(answer)


def _order(call: _Call) -> tuple[Any, ...]:
    return call.args[:2]


def _fail(call: _Call, problem: BaseException) -> None:
    if call.answer.done():
        return
    if isinstance(problem, Exception):
        call.answer.set_exception(problem)
    else:
        call.answer.cancel()
