"""Figures of providers across merchants: payouts by state, checks of accounts, mandates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from asyncpg import Record

from hundi.console.queries.bounded import look_across
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.money.payouts.rules import UNDER_WAY, WAITING

NOT_CHOSEN = ""
"""Stands for the provider of payouts that have not left: the plan chooses when they leave."""
_PROVIDER = """CASE WHEN p.sent_at IS NULL THEN '' WHEN p.sent_by <> '' THEN p.sent_by
    ELSE p.connector END"""
OPEN = tuple(sorted(WAITING | UNDER_WAY))
"""The states of payouts that have not ended: all of them count, however old."""
SELECT_PAYOUTS = f"""
SELECT {_PROVIDER} AS provider, p.state::text AS state, count(*) AS number,
    sum(p.amount_paise)::bigint AS paise
FROM payouts p WHERE p.payout_id >= $1 OR p.state = ANY ($2::text[])
GROUP BY 1, 2
"""
"""Across merchants: payouts by provider and state, those that ended since an id alone."""
SELECT_LIST = f"""
SELECT p.merchant_id, p.payout_id, p.beneficiary, p.amount_paise, p.state::text AS state,
    coalesce(nullif(p.sent_rail, ''), p.rail::text) AS rail, p.sent_at, p.created_at,
    coalesce(nullif(p.late_utr, ''), p.utr) AS utr, p.bank_code, p.bank_message
FROM payouts p
WHERE {_PROVIDER} = $1 AND p.state = $2 AND (p.payout_id >= $3 OR p.state = ANY ($4::text[]))
ORDER BY p.payout_id DESC LIMIT $5
"""
"""Across merchants: the payouts behind one number."""
SELECT_CHECKS = """
SELECT connector AS provider, outcome, count(*) AS number, sum(cost_paise)::bigint AS paise
FROM account_checks WHERE at >= $1 GROUP BY 1, 2
"""
"""Across merchants: the outcomes of checks by provider."""
SELECT_MANDATES = """
SELECT connector AS provider, CASE WHEN paused_at_bank THEN 'paused_at_bank' ELSE state::text END
    AS state, count(*) AS number, 0::bigint AS paise
FROM subscriptions WHERE mandate_reference <> '' AND connector <> '' GROUP BY 1, 2
"""
"""Across merchants: subscriptions with a mandate, by acquirer and state."""


@dataclass(frozen=True, slots=True)
class ProviderCount:
    """How many there are, and their amount in paise."""

    number: int
    paise: int = 0


@dataclass(frozen=True, slots=True)
class ProviderFigures:
    """One provider's payouts by state, checks by outcome, mandates by standing."""

    payouts: Mapping[str, ProviderCount]
    checks: Mapping[str, ProviderCount]
    mandates: Mapping[str, ProviderCount]


NO_FIGURES = ProviderFigures({}, {}, {})


async def figures(db: Database, since: datetime) -> dict[str, ProviderFigures] | None:
    """Return the figures of each provider, and under NOT_CHOSEN; None where that takes too long.

    since: of payouts that ended, and of checks.
    """
    low = first_id(since)
    payouts = await look_across(db, SELECT_PAYOUTS, low, list(OPEN))
    checks = await look_across(db, SELECT_CHECKS, since)
    mandates = await look_across(db, SELECT_MANDATES)
    if payouts is None or checks is None or mandates is None:
        return None
    by_state = _by_provider(payouts, "state")
    by_outcome = _by_provider(checks, "outcome")
    by_standing = _by_provider(mandates, "state")
    return {
        name: ProviderFigures(
            by_state.get(name, {}), by_outcome.get(name, {}), by_standing.get(name, {})
        )
        for name in {*by_state, *by_outcome, *by_standing}
    }


async def listed(
    db: Database, provider: str, state: str, since: datetime, limit: int
) -> list[Record] | None:
    """Return a provider's payouts in one state, newest first; None where that takes too long."""
    values: tuple[Any, ...] = (provider, state, first_id(since), list(OPEN), limit)
    return await look_across(db, SELECT_LIST, *values)


def _by_provider(rows: list[Record], name: str) -> dict[str, dict[str, ProviderCount]]:
    """Return the rows by provider and state; nodes may each have some of one."""
    counts: dict[str, dict[str, ProviderCount]] = {}
    for row in rows:
        of_provider = counts.setdefault(row["provider"], {})
        before = of_provider.get(row[name], ProviderCount(0))
        of_provider[row[name]] = ProviderCount(
            before.number + row["number"], before.paise + (row["paise"] or 0)
        )
    return counts
