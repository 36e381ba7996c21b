"""Statements of the doctor about the addresses of merchants."""

from hundi.infra.postgres.database import Rows
from hundi.infra.postgres.looks import look

SELECT_ENDPOINTS = """
SELECT merchant_id, settings ->> 'notification_url' AS url FROM merchants
WHERE state = 'active' AND settings ->> 'notification_url' <> ''
ORDER BY changed_at DESC
"""


async def select_endpoints(db: Rows) -> dict[int, str]:
    """Return the notification address of each reachable active merchant, latest change first."""
    return {row["merchant_id"]: row["url"] for row in await look(db, SELECT_ENDPOINTS)}
