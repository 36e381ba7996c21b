"""Payments of a merchant's past days, by what decides their price."""

from datetime import datetime

from asyncpg import Record

from hundi.console.queries.bounded import look
from hundi.infra.postgres.database import Database

ROWS_MAX = 50_000
"""Payments that a preview counts; more would keep a person waiting."""
SELECT_PAID = """
SELECT a.method, coalesce(a.card ->> 'scheme', '') AS network, coalesce(a.card ->> 'type', '')
    AS card_type, i.gross_paise, i.fee_paise, i.tax_paise, i.at, a.emi_discount_paise
FROM (
    SELECT s.cause_id, s.gross_paise, s.fee_paise, s.tax_paise, s.at FROM settlement_items s
    WHERE s.merchant_id = $1 AND s.at >= $2 AND s.kind = ANY ($3) AND s.gross_paise > 0
        AND s.rule <> ''
    ORDER BY s.at DESC LIMIT $4
) AS i JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = i.cause_id
"""


async def select_paid(
    db: Database, merchant_id: int, since: datetime, kinds: list[str]
) -> list[Record] | None:
    """Return the newest payments since a time with the fees that were taken for them.

    None if that takes too long. kinds: of postings that bear a fee.
    """
    return await look(db, SELECT_PAID, merchant_id, since, kinds, ROWS_MAX)
