"""Gateway-wide schedules: named work that runs once a tick, whichever of the workers runs it (decision 0001).

Work that belongs to a merchant is not for here: it is a row of that merchant's own tables with a due time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg
from asyncpg import PostgresError
from croniter import croniter
from pgqueuer.adapters.drivers.asyncpg import AsyncpgPoolDriver
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.sm import SchedulerManager
from pgqueuer.domain.models import Schedule

from hundi.infra.database import UNREACHABLE, Database
from hundi.infra.logs import get_logger
from hundi.kernel.clock import utc_now

_log = get_logger(__name__)

Work = Callable[[datetime], Awaitable[None]]

_CONNECTIONS_MAX = 2
_RUN_S_MAX = 600
_PAUSE_S_MIN = 0.5
_PAUSE_S_MAX = 30.0
# Clocks of workers and database differ; so a tick may be found due this much before its moment.
_CLOCK_SKEW = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    cron: str
    work: Work


class Schedules:
    """What one worker offers to run. Every worker registers the same; the database lets one of them run each tick.

    A run whose worker died is begun again by another 30 s later, so work must be safe to repeat. Ticks missed while no
    worker was there, or while a run took longer than its period, become one run.
    """

    def __init__(self, database: Database) -> None:
        """Keep schedules in this database."""
        self._database = database
        self._entries: list[_Entry] = []

    def add(self, name: str, cron: str, work: Work) -> None:
        """Register work under a name that never changes.

        cron: five fields in UTC, or six with seconds last. Raises ValueError for any other text or a name used before.
        """
        if not croniter.is_valid(cron):
            message = f"{cron!r} is no cron expression"
            raise ValueError(message)
        if any(entry.name == name for entry in self._entries):
            message = f"a schedule named {name} exists"
            raise ValueError(message)
        self._entries.append(_Entry(name, cron, work))

    async def forever(self, stop: asyncio.Event) -> None:
        """Run what is due until told to stop; work under way is finished first. A lost database is waited for."""
        pause_s = _PAUSE_S_MIN
        while not stop.is_set() and self._entries:
            try:
                await self._run_until(stop)
            except (PostgresError, *UNREACHABLE) as error:
                _log.warning("schedules_wait", error=type(error).__name__, pause_s=pause_s)
                try:
                    await asyncio.wait_for(stop.wait(), pause_s)
                except TimeoutError:
                    pause_s = min(pause_s * 2, _PAUSE_S_MAX)

    async def _run_until(self, stop: asyncio.Event) -> None:
        # The library brings its own statements and listens on a connection, so it has connections of its own.
        async with asyncpg.create_pool(self._database.url, min_size=0, max_size=_CONNECTIONS_MAX) as pool:
            # Made anew after every failure: the library's manager cannot be started twice.
            manager = SchedulerManager(Queries(AsyncpgPoolDriver(pool)))
            for entry in self._entries:
                manager.schedule(entry.name, entry.cron)(_once_a_tick(entry))
            ending = asyncio.create_task(_pass_on(stop, manager.shutdown))
            try:
                await manager.run()
            finally:
                ending.cancel()


async def _pass_on(stop: asyncio.Event, shutdown: asyncio.Event) -> None:
    await stop.wait()
    shutdown.set()


def _once_a_tick(entry: _Entry) -> Callable[[Schedule], Awaitable[None]]:
    async def run(schedule: Schedule) -> None:
        now = utc_now()
        if schedule.last_run is not None and _tick(entry.cron, schedule.last_run) == _tick(entry.cron, now):
            return
        try:
            async with asyncio.timeout(_RUN_S_MAX):
                await entry.work(now)
        except Exception:  # noqa: BLE001 (work may raise anything)
            # The next tick tries again; a schedule that fails must not end the others.
            _log.exception("schedule_failed", schedule=entry.name)

    return run


def _tick(cron: str, moment: datetime) -> datetime:
    """Return the latest moment the expression names, a little before its time included."""
    return croniter(cron, moment.astimezone(UTC) + _CLOCK_SKEW).get_prev(datetime)
