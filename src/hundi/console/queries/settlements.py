"""Rows for the pages of settlements: months with their sums, and a search over all of them."""

from asyncpg import Record

from hundi.infra.postgres.database import Queries
from hundi.money.reports.months.rules import MonthLine
from hundi.money.reports.months.store import SETTLED

MONTHS_MAX = 36
SELECT_MONTHS = """
SELECT date_trunc('month', at AT TIME ZONE 'Asia/Kolkata')::date AS month, count(*) AS settlements,
    sum(gross_paise)::bigint AS gross_paise, sum(refunds_paise)::bigint AS refunds_paise,
    sum(other_paise)::bigint AS other_paise, sum(fee_paise + price_paise)::bigint AS fees_paise,
    sum(tax_paise + price_tax_paise)::bigint AS gst_paise, sum(net_paise)::bigint AS net_paise
FROM settlements WHERE merchant_id = $1 GROUP BY 1 ORDER BY 1 DESC LIMIT $2
"""
# A payout that came to nothing is searched as well: its reference is in the bank's letters.
SEARCH = f"""
SELECT * FROM ({SETTLED}) AS t WHERE t.settlement_id = $2 OR EXISTS (
    SELECT FROM settlement_shares s JOIN payouts p ON p.merchant_id = $1 AND p.share_id = s.share_id
    WHERE s.merchant_id = $1 AND s.settlement_id = t.settlement_id AND $3 IN (p.utr, p.late_utr))
ORDER BY t.at DESC, t.settlement_id DESC LIMIT $4
"""


async def months(db: Queries, merchant_id: int) -> list[Record]:
    """Return the months in which settlements were booked, the newest first, each with its sums."""
    return await db.fetch(SELECT_MONTHS, merchant_id, MONTHS_MAX)


async def search(
    db: Queries, merchant_id: int, settlement_id: int, utr: str, limit: int
) -> list[MonthLine]:
    """Return the settlements with an id, or paid out under a UTR; 0 and "" for none."""
    return [
        MonthLine(*row) for row in await db.fetch(SEARCH, merchant_id, settlement_id, utr, limit)
    ]
