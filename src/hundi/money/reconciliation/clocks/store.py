"""All SQL of the clocks: debits without confirmation, and money that has not gone back."""

from typing import Any

from hundi.infra.postgres.database import Queries
from hundi.infra.postgres.looks import look

SELECT_HANGING = """
SELECT merchant_id, attempt_id AS cause_id, method AS what, settled_paise AS received,
    amount_paise AS amount, coalesce(charged_at, created_at) AS began
FROM attempts WHERE state IN ('sent', 'authorising', 'pending', 'unknown')
UNION ALL
SELECT a.merchant_id, a.attempt_id, 'excess', a.settled_paise, a.amount_paise, a.settled_at
FROM attempts a
    LEFT JOIN refunds r ON r.merchant_id = a.merchant_id AND r.attempt_id = a.attempt_id
        AND r.state = 'done'
WHERE a.state = 'overpaid' AND r.refund_id IS NULL
UNION ALL
SELECT merchant_id, refund_id, 'refund', settled_paise, amount_paise, created_at
FROM refunds WHERE state IN ('initiated', 'sent', 'unknown')
ORDER BY began LIMIT $1
"""


async def hanging(db: Queries, limit: int) -> list[Any]:
    """Return the open cases, the oldest first."""
    return await look(db, SELECT_HANGING, limit)
