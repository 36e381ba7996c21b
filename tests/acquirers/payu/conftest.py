"""The stand-in of PayU, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu.connector import PayUConnector
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.payu.opened import CALLBACK, settings
from tests.acquirers.payu.standin import PayU
from tests.acquirers.playing import running


@pytest.fixture
async def payu() -> AsyncIterator[PayU]:
    async with running(PayU()) as opened:
        yield opened


@pytest.fixture
async def connector(payu: PayU, memory: ShortMemory) -> AsyncIterator[PayUConnector]:
    made = KIND.open("payu", settings(payu), AcquirerContext(CALLBACK, memory))
    assert isinstance(made, PayUConnector)
    yield made
    await made.close()
