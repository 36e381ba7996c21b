"""A merchant with linked accounts that its acquirer settles."""

import pytest

from hundi.infra.postgres.database import Database
from tests.payments.direct_shares.market import Market, open_market
from tests.payments.direct_shares.splitting import SplittingAcquirer


@pytest.fixture
async def market(db: Database) -> Market:
    """A merchant with two linked accounts; the acquirer settles the weaver's shares."""
    return await open_market(db, SplittingAcquirer())
