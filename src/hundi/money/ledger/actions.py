"""Keeping balances cheap to read: rolling postings up into checkpoints."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.money.ledger import store


async def roll_checkpoints(db: Database, now: datetime) -> int:
    """Roll every merchant's new postings into its checkpoints and return their number.

    One transaction a merchant; safe to run at any time and anywhere at once, and to be killed in
    the middle.
    """
    rolled = 0
    for merchant_id in await store.merchants_to_roll(db):
        rolled += await store.roll_up(db, merchant_id, now)
    return rolled
