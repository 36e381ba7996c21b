"""The stand-in of Paytm, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.paytm.connector import PaytmConnector
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.paytm.opened import connector_at
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.playing import running
from tests.acquirers.shared import Clock


@pytest.fixture
async def paytm() -> AsyncIterator[Paytm]:
    async with running(Paytm()) as opened:
        yield opened


@pytest.fixture
async def connector(
    paytm: Paytm, memory: ShortMemory, clock: Clock
) -> AsyncIterator[PaytmConnector]:
    one = connector_at(paytm, memory, clock)
    yield one
    await one.close()
