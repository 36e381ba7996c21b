"""Limits the requests in work at once, and gives each sender a turn in rotation.

Python works on one request at a time, so many requests at once are all late. The flood of one
sender waits in a queue of its own (docs/decisions/0021-every-sender-gets-its-turn.md).
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self, TypeAlias

from hundi.kernel.refusals import RefusalCode, Refused, refuse

WAITING_MAX = 1_000
"""Waiting requests of one sender; more are refused."""
ALL_WAITING_MAX = 10_000
"""Waiting requests of all senders; more are refused."""
WAIT_S_MAX = 10.0
"""The longest wait for a turn; then the request is refused, and nothing was done for it."""

SHARED_FOR_S = 1.0
"""After several senders asked, none may have more than its share for this long."""
BUSY_RETRY_S = 1
"""When a request that got no turn may be sent again."""

_Waiting: TypeAlias = tuple["asyncio.Future[bool]", int]
"""A queued request, and how many places it will take."""

_turn: ContextVar["Turn | None"] = ContextVar("turn", default=None)


class Turns:
    """Gives turns to senders in rotation."""

    def __init__(self, at_once: int, wait_s_max: float = WAIT_S_MAX) -> None:
        """Start with all places free.

        at_once: requests in work at once; one sender may have a quarter of them, or all while
        nobody else asks. wait_s_max: longest wait of a request for its turn, in seconds.
        """
        self._at_once = at_once
        self._wait_s_max = wait_s_max
        self._share = -(-at_once // 4)
        self._last_sender: Hashable = None
        self._shared_until_s = 0.0
        self._in_turn: dict[Hashable, int] = {}
        self._total = 0
        self._queues: OrderedDict[Hashable, deque[_Waiting]] = OrderedDict()
        self._waiting = 0
        self._alone: asyncio.TimerHandle | None = None

    def of(self, sender: Hashable, places: int = 1) -> "Turn":
        """Return the `async with` of one request's turn.

        Raises Refused (TOO_MANY_REQUESTS) on entering. places: how many it takes until it is read,
        a share at most; it begins as soon as one is free.
        """
        return Turn(self, sender, min(places, self._share))

    async def take(self, sender: Hashable, places: int = 1) -> None:
        """Wait for a turn. Raises Refused (TOO_MANY_REQUESTS)."""
        loop = asyncio.get_running_loop()
        if sender != self._last_sender:
            self._last_sender = sender
            self._shared_until_s = loop.time() + SHARED_FOR_S
        # Below its share a sender may begin whoever else asks, so most requests need no look at the
        # clock.
        in_turn = self._in_turn.get(sender, 0)
        if (
            not self._queues
            and self._total < self._at_once
            and (in_turn < self._share or in_turn < self._most())
        ):
            self.count(sender, places)
            return
        if len(self._queues.get(sender, ())) >= WAITING_MAX or self._waiting >= ALL_WAITING_MAX:
            raise _too_busy()
        queue = self._queues.setdefault(sender, deque())
        waiter: asyncio.Future[bool] = loop.create_future()
        waiting = waiter, places
        queue.append(waiting)
        self._waiting += 1
        # All waiting requests may be of senders that have their most already.
        self._begin_next()
        if self._alone is None:
            self._look_later(loop)
        timer = loop.call_later(self._wait_s_max, self._give_up, sender, waiting)
        try:
            if not await waiter:
                raise _too_busy()
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.result():
                self.end(sender, places)  # it got its turn at the moment it was cancelled
            else:
                self._leave(sender, waiting)
            raise
        finally:
            timer.cancel()

    def count(self, sender: Hashable, places: int) -> None:
        """Give a request in turn this many places, whether they are free or not."""
        self._in_turn[sender] = self._in_turn.get(sender, 0) + places
        self._total += places

    def end(self, sender: Hashable, places: int) -> None:
        """Release places, and begin the next request of the sender who waited longest."""
        self._total -= places
        left = self._in_turn.pop(sender) - places
        if left:
            self._in_turn[sender] = left
        if self._queues:
            self._begin_next()

    def _most(self) -> int:
        """Return how many places one sender may have: its share, or all while nobody else asks."""
        is_shared = asyncio.get_running_loop().time() < self._shared_until_s
        return self._share if is_shared else self._at_once

    def _begin_next(self) -> None:
        """Give free places to the queues in rotation; skip senders that have their most."""
        passed, most = 0, self._most()
        while self._total < self._at_once and passed < len(self._queues):
            sender, queue = next(iter(self._queues.items()))
            self._queues.move_to_end(sender)
            if self._in_turn.get(sender, 0) >= most:
                passed += 1
                continue
            passed = 0
            waiter, places = queue.popleft()
            self._waiting -= 1
            if not queue:
                del self._queues[sender]
            if not waiter.done():
                self.count(sender, places)
                waiter.set_result(True)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """While requests wait, look again once a sender may be alone and may have every place."""
        self._alone = loop.call_later(SHARED_FOR_S, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._alone = None
        self._begin_next()
        if self._queues:
            self._look_later(loop)

    def _give_up(self, sender: Hashable, waiting: _Waiting) -> None:
        self._leave(sender, waiting)
        if not waiting[0].done():
            waiting[0].set_result(False)

    def _leave(self, sender: Hashable, waiting: _Waiting) -> None:
        queue = self._queues.get(sender)
        if queue is not None and waiting in queue:
            queue.remove(waiting)
            self._waiting -= 1
            if not queue:
                del self._queues[sender]


class Turn:
    """One request's turn."""

    __slots__ = ("_is_over", "_lent", "_places", "_sender", "_token", "_turns")

    def __init__(self, turns: Turns, sender: Hashable, places: int) -> None:
        """Prepare a turn; use `Turns.of`."""
        self._turns = turns
        self._sender = sender
        self._places = places
        self._lent = 0
        self._is_over = False

    async def __aenter__(self) -> Self:
        """Wait for the turn. Raises Refused (TOO_MANY_REQUESTS)."""
        await self._turns.take(self._sender, self._places)
        self._token = _turn.set(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the turn."""
        _turn.reset(self._token)
        self._is_over = True
        if not self._lent:
            self._turns.end(self._sender, self._places)

    def is_read(self) -> None:
        """Keep one place: the long request is read, and the rest of its work is like others'."""
        if self._places > 1:
            more, self._places = self._places - 1, 1
            if not self._lent:
                self._turns.end(self._sender, more)

    def lend(self) -> None:
        """Let another request begin while this one waits for another server."""
        self._lent += 1
        if self._lent == 1 and not self._is_over:
            self._turns.end(self._sender, self._places)

    def resume(self) -> None:
        """Continue at once without a queue: others may wait for this request."""
        self._lent -= 1
        # Work that a request began may outlive it, and then has no turn.
        if not self._lent and not self._is_over:
            self._turns.count(self._sender, self._places)


def _too_busy() -> Refused:
    return refuse(
        RefusalCode.TOO_MANY_REQUESTS, allowed="fewer requests at once", retry_after_s=BUSY_RETRY_S
    )


@contextmanager
def lent() -> Iterator[None]:
    """Lend the turn of this task's request, if any, to others during the block."""
    turn = _turn.get()
    if turn is None:
        yield
        return
    turn.lend()
    try:
        yield
    finally:
        turn.resume()
