"""All SQL of payments as lines of a file."""

from collections.abc import AsyncIterator

from hundi.infra.postgres.database import Connection, Record
from hundi.kernel.ids import first_id
from hundi.money.reports.months.store import PAID
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import ROWS_AT_ONCE, STATEMENT_S_MAX
from hundi.money.settlements.rules import SALE_KINDS

_SALES = ", ".join(f"'{each}'" for each in SALE_KINDS)
_ITEM = f"""
    FROM attempts a JOIN settlement_items i ON i.merchant_id = $1 AND i.cause_id = a.attempt_id
        AND i.kind IN ({_SALES})
    WHERE a.merchant_id = $1 AND a.payment_id = p.payment_id AND a.received_paise > 0
"""
COST = f"""
    coalesce((SELECT a.rrn FROM attempts a WHERE a.merchant_id = $1 AND a.payment_id = p.payment_id
        AND a.received_paise > 0 AND a.rrn <> '' ORDER BY a.attempt_id DESC LIMIT 1), '') AS rrn,
    (SELECT sum(i.fee_paise)::bigint {_ITEM}) AS fee_paise,
    (SELECT sum(i.tax_paise)::bigint {_ITEM}) AS tax_paise,
    (SELECT max(i.settlement_id) {_ITEM}) AS settlement_id
"""
"""The RRN, cost and settlement of a payment `p`."""
UTR = f"""
    coalesce((SELECT {PAID} FROM settlement_shares s JOIN payouts p ON p.merchant_id = $1
        AND p.share_id = s.share_id AND p.state IN ('done', 'paid_late')
    WHERE s.merchant_id = $1 AND s.settlement_id = line.settlement_id
        AND s.beneficiary = 'primary' LIMIT 1), '') AS utr
"""
"""Under which reference the settlement of a payment's `line` was paid out."""
SELECT_PAYMENTS = f"""
SELECT line.*, {UTR} FROM (
    SELECT p.payment_id, p.order_id, p.amount_paise, p.currency, p.state, p.method,
        p.refunded_paise, p.bank_code, p.bank_message, p.created_at, p.buyer ->> 'phone' AS phone,
        p.buyer ->> 'email' AS email, {COST}
    FROM payments p WHERE p.merchant_id = $1 AND p.payment_id >= $2 AND p.payment_id < $3
) AS line ORDER BY line.payment_id
"""


async def payments(
    conn: Connection, merchant_id: int, span: DaySpan
) -> AsyncIterator[list[Record]]:
    """Yield the payments of some days, oldest first, some thousand at once."""
    cursor = await conn.cursor(
        SELECT_PAYMENTS,
        merchant_id,
        first_id(span.begins),
        first_id(span.ends),
        timeout=STATEMENT_S_MAX,
    )
    while records := await cursor.fetch(ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield records
