"""Waiting for somebody who waits for a lock."""

import asyncio

import asyncpg

from tests.patience import PATIENCE_S

_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type"
    " = 'Lock'"
)


async def until_waiting(watcher: asyncpg.Connection) -> None:
    """Wait until a session of the watcher's database waits for a lock."""
    async with asyncio.timeout(PATIENCE_S):
        while not await watcher.fetchval(_WAITING):
            await asyncio.sleep(0.01)
