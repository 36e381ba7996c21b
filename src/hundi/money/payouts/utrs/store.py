"""All SQL of the UTRs under which a merchant was paid."""

from hundi.infra.postgres.database import Queries

SELECT_UTR = """
SELECT coalesce(nullif(p.late_utr, ''), p.utr) FROM settlement_shares s
    JOIN payouts p ON p.merchant_id = s.merchant_id AND p.share_id = s.share_id
WHERE s.merchant_id = $1 AND s.settlement_id = $2 AND s.beneficiary = 'primary'
    AND p.state IN ('done', 'paid_late')
"""
SELECT_UTR_OF_ATTEMPT = """
SELECT coalesce(nullif(p.late_utr, ''), p.utr) FROM settlement_items i
    JOIN settlement_shares s ON s.merchant_id = i.merchant_id AND s.settlement_id = i.settlement_id
    JOIN payouts p ON p.merchant_id = s.merchant_id AND p.share_id = s.share_id
WHERE i.merchant_id = $1 AND i.cause_id = $2 AND i.kind IN ('payment', 'capture', 'review_released')
    AND s.beneficiary = 'primary' AND p.state IN ('done', 'paid_late')
"""


async def primary_utr(db: Queries, merchant_id: int, settlement_id: int) -> str:
    """Return the UTR of a settlement's payout to its merchant, "" for none yet."""
    return await db.fetchval(SELECT_UTR, merchant_id, settlement_id) or ""


async def utr_of_attempt(db: Queries, merchant_id: int, attempt_id: int) -> str:
    """Return the UTR of the payout that holds a paid attempt, "" for none yet."""
    return await db.fetchval(SELECT_UTR_OF_ATTEMPT, merchant_id, attempt_id) or ""
