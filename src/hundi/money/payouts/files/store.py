"""All SQL of files of payouts."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Queries
from hundi.infra.postgres.looks import look
from hundi.money.payouts.rules import PayoutTry
from hundi.money.payouts.store import PAYOUT

SELECT_TO_EXPORT = f"""
SELECT {PAYOUT.listed("p")} FROM payouts p JOIN merchants m USING (merchant_id)
WHERE p.state = 'approved' AND p.channel = 'file'
ORDER BY p.connector, m.state <> 'active', p.merchant_id, p.payout_id
LIMIT $1
"""
"""Across merchants: what goes into the next file for a bank; those of suspended merchants last."""
SELECT_OF_BATCH = (
    f"SELECT {PAYOUT.listed()} FROM payouts WHERE batch_id = $1 ORDER BY merchant_id, payout_id"
)
"""Across merchants: the payouts of a file."""
INSERT_BATCH = """
INSERT INTO payout_batches (batch_id, format, connector, made_by, made_at)
    VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING RETURNING batch_id
"""
SELECT_BATCH = (
    "SELECT batch_id, format, connector, made_by, made_at FROM payout_batches WHERE batch_id = $1"
)


async def to_export(db: Queries, limit: int) -> list[PayoutTry]:
    """Return the approved payouts that wait for a file."""
    return [PAYOUT.read(row) for row in await look(db, SELECT_TO_EXPORT, limit)]


async def of_batch(db: Queries, batch_id: int) -> list[PayoutTry]:
    """Return the payouts of a file."""
    return [PAYOUT.read(row) for row in await db.fetch(SELECT_OF_BATCH, batch_id)]


async def insert_batch(
    db: Queries, batch_id: int, form: str, connector: str, made_by: str, now: datetime
) -> bool:
    """Write a file's row; False when its id is a duplicate."""
    return await db.fetchval(INSERT_BATCH, batch_id, form, connector, made_by, now) is not None


async def batch(db: Queries, batch_id: int) -> Record | None:
    """Return a file's row."""
    return await db.fetchrow(SELECT_BATCH, batch_id)
