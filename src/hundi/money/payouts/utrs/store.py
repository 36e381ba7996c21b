"""All SQL of the UTRs under which merchants were paid."""

from functools import partial

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look_by
from hundi.kernel.ids import payout_reference
from hundi.money.payouts.rules import PayoutTry

LOCK_UTR = "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 7125530421))"
"""Serialises the answers of a provider that name one UTR."""
SELECT_UTR_OF = """
SELECT merchant_id, payout_id FROM payouts
WHERE (utr = $1 AND utr <> '' OR late_utr = $1 AND late_utr <> '')
    AND CASE WHEN sent_by = '' THEN connector ELSE sent_by END = $2
    AND (merchant_id, payout_id) <> ($3::bigint, $4::bigint)
LIMIT 1
"""
"""Across merchants: another payout at a provider with a UTR."""

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


async def lock_utr(db: Database, conn: Connection, payout: PayoutTry, utr: str) -> str:
    """Return the reference of another payout at the same provider with a UTR, "" for none.

    Nobody else learns about this UTR until the transaction ends.
    """
    await conn.execute(LOCK_UTR, payout.provider, utr)
    asked = (utr, payout.provider, payout.merchant_id, payout.payout_id)
    rows = await look_by(db, partial(_within, conn), SELECT_UTR_OF, *asked)
    return next((payout_reference(*row) for row in rows), "")


async def _within(conn: Connection, query: str, *args: object) -> list[Record]:
    """Run a query in a transaction of its own within another one."""
    async with conn.transaction():
        return await conn.fetch(query, *args)
