"""The stand-in of CCAvenue, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.ccavenue.connector import CCAvenueConnector
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.ccavenue.opened import connector_at
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.playing import running
from tests.acquirers.shared import Clock


@pytest.fixture
async def ccavenue() -> AsyncIterator[CCAvenue]:
    async with running(CCAvenue()) as opened:
        yield opened


@pytest.fixture
async def connector(
    ccavenue: CCAvenue, memory: ShortMemory, clock: Clock
) -> AsyncIterator[CCAvenueConnector]:
    one = connector_at(ccavenue, memory, clock)
    yield one
    await one.close()
