"""What the screens of acquirers read.

How their latest attempts ended, and which of them met trouble.
"""

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
    """How attempts by one method at one acquirer ended.

    tried: all. unknown: nobody said what became of it. troubled: failed through no fault of the
    customer. open: not ended yet.
    """

    tried: int = 0
    paid: int = 0
    unknown: int = 0
    troubled: int = 0
    open: int = 0

    @property
    def declined(self) -> int:
        """Return how many ended otherwise: declined, given up, or expired."""
        return self.tried - self.paid - self.unknown - self.troubled - self.open

    @property
    def outcomes(self) -> Outcomes:
        """Return what their health is read from."""
        return Outcomes(self.tried - self.open, self.unknown + self.troubled)


ByMethod = Mapping[str, MethodFigures]


async def figures(
    db: Database, now: datetime, span: timedelta
) -> dict[str, dict[str, MethodFigures]] | None:
    """Return how attempts of a span ended, by acquirer and method.

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
    found: dict[str, dict[str, MethodFigures]] = {}
    for row in rows:
        counts = (row["tried"], row["paid"], row["unknown"], row["troubled"], row["open"])
        found.setdefault(row["connector"], {})[row["method"]] = MethodFigures(*counts)
    return found


async def troubles(db: Database, name: str, now: datetime, span: timedelta) -> list[Record] | None:
    """Return the latest attempts at an acquirer that met trouble.

    None where that takes too long.
    """
    whose = await _everyone(db)
    wanted = (whose, sorted(NOBODYS_FAULT), first_id(now - span), name, TROUBLES_MAX)
    return await look(db, SELECT_TROUBLES, *wanted) if whose else None


async def _everyone(db: Database) -> Sequence[int]:
    """Return all merchants; nothing where they are more than one look goes through."""
    found = await select_merchants(db, 0, "", MERCHANTS_MAX + 1)
    return [] if len(found) > MERCHANTS_MAX else [row["merchant_id"] for row in found]
