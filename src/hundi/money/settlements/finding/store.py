"""All SQL that shows settlements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from asyncpg import Record

from hundi.infra.postgres.database import Queries
from hundi.infra.postgres.looks import look
from hundi.money.settlements.rules import REFUND_KINDS, SALE_KINDS, ItemSums, LinkedPart
from hundi.money.settlements.store import SELECT_PARTS

SELECT_LIST = """
SELECT settlement_id, day, kind, items, gross_paise, fee_paise + price_paise AS fee_paise,
    tax_paise + price_tax_paise AS tax_paise, refunds_paise, splits_paise, net_paise, carried_paise
FROM settlements WHERE merchant_id = $1 ORDER BY settlement_no DESC LIMIT $2
"""
SELECT_NEWEST = """
SELECT merchant_id, settlement_id, day, kind, items, gross_paise,
    fee_paise + price_paise AS fee_paise, tax_paise + price_tax_paise AS tax_paise, refunds_paise,
    splits_paise, net_paise, carried_paise
FROM settlements ORDER BY day DESC, merchant_id, settlement_id LIMIT $1
"""
"""Across merchants: the operator's list of the newest settlements."""
_SALES, _REFUNDS = (
    ", ".join(f"'{each}'" for each in kinds) for kinds in (SALE_KINDS, REFUND_KINDS)
)
_WITH_UTR = """
SELECT t.settlement_id, t.day, t.kind, t.items, t.carried_in_paise, t.gross_paise, t.refunds_paise,
    t.other_paise, t.fee_paise, t.tax_paise, t.price_paise, t.price_tax_paise, t.reserve_held_paise,
    t.reserve_released_paise, t.net_paise, t.splits_paise, t.carried_paise,
    coalesce(nullif(p.late_utr, ''), p.utr, '') AS utr
FROM settlements t
    LEFT JOIN settlement_shares s ON s.merchant_id = $1 AND s.settlement_id = t.settlement_id
        AND s.beneficiary = 'primary'
    LEFT JOIN payouts p ON p.merchant_id = $1 AND p.share_id = s.share_id
        AND p.state IN ('done', 'paid_late')
WHERE t.merchant_id = $1
"""
SELECT_PAGE = f"""{_WITH_UTR} AND ($2::bigint = 0 OR t.settlement_id < $2)
ORDER BY t.settlement_id DESC LIMIT $3
"""
SELECT_SETTLEMENT = f"{_WITH_UTR} AND t.settlement_id = $2"
SELECT_PAID_SHARES = """
SELECT DISTINCT ON (s.share_id) s.beneficiary, s.amount_paise, p.payout_id, p.state,
    CASE WHEN p.state = 'done' THEN p.utr WHEN p.state = 'paid_late' THEN p.late_utr ELSE '' END
        AS utr
FROM settlement_shares s LEFT JOIN payouts p ON p.merchant_id = $1 AND p.share_id = s.share_id
WHERE s.merchant_id = $1 AND s.settlement_id = $2 ORDER BY s.share_id, p.try_no DESC
"""
SELECT_ITEMS_AFTER = """
SELECT i.cause_id, i.kind, i.at, i.gross_paise, i.fee_paise, i.tax_paise, i.net_paise, i.rule,
    coalesce(p.order_id, '') AS order_id, p.payment_id
FROM (
    SELECT * FROM settlement_items WHERE merchant_id = $1 AND settlement_id = $2
        AND (cause_id, kind) > ($3, $4)
    ORDER BY cause_id, kind LIMIT $5
) AS i LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    LEFT JOIN refunds r ON r.merchant_id = $1 AND r.refund_id = i.cause_id
    LEFT JOIN dispute_stages d ON d.merchant_id = $1 AND d.stage_id = i.cause_id
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = coalesce(a.payment_id,
        r.payment_id, d.payment_id)
ORDER BY i.cause_id, i.kind
"""
SELECT_FIRST_READY = (
    "SELECT min(ready_on) FROM settlement_items WHERE merchant_id = $1 AND settlement_id IS NULL"
)
SUM_READY = f"""
SELECT count(*) AS items, coalesce(sum(gross_paise) FILTER (WHERE kind IN ({_SALES})),
    0)::bigint AS gross_paise, coalesce(-sum(gross_paise) FILTER (WHERE kind IN ({_REFUNDS})),
    0)::bigint AS refunds_paise,
    coalesce(sum(gross_paise) FILTER (WHERE kind NOT IN ({_SALES}, {_REFUNDS})),
    0)::bigint AS other_paise, coalesce(sum(fee_paise), 0)::bigint AS fee_paise,
    coalesce(sum(tax_paise), 0)::bigint AS tax_paise
FROM settlement_items WHERE merchant_id = $1 AND settlement_id IS NULL AND ready_on <= $2
"""
SELECT_ONE = "SELECT * FROM settlements WHERE merchant_id = $1 AND settlement_id = $2"
SELECT_ITEMS = """
SELECT i.cause_id, i.kind, i.at, i.gross_paise, i.fee_paise, i.tax_paise, i.net_paise, i.rule,
    i.plan_no, coalesce(p.order_id, '') AS order_id, p.payment_id
FROM settlement_items i LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    LEFT JOIN refunds r ON r.merchant_id = $1 AND r.refund_id = i.cause_id
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = coalesce(a.payment_id,
        r.payment_id)
WHERE i.merchant_id = $1 AND i.settlement_id = $2 ORDER BY i.at, i.cause_id, i.kind LIMIT $3
"""
SELECT_COSTS = """
SELECT cause_id, at, gross_paise, fee_paise, tax_paise, net_paise, rule, plan_no, ready_on,
    settlement_id
FROM settlement_items WHERE merchant_id = $1 AND cause_id = ANY ($2::bigint[])
    AND kind = ANY ($3::text[])
ORDER BY at, cause_id
"""
SELECT_SHARES = """
SELECT share_id, beneficiary, amount_paise FROM settlement_shares
WHERE merchant_id = $1 AND settlement_id = $2 ORDER BY share_id
"""


