"""Lets concurrent calls share a transaction and its commit (decision 0035).

A call never waits to be batched: if no call of its statement is under way, it is sent at once,
alone.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import asyncpg

from hundi.infra.postgres.pool import SESSION_ENDS, Pool, Record

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


@dataclass(slots=True)
class _Lane:
    """Calls of one statement.

    named: the columns whose values equal the first arguments of a row's call; or _ONE_ROW.
    patience: ends when waiting calls are sent beside those under way.
    """

    query: str
    named: tuple[int, ...]
    waiting: list[_Call] = field(default_factory=list)
    patience: asyncio.TimerHandle | None = None

    def next_ones(self) -> list[_Call]:
        """Take the calls to send together next.

        Only the first of calls with the same first arguments.
        """
        if not self.named:
            chosen, self.waiting = self.waiting[:CALLS_MAX], self.waiting[CALLS_MAX:]
            return chosen
        known: dict[tuple[Any, ...], _Call] = {}
        left: list[_Call] = []
        for call in self.waiting:
            key = call.args[: len(self.named)]
            if key in known or len(known) == CALLS_MAX:
                left.append(call)
            else:
                known[key] = call
        self.waiting = left
        return list(known.values())

    def split(self, rows: Sequence[Record], calls: Sequence[_Call]) -> list[list[Record]]:
        """Return the rows of each call."""
        if not self.named:
            return [[row] for row, _ in zip(rows, calls, strict=True)]
        of_each: dict[tuple[Any, ...], list[Record]] = {
            call.args[: len(self.named)]: [] for call in calls
        }
        for row in rows:
            of_each[tuple([row[place] for place in self.named])].append(row)
        return list(of_each.values())


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
        self._senders: set[asyncio.Task[None]] = set()

    async def fetchval(self, query: str, *args: Any) -> Any:
        """Return the first column of the one row that a statement returns.

        Its first two arguments are the merchant and the row it writes: locks are taken in their
        order.
        """
        return (await self._rows(_ONE_ROW, query, args))[0][0]

    async def fetch(self, query: str, *args: Any, named: tuple[int, ...] = (0,)) -> list[Record]:
        """Return the rows of a statement.

        named: the columns that have the call's first arguments: the merchant, and whatever else
        separates the rows of one call from another's.
        """
        return await self._rows(named, query, args)

    async def close(self) -> None:
        """Wait for calls under way, then close the connections."""
        while self._senders or any(lane.patience or lane.waiting for lane in self._lanes.values()):  # noqa: ASYNC110 (rare)
            await asyncio.sleep(PATIENCE_S)
        if self._shared is not None:
            await self._shared.close()

    async def _rows(
        self, named: tuple[int, ...], query: str, args: tuple[Any, ...]
    ) -> list[Record]:
        if self._shared is None:
            return await self._alone.fetch(query, *args)
        lane = self._lanes.get(query) or self._lanes.setdefault(query, _Lane(query, named))
        if lane.patience is not None:
            answer: asyncio.Future[list[Record]] = asyncio.get_running_loop().create_future()
            lane.waiting.append(_Call(args, answer))
            return await answer
        patience = self._begin(lane)
        try:
            return await self._alone.fetch(query, *args)
        finally:
            self._end(lane, patience)

    def _begin(self, lane: _Lane) -> asyncio.TimerHandle:
        patience = lane.patience = asyncio.get_running_loop().call_later(
            PATIENCE_S, self._give_up, lane
        )
        return patience

    def _give_up(self, lane: _Lane) -> None:
        """Start the next batch without waiting for the slow one."""
        lane.patience = None
        self._send_waiting(lane)

    def _end(self, lane: _Lane, patience: asyncio.TimerHandle) -> None:
        """End the batch under way, unless it was given up."""
        if lane.patience is patience:
            patience.cancel()
            lane.patience = None
            self._send_waiting(lane)

    def _send_waiting(self, lane: _Lane) -> None:
        if lane.waiting:
            sender = asyncio.create_task(self._send(lane, lane.next_ones(), self._begin(lane)))
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send(self, lane: _Lane, calls: list[_Call], patience: asyncio.TimerHandle) -> None:
        # A call that was cancelled meanwhile has sent nothing.
        wanted = [each for each in calls if not each.answer.done()]
        try:
            if len(wanted) > 1:
                await self._send_together(lane, wanted)
            elif wanted:
                await self._send_alone(lane, wanted[0])
        finally:
            self._end(lane, patience)

    async def _send_together(self, lane: _Lane, calls: list[_Call]) -> None:
        assert self._shared is not None
        calls.sort(key=_order)
        try:
            rows = await self._shared.fetchmany(lane.query, [each.args for each in calls])
            answers = lane.split(rows, calls)
        except BaseException as problem:
            if _is_refusal(problem):
                await asyncio.gather(*(self._send_alone(lane, each) for each in calls))
                return
            for each in calls:
                _fail(each, problem)
            if not isinstance(problem, Exception):
                raise
        else:
            for each, answer in zip(calls, answers, strict=True):
                if not each.answer.done():
                    each.answer.set_result(answer)

    async def _send_alone(self, lane: _Lane, call: _Call) -> None:
        try:
            answer = await self._alone.fetch(lane.query, *call.args)
        except BaseException as problem:
            _fail(call, problem)
            if not isinstance(problem, Exception):
                raise
        else:
            if not call.answer.done():
                call.answer.set_result(answer)


def _order(call: _Call) -> tuple[Any, ...]:
    return call.args[:2]


def _is_refusal(problem: BaseException) -> bool:
    """Return whether the server certainly refused the transaction, so that it had no effect."""
    if isinstance(problem, asyncpg.QueryCanceledError):
        return True
    return isinstance(problem, asyncpg.PostgresError) and not isinstance(problem, SESSION_ENDS)


def _fail(call: _Call, problem: BaseException) -> None:
    if call.answer.done():
        return
    if isinstance(problem, Exception):
        call.answer.set_exception(problem)
    else:
        call.answer.cancel()
