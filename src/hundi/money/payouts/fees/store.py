"""All SQL of the fees of payouts."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.records import replace
from hundi.money.ledger.rules import PostingKind
from hundi.money.payouts.fees.rules import PayoutFee

FEE = Table(PayoutFee, {"kind": Field(PostingKind)})
INSERT = f"""
INSERT INTO payout_fees ({FEE.listed()}) VALUES ({FEE.numbered(1)})
ON CONFLICT DO NOTHING RETURNING 1
"""
INSERT_POSTING = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
SELECT_OF_PAYOUT = f"""
SELECT {FEE.listed()} FROM payout_fees WHERE merchant_id = $1 AND payout_id = $2 ORDER BY at, kind
"""
SUM_OF_PROVIDERS = """
SELECT connector, count(*) FILTER (WHERE kind = 'payout_fee')::bigint AS payouts,
    coalesce(sum(fee_paise) FILTER (WHERE kind = 'payout_fee'), 0)::bigint AS fee_paise,
    coalesce(sum(tax_paise) FILTER (WHERE kind = 'payout_fee'), 0)::bigint AS tax_paise,
    coalesce(sum(fee_paise) FILTER (WHERE kind = 'payout_fee_back'), 0)::bigint AS back_paise
FROM payout_fees WHERE at >= $1 AND at < $2 GROUP BY connector ORDER BY connector
"""
"""Across merchants: what each provider took in a time, as its invoice has it."""


async def write(conn: Connection, fee: PayoutFee) -> bool:
    """Write a fee with its posting; return False if the payout has one of its kind."""
    if await conn.fetchval(INSERT, *FEE.values(fee)) is None:
        return False
    posting = fee.posting
    sides = (posting.kind, posting.debit, posting.credit)
    await conn.execute(
        INSERT_POSTING, fee.merchant_id, fee.payout_id, *sides, posting.amount.paise, posting.at
    )
    return True


async def refund(conn: Connection, merchant_id: int, payout_id: int, now: datetime) -> None:
    """Write that a provider gave back what it took for a payout, if it took anything."""
    for fee in await of_payout(conn, merchant_id, payout_id):
        if fee.kind is PostingKind.PAYOUT_FEE:
            await write(conn, replace(fee, kind=PostingKind.PAYOUT_FEE_BACK, at=now))


async def of_payout(db: Queries, merchant_id: int, payout_id: int) -> list[PayoutFee]:
    """Return what a provider took for a payout and gave back."""
    return [FEE.read(row) for row in await db.fetch(SELECT_OF_PAYOUT, merchant_id, payout_id)]


async def of_providers(db: Database, since: datetime, until: datetime) -> list[Record]:
    """Return what each provider took and gave back in a time. until: exclusive."""
    return await look(db, SUM_OF_PROVIDERS, since, until)
