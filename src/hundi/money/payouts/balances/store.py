"""All SQL of balances that payouts leave from."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.payouts.balances.rules import ProviderBalance
from hundi.money.payouts.rules import CAME_TO_NOTHING

BALANCE = Table(ProviderBalance, {})
LOCK = "SELECT connector FROM payout_balances WHERE connector = $1 FOR UPDATE"
"""Payouts that take from a balance wait until it is written."""
# What left after the provider counted is not in its balance yet; what left then and came to nothing
# took nothing from it.
SELECT_SENT_SINCE = f"""
SELECT coalesce(sum(amount_paise), 0)::bigint AS paise FROM payouts
WHERE sent_by = $1 AND sent_by <> '' AND sent_at >= $2
    AND state NOT IN ({", ".join(f"'{state}'" for state in sorted(CAME_TO_NOTHING))})
"""
"""Across merchants: what was sent by a provider since a time."""
WRITE = f"""
INSERT INTO payout_balances ({BALANCE.listed()}) VALUES ({BALANCE.numbered(1)})
ON CONFLICT (connector) DO UPDATE SET available_paise = excluded.available_paise,
    left_paise = excluded.left_paise, counted_at = excluded.counted_at, read_at = excluded.read_at
"""
DELETE_OTHERS = "DELETE FROM payout_balances WHERE connector <> ALL ($1::text[])"
SELECT_ALL = f"SELECT {BALANCE.listed()} FROM payout_balances ORDER BY connector"
LOCK_LEFT = """
SELECT left_paise FROM payout_balances WHERE connector = $1 AND counted_at >= $2 FOR UPDATE
"""
TAKE = "UPDATE payout_balances SET left_paise = left_paise - $2 WHERE connector = $1"
SELECT_AWAITING = """
SELECT merchant_id, payout_id, amount_paise FROM payouts WHERE state = 'awaiting_balance'
ORDER BY created_at, merchant_id, payout_id LIMIT $1
"""
"""Across merchants: the payouts that wait for a balance, the oldest first."""
WAKE = """
UPDATE payouts SET due_at = $3 WHERE merchant_id = $1 AND payout_id = ANY ($2::bigint[])
    AND state = 'awaiting_balance' AND due_at > $3
"""
SELECT_WAITING = """
SELECT count(*)::bigint AS payouts, coalesce(sum(amount_paise), 0)::bigint AS paise FROM payouts
WHERE state IN ('approved', 'awaiting_balance', 'awaiting_provider') AND channel = 'api'
"""
"""Across merchants: what was approved and has not left, at whichever provider."""


async def write(
    db: Database, connector: str, available_paise: int, counted_at: datetime, now: datetime
) -> ProviderBalance:
    """Keep a provider's balance, without what was sent since it was counted."""
    async with db.transaction() as conn:
        await conn.fetchval(LOCK, connector)
        (row,) = await look(db, SELECT_SENT_SINCE, connector, counted_at)
        left_paise = available_paise - row["paise"]
        balance = ProviderBalance(connector, available_paise, left_paise, counted_at, now)
        await conn.execute(WRITE, *BALANCE.values(balance))
    return balance


async def keep(db: Queries, connectors: Sequence[str]) -> None:
    """Drop the balances of all other connectors."""
    await db.execute(DELETE_OTHERS, connectors)


async def select_all(db: Queries) -> list[ProviderBalance]:
    """Return every balance that is kept."""
    return [BALANCE.read(row) for row in await db.fetch(SELECT_ALL)]


async def take(conn: Connection, connector: str, paise: int, since: datetime) -> int | None:
    """Take an amount off a provider's balance, in the transaction that sends a payout.

    since: a balance that was counted before decides nothing. Returns the paise that are there if
    they are too few, and takes nothing then; None if the payout may leave.
    """
    left_paise = await conn.fetchval(LOCK_LEFT, connector, since)
    if left_paise is None:
        return None
    if left_paise < paise:
        return left_paise
    await conn.execute(TAKE, connector, paise)
    return None


async def awaiting(db: Database, limit: int) -> list[tuple[int, int, int]]:
    """Return (merchant_id, payout_id, paise) of payouts that wait for a balance, oldest first."""
    return [tuple(row) for row in await look(db, SELECT_AWAITING, limit)]


async def wake(db: Queries, merchant_id: int, payout_ids: Sequence[int], now: datetime) -> None:
    """Make a merchant's payouts due that wait for a balance."""
    await db.execute(WAKE, merchant_id, payout_ids, now)


async def waiting(db: Database) -> tuple[int, int]:
    """Return the number and the paise of approved payouts that have not left."""
    (row,) = await look(db, SELECT_WAITING)
    return row["payouts"], row["paise"]
