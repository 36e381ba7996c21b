"""All SQL that shows settlements."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from asyncpg import Record

from hundi.infra.database import Queries

SELECT_LIST = """
SELECT settlement_id, day, kind, items, gross_paise, fee_paise + price_paise AS fee_paise,
    tax_paise + price_tax_paise AS tax_paise, refunds_paise, splits_paise, net_paise, carried_paise
FROM settlements WHERE merchant_id = $1 ORDER BY settlement_no DESC LIMIT $2
"""
SELECT_NEWEST = """
SELECT merchant_id, settlement_id, day, kind, items, gross_paise, fee_paise + price_paise AS fee_paise,
    tax_paise + price_tax_paise AS tax_paise, refunds_paise, splits_paise, net_paise, carried_paise
FROM settlements ORDER BY day DESC, merchant_id, settlement_id LIMIT $1
"""
"""Across merchants: the operator's list of the newest settlements."""
SELECT_ONE = "SELECT * FROM settlements WHERE merchant_id = $1 AND settlement_id = $2"
SELECT_ITEMS = """
SELECT i.cause_id, i.kind, i.at, i.gross_paise, i.fee_paise, i.tax_paise, i.net_paise, i.rule, i.plan_no,
    coalesce(p.order_id, '') AS order_id, p.payment_id
FROM settlement_items i LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    LEFT JOIN refunds r ON r.merchant_id = $1 AND r.refund_id = i.cause_id
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = coalesce(a.payment_id, r.payment_id)
WHERE i.merchant_id = $1 AND i.settlement_id = $2 ORDER BY i.at, i.cause_id, i.kind LIMIT $3
"""
SELECT_COSTS = """
SELECT cause_id, at, gross_paise, fee_paise, tax_paise, net_paise, rule, plan_no, ready_on, settlement_id
FROM settlement_items WHERE merchant_id = $1 AND cause_id = ANY ($2::bigint[]) AND kind = ANY ($3::text[])
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
    """Return the newest settlements of all merchants."""
    return await db.fetch(SELECT_NEWEST, limit)


async def settlement(db: Queries, merchant_id: int, settlement_id: int) -> Mapping[str, Any] | None:
    """Return one settlement."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, settlement_id)
    return dict(row) if row else None


async def items_of(db: Queries, merchant_id: int, settlement_id: int, limit: int) -> list[Record]:
    """Return the items of a settlement with their orders, oldest first."""
    return await db.fetch(SELECT_ITEMS, merchant_id, settlement_id, limit)


async def costs_of(db: Queries, merchant_id: int, attempt_ids: Sequence[int], kinds: Collection[str]) -> list[Record]:
    """Return the items by which attempts are settled, with what each costs."""
    return await db.fetch(SELECT_COSTS, merchant_id, list(attempt_ids), list(kinds))


async def shares_of(db: Queries, merchant_id: int, settlement_id: int) -> list[Record]:
    """Return the shares in which a settlement leaves, the merchant's own first."""
    return await db.fetch(SELECT_SHARES, merchant_id, settlement_id)
