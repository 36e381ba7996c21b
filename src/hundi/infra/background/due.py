"""The loop for everything that falls due: it claims items with a lease and acts on each.

A worker that dies keeps its items until their leases end; then another worker claims them. Each
peer (the acquirer or merchant's server that an item calls) has a share of the items in flight, so
that a silent peer delays only its own items.

A loop without work sleeps until the next item of its last look falls due. Code that writes an item
due sooner wakes the loop; a lost wake-up delays the item by the longest pause at most.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from math import inf
from time import perf_counter
from typing import Generic, TypeVar

from asyncpg import PostgresError
from prometheus_client import Gauge, Histogram

from hundi.infra.logs import get_logger
from hundi.infra.monitoring import traces
from hundi.infra.monitoring.counters import WORK_IN_FLIGHT, WORK_SECONDS
from hundi.infra.postgres.database import UNREACHABLE
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import time_of
from hundi.kernel.records import replace

PAUSE_S = 0.5
"""Before another try while the database is away."""
_AFTER_DUE_S = 0.005
"""A timer may fire a millisecond early, and a look that is too early costs a poll interval."""

_log = get_logger(__name__)

Peer = int | str
"""The called party: a merchant's server by its merchant id, an acquirer by its name."""
Listen = Callable[[Callable[[str], None]], Awaitable[None]]
"""Registers a callback for the payload of each wake-up."""
Clock = Callable[[], datetime]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class WorkSpan:
    """A worker works on rows that began at a moment or later, and before another.

    Whole seconds, UTC. While a demo's past is made, its own process has the past and the worker has
    the present.
    """

    since: datetime = datetime(2020, 1, 1, tzinfo=UTC)
    before: datetime = datetime(9999, 1, 1, tzinfo=UTC)

    def has(self, number: int) -> bool:
        """Return whether a row is inside, by its id, which begins with its time."""
        return self.since <= time_of(number) < self.before


