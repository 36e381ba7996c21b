"""All SQL about the health of banks."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import look
from hundi.payments.routing.health.rules import Outcomes
from hundi.payments.routing.store import TROUBLED

ENDED = "(state IN ('paid', 'authorised', 'overpaid', 'failed', 'unknown'))"
"""The condition for an attempt whose end says how its bank does."""
SELECT_OUTCOMES = f"""
SELECT method, bank, count(*) AS ended, count(*) FILTER (WHERE {TROUBLED}) AS troubled
FROM attempts WHERE created_at > $1 AND bank <> '' AND {ENDED}
GROUP BY method, bank
"""
"""Across merchants: a bank that is down is down for all of them."""


async def outcomes(
    db: Database, since: datetime, troubles: list[str]
) -> dict[tuple[str, str], Outcomes]:
    """Return the outcomes of attempts since a time, by method and bank."""
    rows = await look(db, SELECT_OUTCOMES, since, troubles)
    return {(row["method"], row["bank"]): Outcomes(row["ended"], row["troubled"]) for row in rows}
