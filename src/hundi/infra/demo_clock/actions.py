"""Follows a demo's clock, moves it forward, and waits for the work that became due."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.infra.demo_clock import store
from hundi.infra.demo_clock.rules import LEASE, PATIENT, DueSpan, MoveWait, Patience
from hundi.infra.postgres.database import Database
from hundi.kernel import clock

CHANNEL = "demo_clock"
WAKE = ""
"""The payload that moves nothing, and has every loop of the workers look at once."""
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class MoveOutcome:
    """The end of a move. worked: the number of payment events. seen_at: the time of its last look.

    What is due later was not awaited, even if its time has come since.
    """

    worked: int
    seen_at: datetime


async def follow(db: Database) -> None:
    """Set this process's clock, now and at every move."""
    await read(db)

    def moved(payload: str) -> None:
        if payload:
            clock.set_ahead(timedelta(seconds=float(payload)))

    await db.listen(CHANNEL, moved)


async def read(db: Database) -> None:
    """Set this process's clock once, for a command."""
    clock.set_ahead(await store.read(db))


async def move(db: Database, ahead: timedelta, patience: Patience = PATIENT) -> MoveOutcome:
    """Move the clock forward, and wait for the work due by it, with what follows from that."""
    before = clock.utc_now()
    new_ahead = await store.move(db, ahead)
    clock.set_ahead(new_ahead)
    db.wake(CHANNEL, str(new_ahead.total_seconds()))
    seen_at = await _settle(db, before - LEASE, clock.utc_now(), patience)
    return MoveOutcome(await store.count_events(db, before), seen_at)


async def _settle(
    db: Database, since: datetime, moved_at: datetime, patience: Patience
) -> datetime:
    """Wait for work that fell due after a moment, and return the time of the last look."""
    loop = asyncio.get_running_loop()
    wait = MoveWait(patience, loop.time())
    while True:
        # Read before the look: what the look misses is due later.
        now, look_s = clock.utc_now(), loop.time()
        counts = await store.count_due(db, DueSpan(since, moved_at, now))
        if not wait.goes_on(counts, look_s):
            return now
        if counts.due or counts.claimed or counts.besides:
            db.wake(CHANNEL, WAKE)
            await asyncio.sleep(_LOOK_S)
