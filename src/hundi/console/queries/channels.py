"""Rows for the screen of channels: results of attempts, by bank and by merchant."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.console.queries.bounded import STATEMENT_S_MAX, look, look_across
from hundi.console.queries.home import select_live
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.payments.availability.store import ENDED
from hundi.payments.routing.health.rules import LOOKED_BACK, NOBODYS_FAULT, Outcomes
from hundi.payments.routing.store import TROUBLED

HOURS = timedelta(hours=3)
"""How far back the beginning of a bank's trouble is sought."""
OWN = timedelta(hours=24)
"""The span of a merchant's own figures."""
SELECT_SPANS = f"""
SELECT method, bank, date_bin($3::interval, created_at, $4) AS span, count(*) AS ended,
    count(*) FILTER (WHERE {TROUBLED}) AS troubled
FROM attempts WHERE created_at > $1 AND bank <> '' AND {ENDED}
GROUP BY method, bank, span
"""
"""Across merchants: a bank that is down is down for all of them."""
SELECT_OWN = f"""
SELECT method, bank, count(*) AS ended, count(*) FILTER (WHERE {TROUBLED}) AS troubled,
    count(*) FILTER (WHERE state IN ('paid', 'authorised')) AS paid, max(created_at) FILTER (
        WHERE state IN ('paid', 'authorised')) AS paid_at
FROM attempts WHERE merchant_id = $1 AND attempt_id >= $3 AND {ENDED}
GROUP BY method, bank
"""

Key = tuple[str, str]
"""A method and a bank's code."""


@dataclass(frozen=True, slots=True)
class ChannelFigures:
    """Results of a span's attempts. troubled: by no fault of the customer.

    paid_at: of the last paid.
    """

    ended: int = 0
    troubled: int = 0
    paid: int = 0
    paid_at: datetime | None = None

    def plus(self, other: "ChannelFigures") -> "ChannelFigures":
        """Return the sum of both."""
        ends = [each for each in (self.paid_at, other.paid_at) if each]
        return ChannelFigures(
            self.ended + other.ended,
            self.troubled + other.troubled,
            self.paid + other.paid,
            max(ends, default=None),
        )


async def spans(db: Database, now: datetime) -> dict[Key, dict[datetime, Outcomes]]:
    """Return the results at each bank, by spans of the health's length.

    Empty where that takes too long.
    """
    rows = (
        await look_across(db, SELECT_SPANS, now - HOURS, sorted(NOBODYS_FAULT), LOOKED_BACK, now)
        or []
    )
    results: dict[Key, dict[datetime, Outcomes]] = {}
    for row in rows:
        ended = results.setdefault((row["method"], row["bank"]), {})
        ended[row["span"]] = Outcomes(row["ended"], row["troubled"])
    return results


async def figures(
    db: Database, merchant_id: int, now: datetime
) -> dict[Key, ChannelFigures] | None:
    """Return the results of a merchant's attempts of the last day, of all live ones for 0.

    None where that takes too long.
    """
    codes, since = sorted(NOBODYS_FAULT), first_id(now - OWN)
    whose = [merchant_id] if merchant_id else [row["merchant_id"] for row in await select_live(db)]
    results: dict[Key, ChannelFigures] = {}
    until = time.monotonic() + STATEMENT_S_MAX
    for each in whose:
        # One merchant after the other, by its key: no index has attempts by time alone.
        rows = await look(db, SELECT_OWN, each, codes, since) if time.monotonic() < until else None
        if rows is None:
            return None
        for row in rows:
            key = row["method"], row["bank"]
            more = ChannelFigures(row["ended"], row["troubled"], row["paid"], row["paid_at"])
            results[key] = results[key].plus(more) if key in results else more
    return results
