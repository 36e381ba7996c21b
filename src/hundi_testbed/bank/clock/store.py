"""All SQL of the bank's clock: how far it is ahead of real time."""

from datetime import timedelta

from hundi_testbed.bank.database import BankDatabase

_READ = "SELECT ahead FROM clock"
_MOVE = """
INSERT INTO clock (ahead) VALUES ($1) ON CONFLICT (only_one) DO UPDATE
    SET ahead = greatest(clock.ahead, excluded.ahead)
RETURNING ahead
"""


async def read(db: BankDatabase) -> timedelta:
    """Return how far the clock is ahead."""
    return await db.fetchval(_READ) or timedelta()


async def move(db: BankDatabase, ahead: timedelta) -> timedelta:
    """Set how far the clock is ahead, never back; return it."""
    return await db.fetchval(_MOVE, ahead)
