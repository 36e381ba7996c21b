"""Lets calls that come while one is under way share a transaction, and so one commit (decision 0035).

Nobody waits for company: a call that finds none of its statement under way is sent at once, alone.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import asyncpg

from hundi.infra.pool import SESSION_ENDS, Pool

CALLS_MAX = 32
"""Calls of one transaction."""
PATIENCE_S = 0.03
"""How long calls wait for one under way, which may itself wait for a lock: several times as long as a commit takes."""
LOCK_TIMEOUT_MS = 200
"""Longest a shared transaction waits for a lock: then each of its calls goes alone, and only one of them waits on."""
CONNECTIONS_MAX = 4
"""Connections for shared transactions."""


class _Call(NamedTuple):
    args: tuple[Any, ...]
    answer: "asyncio.Future[Any]"


@dataclass(slots=True)
class _Lane:
    """Calls of one statement. patience: ends when others need not wait for what is under way any more."""

    waiting: list[_Call] = field(default_factory=list)
    patience: asyncio.TimerHandle | None = None


class Batches:
    """Sends calls of statements that return one row, and write everything of themselves or nothing.

    Each call has its own answer. Where the server refuses one, nothing of its transaction was done, and each of the
    others is sent again, alone; where it is unknown what became of a transaction, all of its calls raise that.
    """

    def __init__(self, alone: Pool, shared: Pool) -> None:
        """Send over connections of these pools. shared: for several calls, with a short timeout for locks."""
        self._alone = alone
        self._shared = shared
        self._lanes: dict[str, _Lane] = {}
        self._senders: set[asyncio.Task[None]] = set()

    async def fetchval(self, query: str, *args: Any) -> Any:  # noqa: ANN401 (any type PostgreSQL has)
        """Return the first column of the one row that a statement returns.

        Its first two arguments are the merchant and the row it writes: locks are taken in their order.
        """
        lane = self._lanes.setdefault(query, _Lane())
        if lane.patience is not None:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            lane.waiting.append(_Call(args, answer))
            return await answer
        patience = self._begin(query, lane)
        try:
            return await self._alone.fetchval(query, *args)
        finally:
            self._end(query, lane, patience)

    async def close(self) -> None:
        """Wait for what is under way, then end the connections."""
        while self._senders or any(lane.patience or lane.waiting for lane in self._lanes.values()):  # noqa: ASYNC110 (rare)
            await asyncio.sleep(PATIENCE_S)
        await self._shared.close()

    def _begin(self, query: str, lane: _Lane) -> asyncio.TimerHandle:
        patience = lane.patience = asyncio.get_running_loop().call_later(PATIENCE_S, self._give_up, query, lane)
        return patience

    def _give_up(self, query: str, lane: _Lane) -> None:
        """Let the next ones begin beside what takes so long."""
        lane.patience = None
        self._send_waiting(query, lane)

    def _end(self, query: str, lane: _Lane, patience: asyncio.TimerHandle) -> None:
        """End what is under way, unless it was given up."""
        if lane.patience is patience:
            patience.cancel()
            lane.patience = None
            self._send_waiting(query, lane)

    def _send_waiting(self, query: str, lane: _Lane) -> None:
        if lane.waiting:
            calls, lane.waiting = lane.waiting[:CALLS_MAX], lane.waiting[CALLS_MAX:]
            sender = asyncio.create_task(self._send(query, calls, lane, self._begin(query, lane)))
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send(self, query: str, calls: list[_Call], lane: _Lane, patience: asyncio.TimerHandle) -> None:
        # Who was cancelled meanwhile has sent nothing.
        wanted = [each for each in calls if not each.answer.done()]
        try:
            if len(wanted) > 1:
                await self._send_together(query, wanted)
            elif wanted:
                await self._send_alone(query, wanted[0])
        finally:
            self._end(query, lane, patience)

    async def _send_together(self, query: str, calls: list[_Call]) -> None:
        calls.sort(key=_order)
        try:
            rows = await self._shared.fetchmany(query, [each.args for each in calls])
            answers = [row[0] for row, _ in zip(rows, calls, strict=True)]
        except BaseException as problem:
            if _is_refusal(problem):
                await asyncio.gather(*(self._send_alone(query, each) for each in calls))
                return
            for each in calls:
                _fail(each, problem)
            if not isinstance(problem, Exception):
                raise
        else:
            for each, answer in zip(calls, answers, strict=True):
                if not each.answer.done():
                    each.answer.set_result(answer)

    async def _send_alone(self, query: str, call: _Call) -> None:
        try:
            answer = await self._alone.fetchval(query, *call.args)
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
    """Return whether the server refused a transaction: then nothing of it was done, which is certain."""
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
