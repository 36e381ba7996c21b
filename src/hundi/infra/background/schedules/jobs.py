"""Schedules of the whole gateway: named work that runs once a period on any worker (decision 0001).

Work of a merchant does not belong here: it is a row of the merchant's tables with a due time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import PostgresError

from hundi.infra.background.schedules import store
from hundi.infra.logs import get_logger
from hundi.infra.monitoring.counters import SCHEDULE_DONE
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.kernel.clock import utc_now

_log = get_logger(__name__)

Work = Callable[[datetime], Awaitable[object]]

_RUN_S_MAX = 240
LEASE = timedelta(minutes=5)
"""Longer than a run takes; the run of a killed worker starts again after it."""
_WAIT_S_MIN = 0.05
_WAIT_S_MAX = 60.0
_PAUSE_S_MIN = 0.5
_PAUSE_S_MAX = 30.0


@dataclass(frozen=True, slots=True)
class _Schedule:
    name: str
    every: timedelta
    work: Work


class Schedules:
    """The scheduled work of one worker.

    Every worker registers the same schedules; the database lets one of them run each period. The
    run of a dead worker starts again, so work must be safe to repeat. Periods that passed without a
    worker, or during a long run, become one run.
    """

    def __init__(self, database: Database) -> None:
        """Store the database of the schedules."""
        self._database = database
        self._schedules: dict[str, _Schedule] = {}

    def add(self, name: str, every: timedelta, work: Work) -> None:
        """Register work under a name that never changes.

        Raises ValueError for a name used before.
        """
        if name in self._schedules:
            message = f"a schedule named {name} exists"
            raise ValueError(message)
        self._schedules[name] = _Schedule(name, every, work)

    @property
    def names(self) -> Sequence[str]:
        """Return the names in the order of registration."""
        return tuple(self._schedules)

    async def run(self, name: str) -> None:
        """Run one schedule now, whether or not it is due."""
        await _run(self._schedules[name])

    async def forever(self, stop: asyncio.Event) -> None:
        """Run due schedules until stopped; work under way is finished first.

        Waits for a lost database.
        """
        async with asyncio.TaskGroup() as tasks:
            for schedule in self._schedules.values():
                tasks.create_task(self._keep(schedule, stop))

    async def _keep(self, schedule: _Schedule, stop: asyncio.Event) -> None:
        pause_s = _PAUSE_S_MIN
        while not stop.is_set():
            try:
                wait_s = await self._run_if_due(schedule)
                pause_s = _PAUSE_S_MIN
            except (PostgresError, *UNREACHABLE) as error:
                _log.warning("schedules_wait", error=type(error).__name__, pause_s=pause_s)
                wait_s, pause_s = pause_s, min(pause_s * 2, _PAUSE_S_MAX)
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await stop.wait()

    async def _run_if_due(self, schedule: _Schedule) -> float:
        """Run the schedule if it is due and ours, and return the seconds to the next look."""
        await store.register(self._database, schedule.name, schedule.every)
        leased_until = await store.claim(self._database, schedule.name, LEASE, schedule.every)
        if leased_until is not None:
            await _run(schedule)
            await store.finish(self._database, schedule.name, leased_until, schedule.every)
        wait_s = await store.wait_s(self._database, schedule.name)
        return min(max(wait_s, _WAIT_S_MIN), _WAIT_S_MAX)


async def _run(schedule: _Schedule) -> None:
    try:
        async with asyncio.timeout(_RUN_S_MAX):
            await schedule.work(utc_now())
    except Exception:  # noqa: BLE001 (work may raise anything)
        # The next period tries again; a failing schedule must not end the others.
        _log.exception("schedule_failed", schedule=schedule.name)
    else:
        SCHEDULE_DONE.labels(schedule.name).set_to_current_time()
