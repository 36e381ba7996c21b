"""How often a loop without work looks, in virtual time: seldom, and in time for what falls due."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.background.due import Claimed, DueLoop, Pace
from hundi_testbed.simulation.virtual_time import VirtualLoop
from tests.infra.background.test_due import LEASE, Job, Memory, Table

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
PACE = Pace(poll_s=1.0, in_flight_max=4, peer_in_flight_max=2, idle_s=15.0)
JOB = Job(7, 1)


def now() -> datetime:
    """Return the moment of virtual time, which begins at NOW."""
    return NOW + timedelta(seconds=now_s())


def now_s() -> float:
    """Return the seconds of virtual time."""
    return round(asyncio.get_running_loop().time(), 3)


class Rows(Memory):
    """Work that notes when it looked, and when it began to act."""

    def __init__(
        self, due: dict[Job, float], *, by_merchant: bool = False, acts_s: float = 0.0
    ) -> None:
        """Have these jobs fall due, in seconds. acts_s: how long each takes."""
        at = {job: NOW + timedelta(seconds=seconds) for job, seconds in due.items()}
        super().__init__(Table(at), pace=PACE, by_merchant=by_merchant)
        self.acts_s = acts_s
        self.looks_s: list[float] = []
        self.begun_s: list[float] = []

    async def claim(self, *args: object) -> Claimed[Job]:
        self.looks_s.append(now_s())
        return await super().claim(*args)  # type: ignore[arg-type]

    async def act(self, item: Job, now: datetime) -> None:
        self.begun_s.append(now_s())
        await asyncio.sleep(self.acts_s)
        await super().act(item, now)


def live(
    loop: DueLoop[Job], seconds: float, *, meanwhile: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Let a loop run for so long in virtual time."""

    async def run() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(loop.forever(stop))
        others = asyncio.create_task(meanwhile()) if meanwhile else None
        await asyncio.sleep(seconds)
        stop.set()
        await running
        if others:
            await others

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run())


def test_without_work_it_looks_at_its_idle_pace() -> None:
    rows = Rows({})
    live(DueLoop(rows, clock=now), 60)
    assert rows.looks_s == [0, 15, 30, 45]


def test_a_loop_that_rests_longer_looks_seldom_and_sees_as_far_ahead() -> None:
    work = Rows({})
    loop = DueLoop(work, clock=now)
    loop.rest_longer(4)
    live(loop, 121)
    assert work.looks_s == [0, 60, 120]
    assert work.pace.idle_s == 60


def test_who_is_woken_by_merchant_looks_at_all_merchants_seldom_beside_its_work() -> None:
    """Whom a wake-up names is looked at at once; another job of somebody else waits."""
    other = Job(8, 2)
    work = Rows({JOB: 0, other: 1}, by_merchant=True)
    loop = DueLoop(work, clock=now)
    loop.rest_longer(4)
    live(loop, 5)
    assert work.begun_s == [0, 4]


@pytest.mark.parametrize("due_s", [1.2, 7.3, 15.0, 40.5])
def test_it_looks_when_the_next_item_falls_due(due_s: float) -> None:
    rows = Rows({JOB: due_s})
    live(DueLoop(rows, clock=now), 60)
    assert rows.begun_s == [pytest.approx(due_s, abs=0.01)]
    assert len(rows.looks_s) < 8


def test_items_that_fall_due_close_together_cost_no_more_looks_than_the_pace_of_work() -> None:
    rows = Rows({Job(1, number): 5 + number / 100 for number in range(200)})
    live(DueLoop(rows, clock=now), 12)
    assert len(rows.done) == 200
    assert rows.begun_s[0] == pytest.approx(5, abs=0.01)


def test_the_lease_of_a_worker_that_died_is_an_item_that_falls_due() -> None:
    rows = Rows({JOB: LEASE.total_seconds() + 0.5})
    live(DueLoop(rows, clock=now), 60)
    assert rows.looks_s[:4] == [0, 15, 30, 31], "never sooner after a look than the pace of work"
    assert rows.begun_s == [31]


def test_what_work_makes_due_is_seen_by_a_look_after_it() -> None:
    rows = Rows({JOB: 0}, acts_s=2.5)
    again = Job(7, 2)
    done = rows.act

    async def act(item: Job, at: datetime) -> None:
        await done(item, at)
        if item is JOB:
            rows.table.due_at[again] = now() + timedelta(seconds=3)

    rows.act = act  # type: ignore[method-assign]
    live(DueLoop(rows, clock=now), 30)
    assert rows.begun_s == [0, pytest.approx(5.5, abs=0.01)]
    assert rows.looks_s[:4] == [0, 1, 2, 3], (
        "while something is under way it looks at the pace of work"
    )


