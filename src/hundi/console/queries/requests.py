"""Rows for the log of refused requests: one page at a time, newest first."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Queries

# (at, reference) of the last row of the page before: two requests may have the same microsecond.
SELECT_PAGE = """
SELECT reference, at, operation, code, address FROM refused_requests
WHERE merchant_id = $1 AND ($2 = '' OR operation = $2) AND ($3 = '' OR code = $3)
    AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5)
    AND ($6 = '' OR (at, reference) < (SELECT l.at, l.reference FROM refused_requests l
        WHERE l.merchant_id = $1 AND l.reference = $6))
ORDER BY at DESC, reference DESC LIMIT $7
"""
SELECT_KINDS = """
SELECT DISTINCT operation, code FROM (
    SELECT operation, code FROM refused_requests WHERE merchant_id = $1 ORDER BY at DESC
        LIMIT $2) AS newest
"""
SELECT_ONE = """
SELECT reference, at, operation, code, words, detail, address, explained FROM refused_requests
WHERE merchant_id = $1 AND reference = $2
"""
KINDS_ROWS = 1_000
"""The number of newest rows whose operations and reasons the filters offer."""


@dataclass(frozen=True, slots=True)
class RequestFilters:
    """Filters of the list; "" and None for any value.

    since, until: UTC, until is excluded.
    """

    operation: str = ""
    code: str = ""
    since: datetime | None = None
    until: datetime | None = None


async def select_page(
    source: Queries, merchant_id: int, filters: RequestFilters, before: str, limit: int
) -> list[Record]:
    """Return a merchant's refused requests, newest first.

    before: the reference after which the page begins.
    """
    values = (filters.operation, filters.code, filters.since, filters.until, before, limit)
    return await source.fetch(SELECT_PAGE, merchant_id, *values)


async def select_kinds(source: Queries, merchant_id: int) -> tuple[list[str], list[str]]:
    """Return the operations and the reasons of a merchant's newest refused requests."""
    rows = await source.fetch(SELECT_KINDS, merchant_id, KINDS_ROWS)
    return sorted({each["operation"] for each in rows}), sorted({each["code"] for each in rows})


async def select_one(source: Queries, merchant_id: int, reference: str) -> Record | None:
    """Return one refused request."""
    return await source.fetchrow(SELECT_ONE, merchant_id, reference)
