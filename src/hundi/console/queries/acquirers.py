"""Rows for the screens of acquirers: results of recent attempts, and attempts in trouble."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import Record

from hundi.console.queries.across import MERCHANTS_MAX, select_merchants
from hundi.console.queries.bounded import look
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.payments.routing.health.rules import NOBODYS_FAULT, Outcomes
from hundi.payments.routing.store import NOT_SCANNED, TROUBLED

TROUBLES_MAX = 20
_TRIED = f"state <> 'offered' AND NOT {NOT_SCANNED}"
SELECT_FIGURES = f"""
SELECT connector, method::text AS method, count(*) AS tried,
    count(*) FILTER (WHERE state IN ('paid', 'authorised', 'overpaid')) AS paid,
    count(*) FILTER (WHERE state = 'unknown') AS unknown,
    count(*) FILTER (WHERE {TROUBLED} AND state <> 'unknown') AS troubled,
    count(*) FILTER (WHERE state IN ('sent', 'authenticating', 'authorising', 'pending')) AS open
FROM attempts WHERE merchant_id = ANY ($1::bigint[]) AND attempt_id >= $3 AND {_TRIED}
GROUP BY connector, method
"""
SELECT_TROUBLES = f"""
SELECT merchant_id, attempt_id, payment_id, created_at, method::text AS method,
    state::text AS state, bank_code, bank_message
FROM attempts WHERE merchant_id = ANY ($1::bigint[]) AND attempt_id >= $3 AND connector = $4
    AND {_TRIED}
    AND {TROUBLED}
ORDER BY attempt_id DESC LIMIT $5
"""


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """Results of attempts by one method at one acquirer.

    tried: all. unknown: without a known outcome. troubled: failed through no fault of the customer.
    open: not ended yet.
    """

    tried: int = 0
    paid: int = 0
    unknown: int = 0
    troubled: int = 0
    open: int = 0

    @property
    def declined(self) -> int:
        """Return the others: declined, given up, or expired."""
        return self.tried - self.paid - self.unknown - self.troubled - self.open

    @property
    def outcomes(self) -> Outcomes:
        """Return the outcomes for the health."""
        return Outcomes(self.tried - self.open, self.unknown + self.troubled)


ByMethod = Mapping[str, MethodFigures]


async def figures(
    db: Database, now: datetime, span: timedelta
) -> dict[str, dict[str, MethodFigures]] | None:
    """Return the results of a span's attempts, by acquirer and method.

    None where that takes too long.
    """
    whose = await _everyone(db)
    rows = (
        await look(db, SELECT_FIGURES, whose, sorted(NOBODYS_FAULT), first_id(now - span))
        if whose
        else None
    )
    if rows is None:
        return None
    results: dict[str, dict[str, MethodFigures]] = {}
    for row in rows:
        counts = (row["tried"], row["paid"], row["unknown"], row["troubled"], row["open"])
        results.setdefault(row["connector"], {})[row["method"]] = MethodFigures(*counts)
    return results


async def troubles(db: Database, name: str, now: datetime, span: timedelta) -> list[Record] | None:
    """Return an acquirer's newest attempts in trouble; None where that takes too long."""
    whose = await _everyone(db)
    arguments = (whose, sorted(NOBODYS_FAULT), first_id(now - span), name, TROUBLES_MAX)
    return await look(db, SELECT_TROUBLES, *arguments) if whose else None


async def _everyone(db: Database) -> Sequence[int]:
    """Return all merchants; none where they are more than `MERCHANTS_MAX`."""
    rows = await select_merchants(db, 0, "", MERCHANTS_MAX + 1)
    return [] if len(rows) > MERCHANTS_MAX else [row["merchant_id"] for row in rows]
