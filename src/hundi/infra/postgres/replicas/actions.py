"""Chooses where to read: the replica once it has caught up, or the primary if it is slow."""

import asyncio
import time

from asyncpg import PostgresError

from hundi.infra.postgres.database import (
    UNREACHABLE,
    Database,
    DatabaseUnreachableError,
    open_database,
)
from hundi.infra.postgres.replicas import store
from hundi.infra.processes import say

_LOOK_S = 0.02


async def open_replica(url: str, primary: Database, lag_s_max: float) -> Database | None:
    """Return a replica that has everything committed before now, or None after saying why not.

    url: of the replica. lag_s_max: how long it may take to catch up.
    """
    try:
        replica = await open_database(url, pool_size=2)
    except DatabaseUnreachableError as error:
        say(f"the primary is read from: {error}")
        return None
    try:
        behind_s = await _catch_up(replica, primary, lag_s_max)
    except (PostgresError, *UNREACHABLE) as error:
        await replica.close()
        say(f"the primary is read from: the replica failed ({error or type(error).__name__})")
        return None
    if behind_s is None:
        await replica.close()
        return None
    say(f"reading from the replica, which was {behind_s:.1f} s behind")
    return replica


async def _catch_up(replica: Database, primary: Database, lag_s_max: float) -> float | None:
    """Wait until the replica has what the primary has now.

    Return the seconds, or None if too long.
    """
    if not await store.is_replica(replica):
        say("the primary is read from: HUNDI_READ_DATABASE_URL names no replica")
        return None
    if await store.line(replica) != await store.line(primary):
        say(
            "the primary is read from: the replica follows another one, or has not followed it"
            " since a failover"
        )
        return None
    position, began = await store.written(primary), time.monotonic()
    while not await store.has_replayed(replica, position):
        if time.monotonic() - began > lag_s_max:
            say(f"the primary is read from: the replica is more than {lag_s_max:.0f} s behind")
            return None
        await asyncio.sleep(_LOOK_S)
    return time.monotonic() - began
