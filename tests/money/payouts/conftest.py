"""A merchant whose shares are to be paid out."""

import pytest

from hundi.infra.postgres.database import Database
from tests.money.payouts.till import Till, open_till


@pytest.fixture
async def till(db: Database) -> Till:
    """A merchant whose shares are to be paid out."""
    return await open_till(db)
