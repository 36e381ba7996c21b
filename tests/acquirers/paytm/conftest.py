"""The stand-in of Paytm, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.paytm.connector import Account, PaytmConnector
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.paytm import standin
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.shared import Clock


@pytest.fixture
async def paytm() -> AsyncIterator[Paytm]:
    server = Paytm()
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
async def connector(paytm: Paytm, memory: ShortMemory, clock: Clock) -> AsyncIterator[PaytmConnector]:
    account = Account(standin.MID, standin.KEY, "DEFAULT", "C11")
    one = PaytmConnector("paytm", account, paytm.url, memory, now_s=clock)
    yield one
    await one.close()
