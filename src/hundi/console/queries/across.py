"""Rows for the operator's look across merchants: ranges of keys, each read limited in time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from time import monotonic

from asyncpg import Record

from hundi.console.queries.bounded import ID_MAX, ids_of, look
from hundi.infra.postgres import looks
from hundi.infra.postgres.database import Database, Queries, Rows
from hundi.staff.people.rules import OPERATOR

MERCHANTS_MAX = 2_000
"""The most merchants in one list; a longer list is narrowed by name."""
LOOK_S_MAX = 2.0
"""Seconds that one list may take."""
_COLUMNS = """p.merchant_id, m.name AS merchant, p.payment_id, p.order_id, p.amount_paise,
    p.currency, p.state, p.method, p.created_at"""
SELECT_MERCHANTS = """
SELECT merchant_id, name, mode, state, created_at FROM merchants
WHERE merchant_id > $1 AND ($2 = '' OR strpos(lower(name), lower($2)) > 0 OR merchant_id::text = $2)
ORDER BY merchant_id LIMIT $3
"""
"""Across merchants: the operator's list."""
SELECT_PAGE = f"""
SELECT {_COLUMNS} FROM payments p JOIN merchants m ON m.merchant_id = p.merchant_id
WHERE p.merchant_id = ANY($1::bigint[]) AND p.payment_id >= $2 AND p.payment_id < $3
    AND ($4::text IS NULL OR p.state::text = $4) AND ($5::text IS NULL OR p.method = $5)
ORDER BY p.payment_id DESC LIMIT $6
"""
SELECT_NAMED = f"""
SELECT {_COLUMNS} FROM payments p JOIN merchants m ON m.merchant_id = p.merchant_id
WHERE p.merchant_id = ANY($1::bigint[]) AND (p.order_id = $2 OR p.payment_id = $3)
UNION
SELECT {_COLUMNS} FROM attempts a JOIN payments p ON p.merchant_id = a.merchant_id
    AND p.payment_id = a.payment_id
    JOIN merchants m ON m.merchant_id = a.merchant_id
WHERE a.merchant_id = ANY($1::bigint[]) AND ((a.rrn = $2 AND a.rrn <> '') OR a.attempt_id = $3)
ORDER BY created_at DESC LIMIT $4
"""
SELECT_DISPUTES = """
SELECT d.merchant_id, m.name AS merchant, d.dispute_id, d.payment_id, d.phase, d.amount_paise,
    d.currency, d.reason, d.state, d.respond_by, d.opened_at
FROM dispute_stages d JOIN merchants m ON m.merchant_id = d.merchant_id
WHERE d.merchant_id = ANY($1::bigint[]) AND d.state = 'open' ORDER BY d.respond_by LIMIT $2
"""
SELECT_PAID = """
SELECT merchant_id, count(*) AS number, sum(captured_paise)::bigint AS paise FROM payments
WHERE merchant_id = ANY($1::bigint[]) AND payment_id >= $2 AND payment_id < $3 AND currency = 'INR'
    AND state IN ('paid', 'captured') GROUP BY merchant_id
"""
SELECT_ADDED = """
SELECT about, detail FROM trail_entries
WHERE merchant_id = $1 AND act = 'merchant.add' AND person_id = $2 AND detail::jsonb ->> 'form' = $3
ORDER BY entry_no LIMIT 1
"""
SELECT_NAMES = "SELECT merchant_id, name FROM merchants WHERE merchant_id = ANY($1::bigint[])"


@dataclass(frozen=True, slots=True)
class AcrossFilters:
    """Filters of a list across merchants; None for any value. The last day is included."""

    since: date
    until: date
    state: str | None = None
    method: str | None = None


async def select_merchants(source: Rows, after: int, name: str, limit: int) -> list[Record]:
    """Return the reachable merchants, by their ids.

    after: the id before the first. name: a part of a name, or an id.
    """
    return await looks.look(source, SELECT_MERCHANTS, after, name, limit)


async def select_paid(
    db: Database, merchants: Sequence[int], day: date
) -> dict[int, Record] | None:
    """Return each merchant's paid amount of a day; None where that takes too long."""
    span = ids_of(day, day)
    rows = await look(db, SELECT_PAID, list(merchants), *span)
    return None if rows is None else {row["merchant_id"]: row for row in rows}


async def select_page(
    db: Database, merchants: Collection[int], filters: AcrossFilters, before: int, limit: int
) -> list[Record] | None:
    """Return payments of merchants, newest first; None where that takes too long.

    before: the last id of the page before, 0 for the first page.
    """
    page: list[Record] = []
    day, ends_at = filters.until, monotonic() + LOOK_S_MAX
    while day >= filters.since and len(page) < limit:
        if monotonic() > ends_at:
            return None
        # One day at a time, so that a busy day is read alone, without the thirty before it.
        low, high = ids_of(day, day)
        span = low, min(high, before or ID_MAX)
        rows = await look(
            db,
            SELECT_PAGE,
            list(merchants),
            *span,
            filters.state,
            filters.method,
            limit - len(page),
        )
        if rows is None:
            return None
        page += rows
        day -= timedelta(days=1)
    return page


async def select_named(
    db: Database, merchants: Collection[int], text: str, limit: int
) -> list[Record] | None:
    """Return the payments of an order id, one of our ids or an RRN; None if it takes too long."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(ID_MAX)) else 0
    return await look(db, SELECT_NAMED, list(merchants), text, number, limit)


async def select_disputes(
    db: Database, merchants: Collection[int], limit: int
) -> list[Record] | None:
    """Return the open phases of disputes, by their deadline."""
    return await look(db, SELECT_DISPUTES, list(merchants), limit)


async def added_by(source: Queries, person_id: int, form: str) -> Record | None:
    """Return the first entry of the operator's trail about a form's merchant."""
    return await source.fetchrow(SELECT_ADDED, OPERATOR, person_id, form)


async def names_of(source: Queries, merchants: Collection[int]) -> dict[int, str]:
    """Return the names of merchants."""
    return {
        row["merchant_id"]: row["name"] for row in await source.fetch(SELECT_NAMES, list(merchants))
    }
