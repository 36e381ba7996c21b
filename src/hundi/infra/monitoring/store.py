"""All SQL of monitoring: how long work has been due."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import look

SELECT_OVERDUE_S = """
SELECT work, greatest(extract(epoch FROM $1 - oldest)::float8, 0) AS seconds FROM (
    SELECT 'inquiries' AS work, min(inquire_at) AS oldest FROM attempts WHERE inquire_at IS NOT NULL
    UNION ALL SELECT 'refunds', min(due_at) FROM refunds WHERE due_at IS NOT NULL
    UNION ALL SELECT 'payouts', min(due_at) FROM payouts WHERE due_at IS NOT NULL
    UNION ALL SELECT 'completions', min(due_at) FROM completions WHERE due_at IS NOT NULL
    UNION ALL SELECT 'subscriptions', min(due_at) FROM subscriptions WHERE due_at IS NOT NULL
    UNION ALL SELECT 'subscription_debits', min(due_at) FROM subscription_debits
        WHERE due_at IS NOT NULL
    UNION ALL SELECT 'disputes', min(due_at) FROM dispute_stages WHERE due_at IS NOT NULL
    UNION ALL SELECT 'payment_links', min(due_at) FROM payment_link_orders WHERE due_at IS NOT NULL
    UNION ALL SELECT 'bank account checks', min(due_at) FROM bank_accounts WHERE due_at IS NOT NULL
    UNION ALL SELECT 'deliveries', min(d.due_at) FROM deliveries d
        WHERE d.state IN ('waiting', 'sending')
        AND NOT EXISTS (SELECT FROM failing_endpoints f WHERE f.merchant_id = d.merchant_id)
    UNION ALL SELECT 'turn-around times', min(coalesce(charged_at, created_at)) + interval '4 days'
        FROM attempts
        WHERE inquire_at IS NOT NULL AND state IN ('sent', 'authorising', 'pending')
    UNION ALL SELECT 'probes of failing endpoints', min(probe_at) FROM failing_endpoints
) AS kinds
"""
"""Across merchants; 0 if nothing is due. Turn-around times count from a day before they end.

Deliveries to a failing endpoint wait for its probe.
"""


async def select_overdue_s(db: Database, now: datetime) -> list[tuple[str, float]]:
    """Return each kind of background work, and how many seconds its oldest item has been due."""
    return [(row["work"], row["seconds"] or 0.0) for row in await look(db, SELECT_OVERDUE_S, now)]
