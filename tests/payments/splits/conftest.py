"""The shop that tests of splits hold in their hands."""

import pytest

from hundi.infra.postgres.database import Database
from tests.shop import Shop, open_shop


@pytest.fixture
async def shop(db: Database) -> Shop:
    """One merchant with UPI and cards, on this test's own database."""
    return await open_shop(db)
