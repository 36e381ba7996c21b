"""What a test hears of wake-ups between processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hundi.infra.postgres.database import Database
from tests.patience import PATIENCE_S


@asynccontextmanager
async def woken(db: Database, *channels: str) -> AsyncIterator[None]:
    """Assert that what is done meanwhile wakes each of these channels."""
    heard: set[str] = set()
    for channel in channels:
        await db.listen(channel, lambda _, channel=channel: heard.add(channel))
    yield
    async with asyncio.timeout(PATIENCE_S):
        while heard != set(channels):
            await asyncio.sleep(0.002)
