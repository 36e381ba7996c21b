"""The stand-in of PhonePe, and a connector that calls it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.kind import KIND
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.phonepe.opened import CALLBACK, settings
from tests.acquirers.phonepe.standin_autopay import AutoPay
from tests.acquirers.playing import running


@pytest.fixture
async def phonepe() -> AsyncIterator[AutoPay]:
    async with running(AutoPay()) as opened:
        yield opened


@pytest.fixture
async def connector(phonepe: AutoPay, memory: ShortMemory) -> AsyncIterator[PhonePeConnector]:
    made = KIND.open("phonepe", settings(phonepe), AcquirerContext(CALLBACK, memory))
    assert isinstance(made, PhonePeConnector)
    yield made
    await made.close()
