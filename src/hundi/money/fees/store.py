"""All SQL of price plans."""

from datetime import date, datetime
from typing import Any

import msgspec

from hundi.infra.postgres.database import Connection, Queries, Record
from hundi.money.fees.document.rules import PlanDocument, plan_of
from hundi.money.fees.rules import Plans

SELECT_PLANS = (
    "SELECT plan_no, first_day, document FROM fee_plans WHERE merchant_id = $1 ORDER BY plan_no"
)
SELECT_PLAN = """
SELECT plan_no, first_day, document, published_by, published_at FROM fee_plans
WHERE merchant_id = $1 AND plan_no = $2
"""
SELECT_HEADS = """
SELECT plan_no, first_day, published_by, published_at FROM fee_plans WHERE merchant_id = $1
    ORDER BY plan_no
"""
NEXT_NO = "SELECT coalesce(max(plan_no), 0) + 1 FROM fee_plans WHERE merchant_id = $1"
INSERT_PLAN = """
INSERT INTO fee_plans (merchant_id, plan_no, first_day, document, published_by, published_at)
VALUES ($1, $2, $3, $4, $5, $6)
"""


SELECT_DIGEST = """
SELECT encode(sha256(convert_to(to_char(first_day, 'YYYY-MM-DD') || chr(10) || document::text,
    'UTF8')), 'hex')
FROM fee_plans WHERE merchant_id = $1 AND plan_no = $2
"""
SELECT_NUMBERS = "SELECT merchant_id, plan_no FROM fee_plans ORDER BY merchant_id, plan_no"
"""Across merchants: for the operator's review before the take-over."""


async def plans_of(db: Queries, merchant_id: int) -> Plans:
    """Return a merchant's price plans, compiled; read once for many quotes."""
    rows = await db.fetch(SELECT_PLANS, merchant_id)
    return Plans(
        tuple(
            plan_of(document_of(row["document"]), row["plan_no"], row["first_day"]) for row in rows
        )
    )


def document_of(column: Any) -> PlanDocument:  # noqa: ANN401 (whatever JSON holds)
    """Return the document in a column."""
    return msgspec.convert(column, PlanDocument)


async def select_plan(db: Queries, merchant_id: int, plan_no: int) -> Record | None:
    """Return one version of a merchant's price plan."""
    return await db.fetchrow(SELECT_PLAN, merchant_id, plan_no)


async def select_heads(db: Queries, merchant_id: int) -> list[Record]:
    """Return the versions of a merchant's price plan, oldest first, without their documents."""
    return await db.fetch(SELECT_HEADS, merchant_id)


async def digest(source: Queries, merchant_id: int, plan_no: int) -> str:
    """Return the SHA-256 of a version's first day and document, in hexadecimal."""
    return await source.fetchval(SELECT_DIGEST, merchant_id, plan_no) or ""


async def numbers(db: Queries) -> list[tuple[int, int]]:
    """Return merchant and number of every version of every price plan."""
    return [(row["merchant_id"], row["plan_no"]) for row in await db.fetch(SELECT_NUMBERS)]


async def insert_plan(
    conn: Connection,
    merchant_id: int,
    document: PlanDocument,
    first_day: date,
    by: str,
    now: datetime,
) -> int:
    """Write the next version of a merchant's price plan, and return its number.

    Raises asyncpg.UniqueViolationError if another process writes one at the same moment.
    """
    plan_no: int = await conn.fetchval(NEXT_NO, merchant_id) or 1
    await conn.execute(
        INSERT_PLAN, merchant_id, plan_no, first_day, msgspec.to_builtins(document), by, now
    )
    return plan_no
