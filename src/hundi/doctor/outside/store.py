"""Statements of the doctor about the addresses of merchants."""

from hundi.infra.postgres.database import Rows

SELECT_ENDPOINTS = """
SELECT merchant_id, settings ->> 'notification_url' AS url FROM merchants
WHERE state = 'active' AND settings ->> 'notification_url' <> ''
ORDER BY changed_at DESC
"""


async def select_endpoints(db: Rows) -> dict[int, str]:
    """Return the notification address of each active merchant that has one, latest change first."""
    return {row["merchant_id"]: row["url"] for row in await db.fetch(SELECT_ENDPOINTS)}
