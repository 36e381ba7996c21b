"""Rows for the list of payments: one page at a time, by the key, with any filters."""

from dataclasses import dataclass

from asyncpg import Record

from hundi.console.queries import bounded
from hundi.console.queries.bounded import ListCursor, ListStatements, page_by_id, sums_by_id
from hundi.infra.postgres.database import Database
from hundi.money.reports.payments.store import COST, UTR

_FITTING = """
FROM payments p
WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3
    AND ($4::bigint IS NULL OR amount_paise >= $4)
    AND ($5::bigint IS NULL OR amount_paise <= $5) AND ($6::text IS NULL OR state::text = $6)
    AND ($7::text IS NULL OR method = $7) AND ($8::text IS NULL OR currency::text = $8)
    AND ($9::text IS NULL OR EXISTS (SELECT FROM attempts a WHERE a.merchant_id = $1
        AND a.payment_id = p.payment_id
        AND (a.bank = $9 OR lower(a.bank_name) = lower($9))))
"""
_ROW = f"""
SELECT payment_id, order_id, amount_paise, currency, state, method, refunded_paise, bank_code,
    bank_message, created_at, buyer ->> 'phone' AS phone, buyer ->> 'email' AS email
{_FITTING}"""
SELECT_PAGE = f"{_ROW} ORDER BY payment_id DESC LIMIT $10"
SELECT_PAGE_RISING = f"{_ROW} ORDER BY payment_id LIMIT $10"
SELECT_BY_AMOUNT = f"""
{_ROW} AND (amount_paise, payment_id) < ($10::bigint, $11::bigint)
ORDER BY amount_paise DESC, payment_id DESC LIMIT $12
"""
SELECT_BY_AMOUNT_RISING = f"""
{_ROW} AND (amount_paise, payment_id) > ($10::bigint, $11::bigint)
ORDER BY amount_paise, payment_id LIMIT $12
"""
SELECT_SUMS = f"""
SELECT currency, count(*) AS number, sum(amount_paise)::bigint AS amount_paise,
    coalesce(sum(captured_paise) FILTER (WHERE state IN ('paid', 'captured')), 0)::bigint
        AS paid_paise,
    sum(refunded_paise)::bigint AS refunded_paise
{_FITTING} GROUP BY currency ORDER BY count(*) DESC, currency
"""
"""Ids begin with the time, so days are a range of the key, and a page begins after the one before.
"""
_WITH_MONEY = f"SELECT line.*, {UTR} FROM (SELECT p.*, {COST} FROM ({{}}) AS p) AS line"
SELECT_LINES = f"{_WITH_MONEY.format(SELECT_PAGE)} ORDER BY line.payment_id DESC"
SELECT_LINES_RISING = f"{_WITH_MONEY.format(SELECT_PAGE_RISING)} ORDER BY line.payment_id"


_STATEMENTS = ListStatements(
    SELECT_PAGE, SELECT_PAGE_RISING, SELECT_SUMS, SELECT_BY_AMOUNT, SELECT_BY_AMOUNT_RISING
)
_LINES = ListStatements(SELECT_LINES, SELECT_LINES_RISING, SELECT_SUMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentFilters(bounded.ListBounds):
    """Filters of the list."""

    state: str | None
    method: str | None
    currency: str | None
    bank: str | None


async def select_page(
    db: Database, merchant_id: int, filters: PaymentFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return rows of a merchant's payments; see `page_by_id`."""
    return await page_by_id(db, _STATEMENTS, merchant_id, filters, cursor, limit)


async def select_lines(
    db: Database, merchant_id: int, filters: PaymentFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return the same rows with each payment's RRN, cost and settlement, for a file."""
    return await page_by_id(db, _LINES, merchant_id, filters, cursor, limit)


async def select_sums(
    db: Database, merchant_id: int, filters: PaymentFilters
) -> list[Record] | None:
    """Return number and sums of a merchant's payments that fit; see `sums_by_id`."""
    return await sums_by_id(db, _STATEMENTS, merchant_id, filters)
