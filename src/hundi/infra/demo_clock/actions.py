"""Follows a demo's clock, moves it on, and waits until what became due is done."""

import asyncio
from datetime import datetime, timedelta

from hundi.infra.demo_clock import store
from hundi.infra.postgres.database import Database
from hundi.kernel import clock

CHANNEL = "demo_clock"
SETTLES_WITHIN_S = 20.0
"""How long one move waits for the worker; what is still due then stays so."""
LEASED_WITHIN_S = 3.0
"""How long it waits for what only looks claimed: something may really be due within a lease's time."""
_LOOK_S = 0.05
_LEASE = timedelta(seconds=30)


async def follow(db: Database) -> None:
    """Set this process's clock, and again whenever it is moved."""
    await read(db)

    def moved(payload: str) -> None:
        if payload:
            clock.set_ahead(timedelta(seconds=float(payload)))

    await db.listen(CHANNEL, moved)


async def read(db: Database) -> None:
    """Set this process's clock once, for a command."""
    clock.set_ahead(await store.read(db))


async def move(db: Database, ahead: timedelta, wake: tuple[str, ...]) -> int:
    """Move the clock on, wait until what became due is done, and return how many events that made.

    wake: the channels of the loops that are to look at once.
    """
    before = clock.utc_now()
    moved = await store.move(db, ahead)
    clock.set_ahead(moved)
    db.wake(CHANNEL, str(moved.total_seconds()))
    await _settle(db, clock.utc_now(), wake)
    return await store.count_events(db, before)


async def _settle(db: Database, now: datetime, wake: tuple[str, ...]) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    while loop.time() - began < SETTLES_WITHIN_S:
        waited_s = loop.time() - began
        lease_until = now + _LEASE if waited_s < LEASED_WITHIN_S else now
        if not await store.count_due(db, now, lease_until):
            return
        for channel in wake:
            db.wake(channel)
        await asyncio.sleep(_LOOK_S)
