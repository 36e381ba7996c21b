"""All SQL of a period's settlements, settled items and fees."""

from collections.abc import AsyncIterator

from hundi.infra.postgres.database import Connection, Queries
from hundi.money.ledger.rules import PostingKind
from hundi.money.reports.months.rules import FeeLine, MonthLine, PostedSums, SettledItem
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import ROWS_AT_ONCE, STATEMENT_S_MAX

PAID = "coalesce(nullif(p.late_utr, ''), p.utr, '')"
"""The reference of a payout `p` at its bank."""
SETTLED = f"""
SELECT t.settlement_id::bigint AS settlement_id, t.day, t.at, t.kind, t.items::integer AS items,
    t.carried_in_paise, t.gross_paise::bigint AS gross_paise, t.refunds_paise, t.other_paise,
    (t.fee_paise + t.price_paise)::bigint AS fees_paise,
    (t.tax_paise + t.price_tax_paise)::bigint AS gst_paise,
    (t.reserve_released_paise - t.reserve_held_paise)::bigint AS reserve_paise,
    t.splits_paise::bigint AS splits_paise, t.carried_paise, t.net_paise::bigint AS net_paise,
    coalesce(p.state, '')::text AS state,
    CASE WHEN p.state IN ('done', 'paid_late') THEN {PAID} ELSE '' END::text AS utr
FROM settlements t
    LEFT JOIN settlement_shares s ON s.merchant_id = $1 AND s.settlement_id = t.settlement_id
        AND s.beneficiary = 'primary'
    LEFT JOIN (SELECT DISTINCT ON (share_id) share_id, state, utr, late_utr FROM payouts
        WHERE merchant_id = $1 ORDER BY share_id, try_no DESC) p ON p.share_id = s.share_id
WHERE t.merchant_id = $1
"""
"""A merchant's settlements with their newest payouts, as a `MonthLine` has them."""
SELECT_MONTH = f"{SETTLED} AND t.at >= $2 AND t.at < $3 ORDER BY t.at, t.settlement_id"
# The fees of disputes are posted by the disputes, not by settlements.
SUM_POSTED = f"""
SELECT coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SETTLEMENT_FEE}'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SETTLEMENT_TAX}'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SHARE_DUE}'), 0)::bigint
FROM ledger_postings WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND kind IN ('{PostingKind.SETTLEMENT_FEE}', '{PostingKind.SETTLEMENT_TAX}',
        '{PostingKind.SHARE_DUE}')
"""
SELECT_ITEMS = f"""
SELECT t.settlement_id, t.utr, t.at AS booked_at, i.at, i.kind, coalesce(p.order_id, '')::text,
    p.payment_id::bigint, i.cause_id, coalesce(a.rrn, r.rrn, '')::text, i.gross_paise, i.fee_paise,
    i.tax_paise, i.net_paise, i.rule
FROM ({SELECT_MONTH}) AS t JOIN settlement_items i ON i.merchant_id = $1
        AND i.settlement_id = t.settlement_id
    LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    LEFT JOIN refunds r ON r.merchant_id = $1 AND r.refund_id = i.cause_id
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = coalesce(a.payment_id,
        r.payment_id)
ORDER BY t.at, t.settlement_id, i.at, i.cause_id, i.kind
"""
SELECT_FEES = """
SELECT 'payments'::text, i.rule, count(*)::bigint, sum(i.gross_paise)::bigint,
    sum(i.fee_paise)::bigint, sum(i.tax_paise)::bigint
FROM settlements t JOIN settlement_items i ON i.merchant_id = $1
        AND i.settlement_id = t.settlement_id
WHERE t.merchant_id = $1 AND t.at >= $2 AND t.at < $3 AND i.rule <> 'none' GROUP BY i.rule
UNION ALL
SELECT 'settling at once', '', count(*), sum(gross_paise)::bigint, sum(price_paise)::bigint,
    sum(price_tax_paise)::bigint
FROM settlements WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND price_paise + price_tax_paise > 0 HAVING count(*) > 0
UNION ALL
SELECT 'disputes', '', count(DISTINCT cause_id), 0,
    coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_fee'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_tax'), 0)::bigint
FROM ledger_postings WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND kind IN ('dispute_fee', 'dispute_tax') HAVING count(*) > 0
ORDER BY 1, 2
"""


async def month(conn: Queries, merchant_id: int, span: DaySpan) -> list[MonthLine]:
    """Return the settlements that are booked on some days, oldest first."""
    rows = await conn.fetch(SELECT_MONTH, merchant_id, span.begins, span.ends)
    return [MonthLine(*row) for row in rows]


async def posted(conn: Queries, merchant_id: int, span: DaySpan) -> PostedSums:
    """Return what settlements posted on some days."""
    row = await conn.fetchrow(SUM_POSTED, merchant_id, span.begins, span.ends)
    assert row is not None
    return PostedSums(*row)


async def items(
    conn: Connection, merchant_id: int, span: DaySpan
) -> AsyncIterator[list[SettledItem]]:
    """Yield the items of a period's settlements, oldest first, some thousand at once."""
    cursor = await conn.cursor(
        SELECT_ITEMS, merchant_id, span.begins, span.ends, timeout=STATEMENT_S_MAX
    )
    while records := await cursor.fetch(ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [SettledItem(*row) for row in records]


async def fees(conn: Connection, merchant_id: int, span: DaySpan) -> list[FeeLine]:
    """Return what was charged in a period, by rule and kind."""
    rows = await conn.fetch(
        SELECT_FEES, merchant_id, span.begins, span.ends, timeout=STATEMENT_S_MAX
    )
    return [FeeLine(*row) for row in rows]
