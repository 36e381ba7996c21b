"""The stand-in of BillDesk, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.billdesk.connector import BillDeskConnector, UnknownCodes
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.billdesk import standin
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.shared import Clock


@pytest.fixture
async def billdesk() -> AsyncIterator[BillDesk]:
    server = BillDesk()
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
async def connector(billdesk: BillDesk, memory: ShortMemory, clock: Clock) -> AsyncIterator[BillDeskConnector]:
    keys = Keys(standin.CLIENT_ID, standin.SIGNING, standin.SEALING, standin.KID)
    one = BillDeskConnector(
        "billdesk",
        standin.MERCID,
        keys,
        billdesk.url,
        (billdesk.url,),
        memory,
        unknown_codes=UnknownCodes(standin.NO_ORDER, standin.NO_REFUND),
        now_s=clock,
    )
    yield one
    await one.close()
