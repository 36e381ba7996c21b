"""The stand-in of BillDesk, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.billdesk.connector import BillDeskConnector
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.billdesk.opened import connector_at
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.playing import running
from tests.acquirers.shared import Clock


@pytest.fixture
async def billdesk() -> AsyncIterator[BillDesk]:
    async with running(BillDesk()) as opened:
        yield opened


@pytest.fixture
async def connector(
    billdesk: BillDesk, memory: ShortMemory, clock: Clock
) -> AsyncIterator[BillDeskConnector]:
    one = connector_at(billdesk, memory, clock)
    yield one
    await one.close()
