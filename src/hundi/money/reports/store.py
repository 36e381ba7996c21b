"""All SQL of reports: streams rows of other rooms from one snapshot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.kernel.ids import first_id
from hundi.money.reports.rules import DaySpan, PostingExtract, PostingSide

STATEMENT_S_MAX = 600
ROWS_AT_ONCE = 2_000
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_ROOM = (
    f"SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s'; SET LOCAL"
    " idle_in_transaction_session_timeout = 0"
)

# Postings of a period, archived ones too: nothing is posted for a payment before its id is given.
_MOVED = """
    SELECT at, kind::text AS kind, cause_id, debit::text AS debit, credit::text AS credit,
        amount_paise::bigint AS amount_paise, currency::text AS currency
    FROM ledger_postings WHERE merchant_id = $1 AND at >= $2 AND at < $3
    UNION ALL
    SELECT g.at, g.kind::text, g.cause_id, g.debit::text, g.credit::text, g.amount_paise::bigint,
    g.currency::text
    FROM archived_payments k CROSS JOIN jsonb_populate_recordset(
        (SELECT jsonb_populate_record(NULL::ledger_postings, defaults_of('ledger_postings'))),
        k.contents -> 'ledger_postings') AS g
    WHERE k.merchant_id = $1 AND k.payment_id < $4 AND g.at >= $2 AND g.at < $3
"""
_SIDES = f"""
    SELECT debit AS account, currency, at, kind, cause_id, amount_paise AS debit_paise,
    0::bigint AS credit_paise
    FROM ({_MOVED}) AS debited
    UNION ALL
    SELECT credit, currency, at, kind, cause_id, 0::bigint, amount_paise FROM ({_MOVED}) AS credited
"""
SELECT_POSTINGS = f"SELECT * FROM ({_MOVED}) AS moved ORDER BY at, cause_id, kind"
SELECT_SIDES = f"""
SELECT * FROM ({_SIDES}) AS sides ORDER BY account COLLATE "C", currency, at, cause_id, kind,
    debit_paise
"""
SELECT_OPENING = f"""
SELECT account, currency, sum(debit_paise)::bigint AS debit_paise,
    sum(credit_paise)::bigint AS credit_paise
FROM ({_SIDES}) AS sides GROUP BY account, currency
"""
SELECT_NAME = "SELECT name FROM merchants WHERE merchant_id = $1"
_EVER = datetime.fromisoformat("2000-01-01T00:00:00+00:00")


Books = Database | Connection
"""Where a report reads: a database, or a snapshot that its caller holds for several reports."""


@asynccontextmanager
async def snapshot(books: Books) -> AsyncIterator[Connection]:
    """Hold a snapshot of the books, for reading; within one that is held it is the same."""
    if not isinstance(books, Database):
        yield books
        return
    async with books.transaction() as conn:
        await conn.execute(_SNAPSHOT)
        await conn.execute(_ROOM)
        yield conn


async def name_of(db: Queries, merchant_id: int) -> str:
    """Return a merchant's name."""
    return await db.fetchval(SELECT_NAME, merchant_id) or "a merchant that is not known"


async def opening(
    conn: Connection, merchant_id: int, before: datetime
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the debits and credits before a moment, by account and currency."""
    rows = await conn.fetch(
        SELECT_OPENING, merchant_id, _EVER, before, first_id(before), timeout=STATEMENT_S_MAX
    )
    return {
        (row["account"], row["currency"]): (row["debit_paise"], row["credit_paise"]) for row in rows
    }


async def sides(
    conn: Connection, merchant_id: int, span: DaySpan
) -> AsyncIterator[list[PostingSide]]:
    """Yield both sides of each posting of a period, by account and time, some thousand at once."""
    async for rows in _batches(conn, SELECT_SIDES, merchant_id, span):
        yield [PostingSide(*row) for row in rows]


async def postings(
    conn: Connection, merchant_id: int, span: DaySpan
) -> AsyncIterator[list[PostingExtract]]:
    """Yield the postings of a period, oldest first, in batches of some thousand."""
    async for rows in _batches(conn, SELECT_POSTINGS, merchant_id, span):
        yield [PostingExtract(*row) for row in rows]


async def _batches(
    conn: Connection, query: str, merchant_id: int, span: DaySpan
) -> AsyncIterator[list[tuple]]:
    cursor = await conn.cursor(
        query, merchant_id, span.begins, span.ends, first_id(span.ends), timeout=STATEMENT_S_MAX
    )
    while rows := await cursor.fetch(ROWS_AT_ONCE, timeout=STATEMENT_S_MAX):
        yield [tuple(row) for row in rows]
