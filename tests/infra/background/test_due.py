"""The due-loop, on work that lies in memory and a clock that the test holds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.background.due import Claimed, DueLoop, Pace, Peer, Places, Work
from hundi.infra.background.due_rows import NOT_SENT_GAP

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
LEASE = timedelta(seconds=30)
SELDOM = Pace(poll_s=60.0, in_flight_max=4, peer_in_flight_max=2, drain_s=0.2)
OFTEN = Pace(poll_s=0.01, in_flight_max=4, peer_in_flight_max=2, drain_s=0.2)


@dataclass(frozen=True)
class Job:
    """One item of work."""

    peer: Peer
    number: int


@dataclass
class Table:
    """What is due, as a database would have it: shared by workers."""

    due_at: dict[Job, datetime]
    away: int = 0
    """Claims that find no database."""


@dataclass
class Memory(Work[Job]):
    """Work on such a table. Jobs in `silent` are worked on until the test lets go."""

    table: Table
    pace: Pace = SELDOM
    by_merchant: bool = False
    name: str = "memory"
    silent: set[Job] = field(default_factory=set)
    unsent: set[Job] = field(default_factory=set)
    broken: set[Job] = field(default_factory=set)
    begun: list[tuple[Job, datetime]] = field(default_factory=list)
    done: list[Job] = field(default_factory=list)
    looks: list[Collection[int] | None] = field(default_factory=list)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    most: int = 0
    closed: bool = False

    def peer(self, item: Job) -> Peer:
        return item.peer

    def labels(self, item: Job) -> Mapping[str, object]:
        return {"number": item.number}

    async def claim(
        self, now: datetime, places: Places, named: Collection[int] | None
    ) -> Claimed[Job]:
        self.looks.append(named)
        if self.table.away:
            self.table.away -= 1
            raise ConnectionRefusedError
        later = min((due_at for due_at in self.table.due_at.values() if due_at > now), default=None)
        rooms: dict[Peer, int] = {}
        items: list[Job] = []
        behind = places.full()
        waiting = [job for job, due_at in self.table.due_at.items() if due_at <= now]
        for job in waiting:
            if named is not None and job.peer not in named:
                continue
            room = rooms.setdefault(job.peer, places.room(job.peer))
            if len(items) == places.free:
                return Claimed(items, frozenset(behind), more=True)
            if not room:
                behind.add(job.peer)
                continue
            rooms[job.peer] -= 1
            self.table.due_at[job] = now + LEASE
            items.append(job)
        return Claimed(items, frozenset(behind), next_due=later)

    async def act(self, item: Job, now: datetime) -> None:
        self.begun.append((item, now))
        self.most = max(self.most, len(self.begun) - len(self.done))
        if item in self.silent:
            await self.go.wait()
        if item in self.broken:
            raise ValueError(item)
        if item in self.unsent:
            self.table.due_at[item] = now + NOT_SENT_GAP
            return
        await asyncio.sleep(0)
        self.done.append(item)
        del self.table.due_at[item]

    async def close(self) -> None:
        self.closed = True


def jobs(*peers: Peer) -> list[Job]:
    return [Job(peer, number) for number, peer in enumerate(peers)]


def table(*due: Job) -> Table:
    return Table(dict.fromkeys(due, NOW))


@asynccontextmanager
async def running(loop: DueLoop[Job]) -> AsyncIterator[None]:
    stop = asyncio.Event()
    task = asyncio.create_task(loop.forever(stop))
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(task, 5)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.002)


async def test_a_silent_one_holds_up_nobody() -> None:
    due = jobs("a", "b", "c", "b", "c", "b", "c")
    work = Memory(table(*due), silent={due[0]})
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: len(work.done) == 6)
        assert due[0] not in work.done
        work.go.set()
    assert work.done[-1] == due[0], "told to stop, it finishes what is under way"
    assert work.closed


async def test_a_silent_peer_takes_its_share_and_no_more() -> None:
    silent = [Job("a", number) for number in range(10)]
    others = [Job("b", number) for number in range(10)]
    work = Memory(table(*silent, *others), silent=set(silent))
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: set(work.done) == set(others))
        assert [job for job, _ in work.begun if job.peer == "a"] == silent[
            : SELDOM.peer_in_flight_max
        ]
        work.go.set()
        await until(lambda: len(work.done) == 20)


async def test_a_backlog_flows_without_the_poll_and_never_more_than_allowed_at_once() -> None:
    due = [Job(number % 7, number) for number in range(100)]
    work = Memory(table(*due))
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: len(work.done) == 100)
    assert 1 < work.most <= SELDOM.in_flight_max
    assert sorted(work.done, key=lambda job: job.number) == due, "each once"


async def test_a_merchants_backlog_flows_by_looks_at_that_merchant() -> None:
    due = [Job(7, number) for number in range(20)]
    work = Memory(table(*due), by_merchant=True)
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: len(work.done) == 20)
    assert work.looks[0] is None
    assert all(look == {7} for look in work.looks[1:])


async def test_what_hangs_when_told_to_stop_is_left_to_its_lease_and_another_worker() -> None:
    (job,) = jobs("a")
    shared = table(job)
    first, second = Memory(shared, silent={job}), Memory(shared)
    async with running(DueLoop(first, clock=lambda: NOW)):
        await until(lambda: bool(first.begun))
    assert (first.done, shared.due_at[job]) == ([], NOW + LEASE)
    assert await DueLoop(second).once(NOW + LEASE - timedelta(seconds=1)) == 0
    assert await DueLoop(second).once(NOW + LEASE) == 1
    assert second.done == [job]


async def test_what_could_not_be_sent_is_given_back() -> None:
    due = jobs("a", "b")
    work = Memory(table(*due), unsent={due[0]})
    assert await DueLoop(work).once(NOW) == 2
    assert work.table.due_at == {due[0]: NOW + NOT_SENT_GAP}
    work.unsent.clear()
    assert await DueLoop(work).once(NOW + NOT_SENT_GAP) == 1
    assert work.done == [due[1], due[0]]


async def test_one_that_breaks_is_left_to_its_lease_and_gives_its_place_back() -> None:
    broken = [Job("a", number) for number in range(SELDOM.peer_in_flight_max)]
    fine = Job("a", 9)
    work = Memory(table(*broken, fine), broken=set(broken))
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: work.done == [fine])
    assert work.table.due_at == dict.fromkeys(broken, NOW + LEASE)


async def test_the_database_away_is_waited_for() -> None:
    due = jobs("a", "b")
    work = Memory(table(*due), pace=OFTEN)
    work.table.away = 2
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: len(work.done) == 2)
    assert len(work.looks) >= 3


async def test_told_to_stop_while_the_database_is_away_it_stops_at_once() -> None:
    work = Memory(table(), pace=OFTEN)
    work.table.away = 1_000
    async with running(DueLoop(work, clock=lambda: NOW)):
        await until(lambda: bool(work.looks))
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began < 0.4


async def test_the_poll_finds_what_falls_due() -> None:
    (job,) = jobs("a")
    work = Memory(table(job), pace=OFTEN)
    work.table.due_at[job] = NOW + timedelta(hours=1)
    times = iter([NOW, NOW + timedelta(minutes=59)])
    async with running(DueLoop(work, clock=lambda: next(times, NOW + timedelta(hours=1)))):
        await until(lambda: work.done == [job])
    assert work.begun == [(job, NOW + timedelta(hours=1))]


@pytest.mark.parametrize(
    ("by_merchant", "payload", "look"),
    [(True, "7", {7}), (True, "", None), (False, "7", None), (False, "", None)],
)
async def test_a_wake_up_comes_before_the_poll(
    by_merchant: bool,  # noqa: FBT001 (a case of the table)
    payload: str,
    look: set[int] | None,
) -> None:
    heard: list[Callable[[str], None]] = []
    tries = iter([ConnectionRefusedError()])

    async def listen(callback: Callable[[str], None]) -> None:
        for error in tries:
            raise error
        heard.append(callback)

    work = Memory(table(), by_merchant=by_merchant)
    async with running(DueLoop(work, listen=listen, clock=lambda: NOW)):
        await until(lambda: bool(work.looks))
        assert len(heard) == 1, "who could not listen at first tries again"
        work.table.due_at[Job(7, 1)] = NOW
        heard[0](payload)
        await until(lambda: work.done == [Job(7, 1)])
    assert work.looks == [None, look]


def test_places_are_counted_for_each_peer() -> None:
    places = Places(8, lambda peer, in_flight: 1 if peer == "slow" else 8 - in_flight["slow"])
    for peer in ("slow", "fast", "fast"):
        places.take(peer)
    assert (places.free, places.room("slow"), places.room("fast"), places.full()) == (
        5,
        0,
        5,
        {"slow"},
    )
    places.release("slow")
    assert (places.free, places.room("slow"), places.full()) == (6, 1, set())
