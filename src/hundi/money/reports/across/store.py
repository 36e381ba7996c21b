"""All SQL of reports over all merchants: who they are, and what the whole ledger says."""

from collections.abc import Mapping

from hundi.infra.postgres.database import Connection
from hundi.kernel.ids import first_id
from hundi.money.ledger.rules import PostingKind
from hundi.money.reports.across.rules import AccountKey, MerchantName
from hundi.money.reports.months.rules import PostedSums
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import STATEMENT_S_MAX

SELECT_MERCHANTS = "SELECT merchant_id, mode, name FROM merchants ORDER BY mode, merchant_id"
"""Across merchants: those of the operator's report, live ones first."""
# Not made of the statements for one merchant: a merchant that is left out shows as a difference.
SUM_SETTLED = f"""
SELECT coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SETTLEMENT_FEE}'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SETTLEMENT_TAX}'), 0)::bigint,
    coalesce(sum(amount_paise) FILTER (WHERE kind = '{PostingKind.SHARE_DUE}'), 0)::bigint
FROM ledger_postings WHERE at >= $1 AND at < $2
    AND kind IN ('{PostingKind.SETTLEMENT_FEE}', '{PostingKind.SETTLEMENT_TAX}',
        '{PostingKind.SHARE_DUE}')
"""
SUM_CHARGED = """
SELECT coalesce(sum(amount_paise * ((credit = 'fee_income')::integer
        - (debit = 'fee_income')::integer)), 0)::bigint AS fee_paise,
    coalesce(sum(amount_paise * ((credit = 'tax_payable')::integer
        - (debit = 'tax_payable')::integer)), 0)::bigint AS tax_paise
FROM ledger_postings WHERE at >= $1 AND at < $2 AND kind <> 'correction'
"""
_ARCHIVED = """
    FROM archived_payments k CROSS JOIN jsonb_populate_recordset(
        (SELECT jsonb_populate_record(NULL::ledger_postings, defaults_of('ledger_postings'))),
        k.contents -> 'ledger_postings') AS g
    WHERE k.payment_id < $2 AND g.at < $1
"""
SUM_BALANCES = f"""
SELECT account, currency, sum(paise)::bigint AS paise FROM (
    SELECT debit::text AS account, currency::text AS currency, amount_paise AS paise
    FROM ledger_postings WHERE at < $1
    UNION ALL
    SELECT credit::text, currency::text, -amount_paise FROM ledger_postings WHERE at < $1
    UNION ALL
    SELECT g.debit::text, g.currency::text, g.amount_paise {_ARCHIVED}
    UNION ALL
    SELECT g.credit::text, g.currency::text, -g.amount_paise {_ARCHIVED}
) AS sides GROUP BY account, currency HAVING sum(paise) <> 0
"""


async def merchants(conn: Connection) -> list[MerchantName]:
    """Return all merchants."""
    return [MerchantName(*row) for row in await conn.fetch(SELECT_MERCHANTS)]


async def settled(conn: Connection, span: DaySpan) -> PostedSums:
    """Return what settlements of all merchants posted on some days."""
    row = await conn.fetchrow(SUM_SETTLED, span.begins, span.ends, timeout=STATEMENT_S_MAX)
    assert row is not None
    return PostedSums(*row)


async def charged(conn: Connection, span: DaySpan) -> tuple[int, int]:
    """Return the fees and the tax that were posted for all merchants on some days."""
    row = await conn.fetchrow(SUM_CHARGED, span.begins, span.ends, timeout=STATEMENT_S_MAX)
    assert row is not None
    return row["fee_paise"], row["tax_paise"]


async def balances(conn: Connection, span: DaySpan) -> Mapping[AccountKey, int]:
    """Return each account's debits less credits at the end of some days, but those of zero."""
    ends = span.ends
    rows = await conn.fetch(SUM_BALANCES, ends, first_id(ends), timeout=STATEMENT_S_MAX)
    return {(row["account"], row["currency"]): row["paise"] for row in rows}
