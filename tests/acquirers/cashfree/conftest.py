"""An account at the stand-in of Cashfree, as most of its tests want it."""

from collections.abc import AsyncIterator

import pytest

from tests.acquirers.cashfree.account import Shop, account


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with account(cards_certified=True) as opened:
        yield opened