def test_a_look_cut_short_and_one_that_others_were_faster_at_are_no_reason_to_rest() -> None:
    class Contended(Rows):
        async def claim(self, *args: object) -> Claimed[Job]:
            claimed = await super().claim(*args)
            contended: list[Claimed[Job]] = [Claimed(more=True), Claimed(next_due=NOW)]
            return contended[len(self.looks_s) - 1] if len(self.looks_s) <= 2 else claimed

    rows = Contended({})
    live(DueLoop(rows, clock=now), 10)
    assert rows.looks_s == [0, 1, 2]


class Bell:
    """Wake-ups that a test sends."""

    def __init__(self) -> None:
        """Have nobody listen yet."""
        self.ring: Callable[[str], None] = lambda _: None

    async def listen(self, callback: Callable[[str], None]) -> None:
        """Have one listen."""
        self.ring = callback


@pytest.mark.parametrize("kind", ["listen", "hints"])
def test_a_wake_up_ends_the_rest_at_once(kind: str) -> None:
    bell, rows = Bell(), Rows({})

    async def write() -> None:
        await asyncio.sleep(8.25)
        rows.table.due_at[JOB] = now()
        bell.ring("")

    live(DueLoop(rows, clock=now, **{kind: bell.listen}), 30, meanwhile=write)  # type: ignore[arg-type]
    assert rows.begun_s == [8.25]


@pytest.mark.parametrize("kind", ["listen", "hints"])
def test_a_wake_up_during_a_look_is_not_slept_over(kind: str) -> None:
    bell = Bell()

    class Slow(Rows):
        async def claim(self, *args: object) -> Claimed[Job]:
            claimed = await super().claim(*args)
            if len(self.looks_s) == 1:
                self.table.due_at[JOB] = now()
                bell.ring("")
                await asyncio.sleep(0.1)
            return claimed

    rows = Slow({})
    live(DueLoop(rows, clock=now, **{kind: bell.listen}), 30)  # type: ignore[arg-type]
    assert rows.begun_s == [pytest.approx(0.1 if kind == "listen" else PACE.poll_s, abs=0.01)]


def test_any_number_of_hints_costs_no_more_looks_than_the_pace_of_work() -> None:
    bell, rows = Bell(), Rows({})

    async def write() -> None:
        for _ in range(1_000):
            await asyncio.sleep(0.01)
            bell.ring("")

    live(DueLoop(rows, clock=now, hints=bell.listen), 30, meanwhile=write)
    assert len(rows.looks_s) <= 10 / PACE.poll_s + 4


def test_a_merchants_deliveries_that_waited_for_each_other_are_looked_for_at_the_pace_of_work() -> (
    None
):
    bell, rows = Bell(), Rows({}, by_merchant=True)
    second = Job(7, 2)

    async def write() -> None:
        await asyncio.sleep(5)
        rows.table.due_at[JOB] = now()
        bell.ring("7")
        await asyncio.sleep(0.3)
        rows.table.due_at[second] = now()

    live(DueLoop(rows, clock=now, listen=bell.listen), 30, meanwhile=write)
    assert rows.begun_s == [5, pytest.approx(6, abs=0.01)]


def test_a_clock_that_is_moved_on_is_noticed_at_once_where_the_loop_is_told() -> None:
    ahead = timedelta()
    rows = Rows({JOB: 86_400})
    loop = DueLoop(rows, clock=lambda: now() + ahead)

    async def move() -> None:
        nonlocal ahead
        await asyncio.sleep(4.5)
        ahead = timedelta(days=2)
        loop.look_soon()

    live(loop, 30, meanwhile=move)
    assert rows.begun_s == [4.5]


def test_a_clock_that_jumped_unseen_costs_the_longest_pause_at_most() -> None:
    rows = Rows({JOB: 86_400})
    live(DueLoop(rows, clock=lambda: now() + timedelta(days=2 if now_s() > 3 else 0)), 30)
    assert rows.begun_s == [15]


def test_where_the_caller_gives_the_pause_it_is_kept_with_work_and_without() -> None:
    rows = Rows({JOB: 130})

    async def run() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(DueLoop(rows, clock=now).forever(stop, poll_s=60.0))
        await asyncio.sleep(200)
        stop.set()
        await running

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run())
    assert rows.looks_s == [0, 60, 120, 180]
