"""Schedules of the gateway.

Once a period across workers, again when a worker dies, no failure ends another's work.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta

import asyncpg
import pytest

from hundi.infra.background.schedules import store
from hundi.infra.background.schedules.jobs import LEASE, Schedules
from hundi.infra.postgres.database import Database, open_database
from tests.databases import END_CLIENTS

EVERY_SECOND = timedelta(seconds=1)
RARELY = timedelta(days=1000)
Work = Callable[[datetime], Awaitable[None]]


@contextlib.asynccontextmanager
async def running(*several: Schedules) -> AsyncIterator[None]:
    stop = asyncio.Event()
    tasks = [asyncio.create_task(schedules.forever(stop)) for schedules in several]
    yield
    stop.set()
    await asyncio.wait_for(asyncio.gather(*tasks), 60)


async def wait_for_runs(runs: list[str], count: int) -> None:
    async with asyncio.timeout(60):
        while len(runs) < count:
            await asyncio.sleep(0.02)


_PROCESS = """
import asyncio, sys
from datetime import timedelta
from hundi.infra.postgres.database import open_database
from hundi.infra.background.schedules.jobs import Schedules
async def main(url, name):
    database = await open_database(url, pool_size=2)
    schedules = Schedules(database)
    async def work(now):
        await database.execute("insert into runs values ($1, $2)", name, now)
        if name == "hangs":
            await asyncio.sleep(60)
    schedules.add("work", timedelta(seconds=1), work)
    await schedules.forever(asyncio.Event())
asyncio.run(main(*sys.argv[1:]))
"""


def worker(url: str, name: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _PROCESS, url, name], env=dict(os.environ))


async def test_two_processes_run_each_period_once(db: Database, fresh_url: str) -> None:
    await db.execute("create table runs (worker text, at timestamptz)")
    workers = [worker(fresh_url, name) for name in ("a", "b")]
    try:
        async with asyncio.timeout(60):
            while await db.fetchval("select count(*) from runs") < 6:
                await asyncio.sleep(0.1)
    finally:
        for process in workers:
            process.kill()
            process.wait()
    runs = await db.fetch("select at from runs")
    periods = Counter(row["at"].replace(microsecond=0) for row in runs)
    assert max(periods.values()) == 1, periods


async def test_of_workers_that_race_one_may_run(db: Database, fresh_url: str) -> None:
    await store.register(db, "work", RARELY)
    async with await open_database(fresh_url, pool_size=4) as other:
        for _ in range(20):
            await db.execute("update schedules set due_at = now(), leased_until = null")
            claims = await asyncio.gather(
                *(store.claim(each, "work", LEASE, RARELY) for each in (db, other) * 4)
            )
            assert sum(claim is not None for claim in claims) == 1


async def test_a_worker_that_lost_its_lease_changes_nothing(db: Database) -> None:
    await store.register(db, "work", RARELY)
    await db.execute("update schedules set due_at = now()")
    lost = await store.claim(db, "work", -LEASE, RARELY)
    held = await store.claim(db, "work", LEASE, RARELY)
    assert lost is not None
    assert held is not None
    await store.finish(db, "work", lost, RARELY)
    assert await db.fetchval("select leased_until from schedules where due_at <= now()") == held
    await store.finish(db, "work", held, RARELY)
    assert await db.fetchval("select leased_until is null and due_at > now() from schedules")


@pytest.mark.parametrize(
    "ahead", ["due_at = now() + interval '5 hours'", "leased_until = now() + interval '3 days'"]
)
async def test_what_was_written_while_the_servers_clock_was_ahead_is_not_waited_for(
    db: Database, ahead: str
) -> None:
    every = timedelta(minutes=5)
    await store.register(db, "work", every)
    await db.execute("update schedules set due_at = now()")
    await db.execute(f"update schedules set {ahead}")
    held = await store.claim(db, "work", LEASE, every)
    assert held is not None
    assert await store.claim(db, "work", LEASE, every) is None
    await store.finish(db, "work", held, every)
    assert await store.claim(db, "work", LEASE, every) is None
    assert await store.wait_s(db, "work") <= every.total_seconds()


async def test_missed_periods_become_one_run(db: Database) -> None:
    runs: list[datetime] = []

    async def work(now: datetime) -> None:
        runs.append(now)

    schedules = Schedules(db)
    schedules.add("work", RARELY, work)
    async with running(schedules):
        await asyncio.sleep(0.5)
    assert not runs, "a new schedule begins with its next period"
    await db.execute("update schedules set due_at = due_at - $1::interval * 3", RARELY)
    async with running(schedules, schedules):
        await asyncio.sleep(1)
    assert len(runs) == 1
    assert await db.fetchval("select due_at > now() from schedules")


async def test_a_killed_workers_run_is_begun_again(db: Database, fresh_url: str) -> None:
    await db.execute("create table runs (worker text, at timestamptz)")
    dying = worker(fresh_url, "hangs")
    try:
        async with asyncio.timeout(60):
            while not await db.fetchval("select count(*) from runs"):
                await asyncio.sleep(0.05)
    finally:
        dying.kill()
        dying.wait()
    runs: list[str] = []

    async def work(_now: datetime) -> None:
        runs.append("again")

    schedules = Schedules(db)
    schedules.add("work", EVERY_SECOND, work)
    async with running(schedules):
        await asyncio.sleep(2)
    assert not runs, "the dead worker may still be at it"
    await db.execute("update schedules set leased_until = now()")
    async with running(schedules):
        await wait_for_runs(runs, 1)


async def test_a_failure_ends_nothing(db: Database) -> None:
    runs: list[str] = []

    async def fails(_now: datetime) -> None:
        runs.append("fails")
        raise ZeroDivisionError

    async def works(_now: datetime) -> None:
        runs.append("works")

    schedules = Schedules(db)
    schedules.add("fails", EVERY_SECOND, fails)
    schedules.add("works", EVERY_SECOND, works)
    async with running(schedules):
        await wait_for_runs(runs, 4)
    assert {"fails", "works"} <= set(runs)


async def test_a_lost_database_is_waited_for(db: Database, fresh_url: str) -> None:
    runs: list[str] = []

    async def work(_now: datetime) -> None:
        runs.append("run")

    schedules = Schedules(db)
    schedules.add("work", EVERY_SECOND, work)
    async with running(schedules):
        await wait_for_runs(runs, 1)
        outside = await asyncpg.connect(fresh_url)
        await outside.execute(END_CLIENTS)
        await outside.close()
        runs.clear()
        await wait_for_runs(runs, 2)


async def test_a_run_under_way_is_finished(db: Database) -> None:
    runs: list[str] = []

    async def work(_now: datetime) -> None:
        runs.append("begun")
        await asyncio.sleep(0.5)
        runs.append("done")

    schedules = Schedules(db)
    schedules.add("work", EVERY_SECOND, work)
    async with running(schedules):
        await wait_for_runs(runs, 1)
    assert runs.count("begun") == runs.count("done")


async def test_a_name_is_used_once(db: Database) -> None:
    async def work(_now: datetime) -> None:
        return

    schedules = Schedules(db)
    schedules.add("work", EVERY_SECOND, work)
    with pytest.raises(ValueError, match="exists"):
        schedules.add("work", EVERY_SECOND, work)
