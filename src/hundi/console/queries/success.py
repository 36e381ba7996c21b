"""Rows behind the charts of success: the tries themselves, and what was changed meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime

from asyncpg import Record

from hundi.console.queries.bounded import look
from hundi.infra.postgres.database import Database, Queries

_COLUMNS = """a.merchant_id, m.name AS merchant, a.payment_id, a.attempt_id, p.order_id, a.method,
    a.bank, a.bank_name, a.connector, a.state::text AS state, a.bank_code, a.bank_message,
    a.amount_paise, a.currency, a.created_at, p.buyer ->> 'phone' AS phone,
    p.buyer ->> 'email' AS email
"""
_JOINED = """attempts a JOIN merchants m ON m.merchant_id = a.merchant_id
    JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id
"""
_NARROWED = """a.attempt_id >= $2 AND a.attempt_id < $3
    AND a.state::text = ANY ($4::text[])
    AND NOT (a.method::text = ANY ($5::text[]) AND a.state = 'expired')
    AND ($6::text IS NULL OR a.method::text = $6) AND ($7::text IS NULL OR a.bank = $7)
    AND ($8::text IS NULL OR a.connector = $8) AND ($9::text IS NULL OR a.bank_code = $9)
ORDER BY a.attempt_id DESC LIMIT $10
"""
SELECT_TRIES = f"""
SELECT {_COLUMNS}FROM {_JOINED}WHERE a.merchant_id = $1 AND {_NARROWED}"""
"""Backwards through the key of one merchant: a page is read, and not the span."""
SELECT_TRIES_ACROSS = f"""
SELECT {_COLUMNS}FROM {_JOINED}WHERE a.merchant_id = ANY ($1::bigint[]) AND {_NARROWED}"""
SELECT_CHANGES = """
SELECT act, about, person, at FROM (
    SELECT act, about, person, at, detail FROM trail_entries WHERE merchant_id = $1
    ORDER BY entry_no DESC LIMIT $4
) AS newest
WHERE at >= $2 AND ($5 OR NOT detail::jsonb ? 'merchant')
    AND (act = ANY ($3::text[]) OR act LIKE 'acquirer.%' AND act <> 'acquirer.certify')
ORDER BY at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFilters:
    """What a list of tries, or a chart of them, is narrowed to; None for any value."""

    method: str | None = None
    bank: str | None = None
    connector: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class TryList:
    """A list of tries.

    low, high: the lowest id, and the lowest after the last. states: of the tries. offered: methods
    that are no tries where they expired.
    """

    low: int
    high: int
    states: Collection[str]
    offered: Collection[str]
    filters: TryFilters


async def select_tries(
    db: Database, merchants: Sequence[int], tries: TryList, limit: int, *, across: bool
) -> list[Record] | None:
    """Return the tries of a list, newest first; None where that takes too long.

    across: of several merchants.
    """
    values = tries.low, tries.high, list(tries.states), list(tries.offered)
    return await look(
        db,
        SELECT_TRIES_ACROSS if across else SELECT_TRIES,
        list(merchants) if across else merchants[0],
        *values,
        *astuple(tries.filters),
        limit,
    )


async def select_changes(
    source: Queries,
    merchant_id: int,
    since: datetime,
    acts: Collection[str],
    newest: int,
    *,
    of_merchants: bool,
) -> list[Record]:
    """Return the changes of a place since a time, oldest first.

    newest: of how many entries of its trail. of_merchants: also what the operator did for one
    merchant, which its own trail has, too.
    """
    return await source.fetch(SELECT_CHANGES, merchant_id, since, list(acts), newest, of_merchants)
