"""Rows for the page of one payout: its share and account, the tries of its share, its postings."""

from asyncpg import Record

from hundi.infra.postgres.database import Queries

SELECT_CAUSE = """
SELECT s.settlement_id, t.day, s.amount_paise AS share_paise, a.holder, a.last4, a.ifsc,
    a.state::text AS account_state, a.replaced_at, m.name AS merchant
FROM payouts p
    JOIN merchants m ON m.merchant_id = p.merchant_id
    LEFT JOIN settlement_shares s ON s.merchant_id = p.merchant_id AND s.share_id = p.share_id
    LEFT JOIN settlements t ON t.merchant_id = p.merchant_id AND t.settlement_id = s.settlement_id
    LEFT JOIN bank_accounts a ON a.merchant_id = p.merchant_id AND a.beneficiary = p.beneficiary
        AND a.account_no = p.account_no
WHERE p.merchant_id = $1 AND p.payout_id = $2
"""
SELECT_TRIES = """
SELECT payout_id, try_no, state::text AS state, created_at FROM payouts
WHERE merchant_id = $1 AND share_id = $2 ORDER BY try_no
"""
SELECT_POSTINGS = """
SELECT kind::text AS kind, debit, credit, amount_paise, currency, at FROM ledger_postings
WHERE merchant_id = $1 AND cause_id = $2 ORDER BY at, xact
"""


async def select_cause(db: Queries, merchant_id: int, payout_id: int) -> Record | None:
    """Return merchant, share, settlement and bank account of a payout."""
    return await db.fetchrow(SELECT_CAUSE, merchant_id, payout_id)


async def select_tries(db: Queries, merchant_id: int, share_id: int) -> list[Record]:
    """Return every payout of a share, in their order."""
    return await db.fetch(SELECT_TRIES, merchant_id, share_id)


async def select_postings(db: Queries, merchant_id: int, payout_id: int) -> list[Record]:
    """Return the postings of a payout, oldest first."""
    return await db.fetch(SELECT_POSTINGS, merchant_id, payout_id)
