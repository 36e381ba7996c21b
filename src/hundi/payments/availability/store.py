"""All SQL about how banks do."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.payments.routing.health import Outcomes

SELECT_OUTCOMES = """
SELECT method, bank, count(*) AS ended,
    count(*) FILTER (WHERE state = 'unknown' OR state = 'failed' AND bank_code = ANY($2)) AS troubled
FROM attempts
WHERE created_at > $1 AND bank <> '' AND state IN ('paid', 'authorised', 'overpaid', 'failed', 'unknown')
GROUP BY method, bank
"""
"""Across merchants: a bank that is down is down for all of them."""


async def outcomes(db: Database, since: datetime, troubles: list[str]) -> dict[tuple[str, str], Outcomes]:
    """Return what became of the attempts since, by method and bank."""
    rows = await db.fetch(SELECT_OUTCOMES, since, troubles)
    return {(row["method"], row["bank"]): Outcomes(row["ended"], row["troubled"]) for row in rows}
