"""All SQL that counts checks of addresses; the addresses are not stored."""

from datetime import datetime

from hundi.infra.postgres.database import Database

COUNT = """
INSERT INTO address_checks (merchant_id, span, began_at, checks)
VALUES ($1, 'minute', $2, 1), ($1, 'day', $3, 1)
ON CONFLICT (merchant_id, span, began_at) DO UPDATE SET checks = address_checks.checks + 1
RETURNING span, checks
"""
SWEEP = "DELETE FROM address_checks WHERE began_at < $1"


async def count(db: Database, merchant_id: int, minute: datetime, day: datetime) -> tuple[int, int]:
    """Count one more check and return how many there were in this minute and on this day."""
    counts = {row["span"]: row["checks"] for row in await db.fetch(COUNT, merchant_id, minute, day)}
    return counts["minute"], counts["day"]


async def sweep(db: Database, before: datetime) -> None:
    """Delete counts that no limit needs any more."""
    await db.execute(SWEEP, before)
