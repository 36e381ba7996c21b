"""Rolls postings up into checkpoints, so that balances stay cheap to read."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.money.ledger import store


async def roll_checkpoints(db: Database, now: datetime) -> int:
    """Roll every merchant's new postings into its checkpoints, and return their number.

    One transaction for each merchant. The job may run at any time, in several processes, and be
    killed.
    """
    rolled = 0
    for merchant_id in await store.merchants_to_roll(db):
        rolled += await store.roll_up(db, merchant_id, now)
    return rolled
