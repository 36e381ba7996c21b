"""All SQL about the use of channels."""

from hundi.infra.postgres.database import Database

# The key's last part grows with time, so the newest payments are read and no others.
SELECT_USES = """
SELECT method, count(*) AS payments
FROM (
    SELECT method, state FROM payments
    WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3
    ORDER BY payment_id DESC LIMIT $4
) AS latest
WHERE state IN ('paid', 'authorised', 'captured')
GROUP BY method
"""


async def uses(db: Database, merchant_id: int, ids: tuple[int, int], limit: int) -> dict[str, int]:
    """Return how many of a merchant's newest payments between two ids were made by each channel."""
    rows = await db.fetch(SELECT_USES, merchant_id, *ids, limit)
    return {row["method"]: row["payments"] for row in rows}
