"""All SQL of a demo's history: whether there is one."""

from collections.abc import Sequence

from hundi.infra.postgres.database import Queries

# On a cluster, a sub-query of several pieces that returns no column is refused.
HAS_PAST = """
SELECT EXISTS (SELECT 1 FROM payments WHERE merchant_id = ANY($1::bigint[]) AND payment_id < $2)
"""


async def has_past(source: Queries, merchants: Sequence[int], before: int) -> bool:
    """Return whether merchants have payments with smaller ids."""
    return await source.fetchval(HAS_PAST, list(merchants), before)