ALWAYS = WorkSpan()


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace and the limits of a loop.

    poll_s: between two looks while there is work. in_flight_max: items under way in one worker.
    peer_in_flight_max: of those, for one peer. drain_s: how long items under way may take when the
    loop stops. idle_s: longest between two looks without work, because wake-ups may be lost; 0:
    poll_s.
    """

    poll_s: float
    in_flight_max: int
    peer_in_flight_max: int
    drain_s: float = 10.0
    idle_s: float = 0.0


class Places:
    """Counts the items in flight, in all and for each peer."""

    def __init__(self, most: int, share: Callable[[Peer, Counter[Peer]], int]) -> None:
        """Allow `most` items.

        share: how many of them a peer may have, given the items in flight.
        """
        self._most = most
        self._share = share
        self._in_flight: Counter[Peer] = Counter()

    @property
    def free(self) -> int:
        """Return how many more items may be in flight."""
        return max(0, self._most - self._in_flight.total())

    @property
    def roomy(self) -> bool:
        """Return whether enough places are free for another look across merchants."""
        return self.free * 8 >= self._most

    def room(self, peer: Peer) -> int:
        """Return how many more items a peer may have in flight."""
        return max(0, self._share(peer, self._in_flight) - self._in_flight[peer])

    def full(self) -> set[Peer]:
        """Return the peers whose share is used up."""
        return {peer for peer in self._in_flight if not self.room(peer)}

    def take(self, peer: Peer) -> None:
        """Count one more item."""
        self._in_flight[peer] += 1

    def release(self, peer: Peer) -> None:
        """Count one item less."""
        self._in_flight[peer] -= 1
        if not self._in_flight[peer]:
            del self._in_flight[peer]


@dataclass(frozen=True, slots=True)
class Claimed(Generic[Item]):
    """The result of one claim.

    behind: peers that may have more due. more: the claim was cut short. next_due: when the first
    seen but unclaimed item is due, None if none was seen.
    """

    items: Sequence[Item] = ()
    behind: frozenset[Peer] = frozenset()
    more: bool = False
    next_due: datetime | None = None


class Work(ABC, Generic[Item]):
    """One kind of work that falls due.

    name: in logs. by_merchant: a wake-up's payload names a merchant. span: the rows to claim; other
    rows belong to another process.
    """

    name: str
    pace: Pace
    by_merchant: bool = False
    span: WorkSpan = ALWAYS

    def share(self, peer: Peer, in_flight: Counter[Peer]) -> int:  # noqa: ARG002 (others may count)
        """Return how many items a peer may have in flight."""
        return self.pace.peer_in_flight_max

    @abstractmethod
    def peer(self, item: Item) -> Peer:
        """Return the called party of an item."""

    @abstractmethod
    def labels(self, item: Item) -> Mapping[str, object]:
        """Return the labels of an item in logs; nothing secret."""

    @abstractmethod
    async def claim(
        self, now: datetime, places: Places, named: Collection[int] | None
    ) -> Claimed[Item]:
        """Claim due items for which there are places.

        named: the merchants to look at, None for all.
        """

    @abstractmethod
    async def act(self, item: Item, now: datetime) -> None:
        """Work on one item."""

    async def close(self) -> None:
        """Release long-lived resources; called when the loop has stopped."""


@cache
def _in_flight(work: str) -> Gauge:
    """Return the gauge of one kind of work; the lookup by label costs more than counting."""
    return WORK_IN_FLIGHT.labels(work)


@cache
def _clock(work: str, outcome: str) -> Histogram:
    return WORK_SECONDS.labels(work, outcome)


class DueLoop(Generic[Item]):
    """Works on due items. Any number of workers may run the same loop: claims keep them apart."""

    def __init__(
        self,
        work: Work[Item],
        *,
        listen: Listen | None = None,
        hints: Listen | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Store the parts.

        listen: the source of wake-ups that cause a look at once. hints: the same, but the second of
        two looks waits for the work's pace, however many hints come.
        """
        self._work = work
        self._to_hear = [(listen, self._on_wakeup)] if listen else []
        self._to_hear += [(hints, self._on_hint)] if hints else []
        self._clock = clock
        self._poll_s = work.pace.poll_s
        self._idle_s = max(work.pace.idle_s, work.pace.poll_s)
        self._places = Places(work.pace.in_flight_max, work.share)
        self._named: set[int] = set()
        self._behind: set[Peer] = set()
        self._crowded = False
        self._look_at_s = 0.0
        self._looked_s = -inf
        self._has_news = False
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def keep_to(self, span: WorkSpan) -> None:
        """Claim only rows of a span of time from now on."""
        self._work.span = span

    def rest_longer(self, times: float) -> None:
        """Make this many times as long pauses between looks without work.

        A look then sees so far ahead, and wake-ups cause one as before. Where these name a
        merchant, looks at all merchants are also so much rarer while there is work.
        """
        self._idle_s *= times
        if self._work.by_merchant:
            self._poll_s *= times
        self._work.pace = replace(self._work.pace, idle_s=self._idle_s)

    def look_soon(self) -> None:
        """Let the next claim look at every merchant, at once."""
        self._look_at_s = 0.0
        self._has_news = True
        self._wake.set()

    async def once(self, now: datetime) -> int:
        """Claim and work on due items once; return how many items there were."""
        items = (await self._claim(now, None)).items
        await asyncio.gather(*(self._act(each, now) for each in items))
        return len(items)

    async def forever(self, stop: asyncio.Event, *, poll_s: float | None = None) -> None:
        """Work until stopped, then finish the items under way; slow ones keep their lease.

        poll_s: between two looks, with and without work; None for the work's own pace.
        """
        if poll_s is not None:
            self._poll_s = self._idle_s = poll_s
        ending = asyncio.create_task(self._wake_at(stop))
        worked = 0
        try:
            while not stop.is_set():
                self._wake.clear()
                worked += await self._start_due(stop)
                await _sleep(self._wake, self._look_at_s - asyncio.get_running_loop().time())
        finally:
            ending.cancel()
            await self._drain()
            _log.info("due_loop_stopped", work=self._work.name, worked=worked)

    async def _start_due(self, stop: asyncio.Event) -> int:
        """Start to work on due items, and return how many there are."""
        now_s = asyncio.get_running_loop().time()
        named, self._named = self._named, set()
        if now_s >= self._look_at_s:
            named, self._looked_s, self._look_at_s = None, now_s, now_s + self._poll_s
            self._has_news = False
        elif not named:
            return 0
        if not self._places.free:
            self._crowded = True
            return 0
        now, in_flight = self._clock(), bool(self._tasks)
        try:
            await self._begin_to_listen()
            claimed = await self._claim(now, named)
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("due_not_claimed", work=self._work.name, error=type(error).__name__)
            await _sleep(stop, PAUSE_S)
            self.look_soon()
            return 0
        if claimed.items:
            # Items that become due by this work are seen by the next look.
            self._look_at_s = min(self._look_at_s, now_s + self._poll_s)
        elif named is None and not (in_flight or claimed.more or self._has_news):
            self._look_at_s = now_s + self._pause_s(now, claimed.next_due)
        for each in claimed.items:
            task = asyncio.create_task(self._act(each, now))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(claimed.items)

    def _pause_s(self, now: datetime, next_due: datetime | None) -> float:
        """Return the seconds until the next look, after one that left nothing to do."""
        if next_due is None:
            return self._idle_s
        return min(self._idle_s, max(self._poll_s, (next_due - now).total_seconds() + _AFTER_DUE_S))

    async def _begin_to_listen(self) -> None:
        while self._to_hear:
            listen, callback = self._to_hear[0]
            await listen(callback)
            del self._to_hear[0]

    async def _claim(self, now: datetime, named: Collection[int] | None) -> Claimed[Item]:
        # Before the claim: a place that comes free while it runs must be noticed.
        self._behind |= self._places.full()
        claimed = await self._work.claim(now, self._places, named)
        for each in claimed.items:
            self._places.take(self._work.peer(each))
        self._behind = (
            set(claimed.behind) if named is None else (self._behind - set(named)) | claimed.behind
        )
        self._crowded = claimed.more and not self._places.free
        if claimed.more and claimed.items and self._places.free:
            self.look_soon()
        return claimed

    async def _act(self, item: Item, now: datetime) -> None:
        began_s, outcome = perf_counter(), "done"
        _in_flight(self._work.name).inc()
        traces.forget()
        try:
            await self._work.act(item, now)
        except Exception:  # noqa: BLE001 (logged; the item is worked on again when its lease ends, the others go on)
            outcome = "raised"
            _log.exception("due_item_failed", work=self._work.name, **self._work.labels(item))
        finally:
            _clock(self._work.name, outcome).observe(perf_counter() - began_s)
            _in_flight(self._work.name).dec()
            traces.tell(self._work.name, traces.WORK, began_s, outcome=outcome)
            self._let_go(self._work.peer(item))

    def _let_go(self, peer: Peer) -> None:
        """Release a place, and look again if peers wait for one."""
        self._places.release(peer)
        if peer in self._behind and self._work.by_merchant:
            self._named.add(int(peer))
            self._wake.set()
        elif peer in self._behind or (self._crowded and self._places.roomy):
            self.look_soon()

    def _on_wakeup(self, payload: str) -> None:
        """Handle a wake-up about one merchant, or about anything."""
        if self._work.by_merchant and payload.removeprefix("-").isdigit():
            self._named.add(int(payload))
            self._wake.set()
        else:
            self.look_soon()

    def _on_hint(self, _payload: str) -> None:
        """Handle a wake-up of a kind that comes very often."""
        self._look_at_s = min(self._look_at_s, self._looked_s + self._poll_s)
        self._has_news = True
        self._wake.set()

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _drain(self) -> None:
        hanging: set[asyncio.Task[None]] = set()
        if self._tasks:
            _, hanging = await asyncio.wait(self._tasks, timeout=self._work.pace.drain_s)
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        await self._work.close()


async def _sleep(unless: asyncio.Event, seconds: float) -> None:
    """Sleep, at most until this event."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await unless.wait()
    except TimeoutError:
        return
