"""Rows for the list of payouts, and for one: share and account, tries of its share, postings."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ListStatements, page_by_id, sums_by_id
from hundi.infra.postgres.database import Database, Queries

_ROW = """
SELECT p.payout_id, s.settlement_id, p.beneficiary, p.amount_paise, p.state::text AS state,
    coalesce(nullif(p.sent_rail, ''), p.rail) AS rail, a.last4,
    coalesce(nullif(p.late_utr, ''), p.utr) AS utr, p.bank_code, p.bank_message, p.created_at,
    p.sent_at, coalesce(p.late_at, p.settled_at) AS settled_at
FROM payouts p JOIN settlement_shares s ON s.merchant_id = $1 AND s.share_id = p.share_id
    JOIN bank_accounts a ON a.merchant_id = $1 AND a.beneficiary = p.beneficiary
        AND a.account_no = p.account_no
"""
_FITTING = """
WHERE p.merchant_id = $1 AND p.payout_id >= $2 AND p.payout_id < $3
    AND ($4::bigint IS NULL OR p.amount_paise >= $4)
    AND ($5::bigint IS NULL OR p.amount_paise <= $5) AND ($6::text IS NULL OR p.state::text = $6)
    AND ($7::text IS NULL OR $7 IN (p.utr, p.late_utr))
"""
SELECT_PAGE = f"{_ROW} {_FITTING} ORDER BY p.payout_id DESC LIMIT $8"
SELECT_PAGE_RISING = f"{_ROW} {_FITTING} ORDER BY p.payout_id LIMIT $8"
SELECT_BY_AMOUNT = f"""
{_ROW} {_FITTING} AND (p.amount_paise, p.payout_id) < ($8::bigint, $9::bigint)
ORDER BY p.amount_paise DESC, p.payout_id DESC LIMIT $10
"""
SELECT_BY_AMOUNT_RISING = f"""
{_ROW} {_FITTING} AND (p.amount_paise, p.payout_id) > ($8::bigint, $9::bigint)
ORDER BY p.amount_paise, p.payout_id LIMIT $10
"""
SELECT_SUMS = f"""
SELECT 'INR' AS currency, count(*) AS number, sum(p.amount_paise)::bigint AS amount_paise,
    coalesce(sum(p.amount_paise) FILTER (WHERE p.state IN ('done', 'paid_late', 'paid_twice')), 0)
        ::bigint AS paid_paise
FROM payouts p {_FITTING}
"""

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


_STATEMENTS = ListStatements(
    SELECT_PAGE, SELECT_PAGE_RISING, SELECT_SUMS, SELECT_BY_AMOUNT, SELECT_BY_AMOUNT_RISING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    utr: str | None


async def select_page(
    db: Database, merchant_id: int, filters: PayoutFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return rows of a merchant's payouts; see `page_by_id`."""
    return await page_by_id(db, _STATEMENTS, merchant_id, filters, cursor, limit)


async def select_sums(
    db: Database, merchant_id: int, filters: PayoutFilters
) -> list[Record] | None:
    """Return number and sums of a merchant's payouts that fit; see `sums_by_id`."""
    return await sums_by_id(db, _STATEMENTS, merchant_id, filters)


async def select_cause(db: Queries, merchant_id: int, payout_id: int) -> Record | None:
    """Return merchant, share, settlement and bank account of a payout."""
    return await db.fetchrow(SELECT_CAUSE, merchant_id, payout_id)


async def select_tries(db: Queries, merchant_id: int, share_id: int) -> list[Record]:
    """Return every payout of a share, in their order."""
    return await db.fetch(SELECT_TRIES, merchant_id, share_id)


async def select_postings(db: Queries, merchant_id: int, payout_id: int) -> list[Record]:
    """Return the postings of a payout, oldest first."""
    return await db.fetch(SELECT_POSTINGS, merchant_id, payout_id)
