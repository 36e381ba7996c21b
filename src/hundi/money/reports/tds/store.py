"""All SQL of the report on tax at source."""

from collections.abc import AsyncIterator

from hundi.infra.postgres.database import Connection
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import ROWS_AT_ONCE, STATEMENT_S_MAX
from hundi.money.reports.tds.rules import TdsLine

# A settlement and its fees are dated when it was due: the same moment counts for the month's
# invoice.
SELECT_LINES = """
SELECT at, 'settlement' AS entry, settlement_id::bigint AS number,
    gross_paise::bigint AS sales_paise, refunds_paise::bigint AS refunds_paise,
    fee_paise::bigint AS fee_paise, tax_paise::bigint AS tax_paise
FROM settlements WHERE merchant_id = $1 AND at >= $2 AND at < $3
UNION ALL
SELECT at, 'settling at once', settlement_id::bigint, 0, 0, price_paise::bigint,
    price_tax_paise::bigint
FROM settlements WHERE merchant_id = $1 AND at >= $2 AND at < $3
    AND price_paise + price_tax_paise > 0
UNION ALL
SELECT min(at), 'dispute', cause_id, 0, 0,
    coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_fee'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = 'dispute_tax'), 0)::bigint
FROM ledger_postings
WHERE merchant_id = $1 AND at >= $2 AND at < $3 AND kind IN ('dispute_fee', 'dispute_tax')
    GROUP BY cause_id
ORDER BY at, entry, number
"""


async def lines(conn: Connection, merchant_id: int, span: DaySpan) -> AsyncIterator[list[TdsLine]]:
    """Yield the settled and charged items of a period, oldest first, some thousand at once."""
    cursor = await conn.cursor(
        SELECT_LINES, merchant_id, span.begins, span.ends, timeout=STATEMENT_S_MAX
    )
    while records := await cursor.fetch(ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [TdsLine(*row) for row in records]
