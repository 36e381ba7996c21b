"""The stand-in of CCAvenue, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.ccavenue.connector import Account, CCAvenueConnector
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.ccavenue import standin
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.shared import Clock


@pytest.fixture
async def ccavenue() -> AsyncIterator[CCAvenue]:
    server = CCAvenue()
    await server.open()
    yield server
    await server.close()


@pytest.fixture
def memory() -> ShortMemory:
    return ShortMemory()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def connector(ccavenue: CCAvenue, memory: ShortMemory, clock: Clock) -> AsyncIterator[CCAvenueConnector]:
    account = Account(standin.MERCHANT, standin.ACCESS, standin.KEY)
    one = CCAvenueConnector("ccavenue", account, ccavenue.url, ccavenue.url, memory, holds=True, now_s=clock)
    yield one
    await one.close()
