"""Follows a demo's clock, moves it forward, and waits for the work that became due."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.infra.demo_clock import store
from hundi.infra.postgres.database import Database
from hundi.kernel import clock

CHANNEL = "demo_clock"
WAKE = ""
"""The payload that moves nothing, and has every loop of the workers look at once."""
_LOOK_S = 0.05
_LEASE = timedelta(seconds=30)
_CLAIMED_WITHIN = timedelta(seconds=5)
"""How far a lease's end after the move may be from its expected time.

A row that was released without an answer is due earlier.
"""


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


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a move waits for the worker, in seconds; work left after that stays due.

    due_s: for work that the clock must not pass. leased_s: the part of it for rows that only look
    claimed, because a row may really be due when a lease would end. besides_s: for other work,
    since the last of it was done.
    """

    due_s: float = 60.0
    leased_s: float = 10.0
    besides_s: float = 5.0


PATIENT = Patience()
HASTY = Patience(due_s=1.0, leased_s=0.3, besides_s=0.3)
"""For a move that only lets a call without an answer be tried again."""


async def move(db: Database, ahead: timedelta, patience: Patience = PATIENT) -> int:
    """Move the clock forward, wait for the work due, and return the number of events it made."""
    before = clock.utc_now()
    new_ahead = await store.move(db, ahead)
    clock.set_ahead(new_ahead)
    db.wake(CHANNEL, str(new_ahead.total_seconds()))
    await _settle(db, before - _LEASE, clock.utc_now(), patience)
    return await store.count_events(db, before)


def lease_ends(now: datetime) -> tuple[datetime, datetime]:
    """Return the earliest and latest end of a lease that a worker took at a move."""
    return now + _LEASE - _CLAIMED_WITHIN, now + _LEASE + _CLAIMED_WITHIN


async def _settle(db: Database, since: datetime, now: datetime, patience: Patience) -> None:
    """Wait for work that fell due between two moments; earlier work had its time already."""
    loop = asyncio.get_running_loop()
    began = done_at = loop.time()
    least = None
    while (waited_s := loop.time() - began) < patience.due_s:
        claimed = lease_ends(now) if waited_s < patience.leased_s else (now, now)
        in_order, besides = await store.count_due(db, now, since, claimed)
        if least is None or besides < least:
            least, done_at = besides, loop.time()
        if not in_order and (not besides or loop.time() - done_at >= patience.besides_s):
            return
        db.wake(CHANNEL, WAKE)
        await asyncio.sleep(_LOOK_S)