async def settlements_of(db: Queries, merchant_id: int, limit: int) -> list[Record]:
    """Return a merchant's settlements, newest first."""
    return await db.fetch(SELECT_LIST, merchant_id, limit)


async def newest(db: Queries, limit: int) -> list[Record]:
    """Return the newest settlements of all merchants that can be reached."""
    return await look(db, SELECT_NEWEST, limit)


async def settlement(db: Queries, merchant_id: int, settlement_id: int) -> Mapping[str, Any] | None:
    """Return one settlement."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, settlement_id)
    return dict(row) if row else None


async def items_of(db: Queries, merchant_id: int, settlement_id: int, limit: int) -> list[Record]:
    """Return the items of a settlement with their orders, oldest first."""
    return await db.fetch(SELECT_ITEMS, merchant_id, settlement_id, limit)


async def costs_of(
    db: Queries, merchant_id: int, attempt_ids: Sequence[int], kinds: Collection[str]
) -> list[Record]:
    """Return the items that settle some attempts, with each one's cost."""
    return await db.fetch(SELECT_COSTS, merchant_id, list(attempt_ids), list(kinds))


async def shares_of(db: Queries, merchant_id: int, settlement_id: int) -> list[Record]:
    """Return the shares of a settlement, the merchant's own first."""
    return await db.fetch(SELECT_SHARES, merchant_id, settlement_id)


async def page_of(db: Queries, merchant_id: int, before: int, limit: int) -> list[Record]:
    """Return a merchant's settlements with their UTRs, newest first. before: an id, 0 for none."""
    return await db.fetch(SELECT_PAGE, merchant_id, before, limit)


async def settlement_of(db: Queries, merchant_id: int, settlement_id: int) -> Record | None:
    """Return one settlement with its UTR."""
    return await db.fetchrow(SELECT_SETTLEMENT, merchant_id, settlement_id)


async def paid_shares_of(db: Queries, merchant_id: int, settlement_id: int) -> list[Record]:
    """Return the shares of a settlement with each newest payout, the merchant's own first."""
    return await db.fetch(SELECT_PAID_SHARES, merchant_id, settlement_id)


async def items_after(
    db: Queries, merchant_id: int, settlement_id: int, after: tuple[int, str], limit: int
) -> list[Record]:
    """Return the items of a settlement after one of them, by cause and kind, with orders."""
    return await db.fetch(SELECT_ITEMS_AFTER, merchant_id, settlement_id, *after, limit)


async def first_ready(db: Queries, merchant_id: int) -> date | None:
    """Return the first day on which an unsettled item is ready."""
    return await db.fetchval(SELECT_FIRST_READY, merchant_id)


async def ready_by(
    db: Queries, merchant_id: int, day: date
) -> tuple[ItemSums, tuple[LinkedPart, ...]]:
    """Return the sums of the items ready by a day, and the parts of linked accounts in them."""
    row = await db.fetchrow(SUM_READY, merchant_id, day)
    assert row is not None
    return ItemSums(**row), tuple(
        LinkedPart(**each) for each in await db.fetch(SELECT_PARTS, merchant_id, day)
    )
