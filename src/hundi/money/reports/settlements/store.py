"""All SQL of a settlement's report."""

from collections.abc import AsyncIterator
from dataclasses import fields

from hundi.infra.postgres.database import Connection
from hundi.money.reports.settlements.rules import Row, SettledShare, SettlementExtract
from hundi.money.reports.store import ROWS_AT_ONCE, STATEMENT_S_MAX

_SETTLEMENT = ", ".join(each.name for each in fields(SettlementExtract))
SELECT_SETTLEMENT = f"""
SELECT {_SETTLEMENT} FROM settlements WHERE merchant_id = $1 AND settlement_id = $2
"""
SELECT_ROWS = """
SELECT i.cause_id, i.kind, i.at, i.gross_paise, i.fee_paise, i.tax_paise, i.net_paise, i.rule,
    i.plan_no, coalesce(p.order_id, '')::text AS order_id, p.payment_id::bigint AS payment_id
FROM settlement_items i LEFT JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
    LEFT JOIN refunds r ON r.merchant_id = $1 AND r.refund_id = i.cause_id
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = coalesce(a.payment_id,
        r.payment_id)
WHERE i.merchant_id = $1 AND i.settlement_id = $2 ORDER BY i.at, i.cause_id, i.kind
"""
SELECT_SHARES = """
SELECT beneficiary, amount_paise::bigint AS amount_paise FROM settlement_shares
WHERE merchant_id = $1 AND settlement_id = $2 ORDER BY beneficiary <> 'primary', beneficiary
"""


async def settlement(
    conn: Connection, merchant_id: int, settlement_id: int
) -> SettlementExtract | None:
    """Return a settlement as the books have it."""
    row = await conn.fetchrow(SELECT_SETTLEMENT, merchant_id, settlement_id)
    return None if row is None else SettlementExtract(**dict(row))


async def shares(
    conn: Connection, merchant_id: int, settlement_id: int
) -> tuple[SettledShare, ...]:
    """Return the shares of a settlement, the merchant's own first."""
    return tuple(
        SettledShare(*row) for row in await conn.fetch(SELECT_SHARES, merchant_id, settlement_id)
    )


async def rows(conn: Connection, merchant_id: int, settlement_id: int) -> AsyncIterator[list[Row]]:
    """Yield the items of a settlement with their orders, oldest first, some thousand at once."""
    cursor = await conn.cursor(SELECT_ROWS, merchant_id, settlement_id, timeout=STATEMENT_S_MAX)
    while records := await cursor.fetch(ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [Row(*row) for row in records]
