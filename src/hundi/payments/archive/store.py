"""All SQL that moves payments into the archive, finds them there and brings them back.

Two functions of the schema, `archive_payments` and `recall_payment`, move the rows: no role may
delete rows by itself.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Database, Queries
from hundi.infra.postgres.looks import look


def held(table: str) -> str:
    """Return SQL for the rows of one table in a document; a newer column has its default."""
    base = f"(SELECT jsonb_populate_record(NULL::{table}, defaults_of('{table}')))"
    return f"jsonb_populate_recordset({base}, contents -> '{table}')"


FROM_ARCHIVE = f"""
FROM (
    SELECT held.* FROM archived_payments k
        CROSS JOIN {held("payments")} AS held
    WHERE k.merchant_id = $1 AND k.payment_id = $2
) AS p LEFT JOIN (
    SELECT held.* FROM archived_payments k
        CROSS JOIN {held("attempts")} AS held
    WHERE k.merchant_id = $1 AND k.payment_id = $2
) AS a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
"""
"""The archived payment `p` and its attempts `a`: $1 is the merchant, $2 the payment."""

SELECT_BY_ORDER = "SELECT payment_id FROM archived_orders WHERE merchant_id = $1 AND order_id = $2"
SELECT_BY_RRN = """
SELECT payment_id FROM archived_payments WHERE rrns @> ARRAY[$2::text] AND merchant_id = $1
ORDER BY payment_id DESC LIMIT 1
"""
SELECT_BY_ATTEMPT = """
SELECT payment_id FROM archived_payments
WHERE attempt_ids @> ARRAY[$2::bigint] AND merchant_id = $1 AND payment_id <= $2::bigint + 60000000
"""
"""An attempt is younger than its payment; the clocks of two processes may differ by a minute."""
SELECT_EVENTS = f"""
SELECT e.event_no, e.at, e.kind, e.state, e.actor, e.attempt_id FROM archived_payments k
    CROSS JOIN {held("payment_events")} AS e
WHERE k.merchant_id = $1 AND k.payment_id = $2 ORDER BY e.event_no
"""
SELECT_DELIVERIES = f"""
SELECT d.event_no, d.kind, d.state, d.created_at, d.due_at, d.facts FROM archived_payments k
    CROSS JOIN {held("deliveries")} AS d
WHERE k.merchant_id = $1 AND k.payment_id = $2 ORDER BY d.event_no
"""
SELECT_TRIES = f"""
SELECT t.event_no, t.attempt_no, t.at, t.url, t.status, t.latency_ms, t.answer, t.problem
    FROM archived_payments k
    CROSS JOIN {held("delivery_attempts")} AS t
WHERE k.merchant_id = $1 AND k.payment_id = $2 ORDER BY t.event_no, t.attempt_no
"""
COMPLETIONS = f"archived_payments k CROSS JOIN {held('completions')} AS c"
"""The rows `c` of payments `k`, for the room whose table it is."""
SELECT_POSTINGS = f"""
SELECT g.cause_id, g.kind, g.debit, g.credit, g.amount_paise, g.currency, g.at
    FROM archived_payments k
    CROSS JOIN {held("ledger_postings")} AS g
WHERE k.merchant_id = $1 AND k.payment_id = $2 ORDER BY g.at, g.cause_id, g.kind DESC
"""
RECALL = "SELECT recall_payment($1, $2)"

SELECT_MERCHANTS = (
    "SELECT merchant_id FROM merchants WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1"
)
SELECT_CANDIDATES = """
SELECT payment_id FROM payments
WHERE merchant_id = $1 AND payment_id > $2 AND payment_id < $3 AND kind <> 'subscription'
    AND refunds = 0
    AND state IN ('paid', 'captured', 'voided', 'failed', 'not_registered', 'expired', 'abandoned')
    AND NOT EXISTS (
        SELECT FROM attempts a JOIN ledger_postings g ON g.merchant_id = $1
            AND g.cause_id = a.attempt_id
            LEFT JOIN settlement_items i ON i.merchant_id = $1 AND i.cause_id = g.cause_id
                AND i.kind = g.kind::text
        WHERE a.merchant_id = $1 AND a.payment_id = payments.payment_id
            AND 'payable' IN (g.debit, g.credit)
            AND i.settlement_id IS NULL)
ORDER BY payment_id LIMIT $4
"""
"""Candidates only: `archive_payments` decides under locks.

The settlement is checked without a lock because a settled item stays settled.
"""
MARK = """
INSERT INTO archived_orders (merchant_id, order_id, payment_id, marked_at)
SELECT merchant_id, order_id, payment_id, clock_timestamp() FROM payments
WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
ON CONFLICT (merchant_id, order_id) DO NOTHING RETURNING payment_id
"""
"""RETURNING counts the new rows: Citus's own count includes rows that were there."""
MOVE = "SELECT archive_payments($1, $2::bigint[], $3, clock_timestamp() - $4::interval)"
ADD_MONTH = "SELECT add_archive_month($1)"

COUNT_MONTH = """
SELECT count(*) AS payments, max(archived_at) AS newest FROM archived_payments
WHERE merchant_id = $1 AND payment_id >= $2 AND payment_id < $3
"""
SELECT_EDGE = """
SELECT payment_id FROM archived_payments WHERE merchant_id = $1 AND payment_id >= $2
    ORDER BY payment_id LIMIT 1
"""
SELECT_MONTH = """
SELECT payment_id, archived_at, contents::text AS contents FROM archived_payments
WHERE merchant_id = $1 AND payment_id > $2 AND payment_id < $3 ORDER BY payment_id LIMIT $4
"""


async def by_order(db: Queries, merchant_id: int, order_id: str) -> int | None:
    """Return the payment whose order id is marked.

    It is in the archive, or moving into it or out of it.
    """
    return await db.fetchval(SELECT_BY_ORDER, merchant_id, order_id)


async def by_rrn(db: Queries, merchant_id: int, rrn: str) -> int | None:
    """Return the newest archived payment with an attempt of this RRN."""
    return await db.fetchval(SELECT_BY_RRN, merchant_id, rrn)


async def by_attempt(db: Queries, merchant_id: int, attempt_id: int) -> int | None:
    """Return the archived payment that an attempt belongs to."""
    return await db.fetchval(SELECT_BY_ATTEMPT, merchant_id, attempt_id)


async def select_events(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the events of an archived payment, oldest first."""
    return await db.fetch(SELECT_EVENTS, merchant_id, payment_id)


async def select_postings(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the postings of an archived payment, oldest first."""
    return await db.fetch(SELECT_POSTINGS, merchant_id, payment_id)


async def select_deliveries(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the notifications to the merchant about an archived payment, oldest first."""
    return await db.fetch(SELECT_DELIVERIES, merchant_id, payment_id)


async def select_tries(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return every try to deliver them, oldest first."""
    return await db.fetch(SELECT_TRIES, merchant_id, payment_id)


async def recall(db: Queries, merchant_id: int, payment_id: int) -> bool:
    """Bring a payment back into the writable tables.

    Return whether it was in the archive.
    """
    return await db.fetchval(RECALL, merchant_id, payment_id)


async def next_merchant(db: Database, after: int) -> int | None:
    """Return the next merchant, or None."""
    rows = await look(db, SELECT_MERCHANTS, after)
    return rows[0]["merchant_id"] if rows else None


async def candidates(
    db: Database, merchant_id: int, after: int, before: int, limit: int
) -> list[int]:
    """Return a merchant's payments between two ids that may be settled, oldest first."""
    return [
        row["payment_id"]
        for row in await db.fetch(SELECT_CANDIDATES, merchant_id, after, before, limit)
    ]


async def mark(db: Database, merchant_id: int, payment_ids: Sequence[int]) -> int:
    """Mark order ids as used for ever; return how many were not marked yet."""
    return len(await db.fetch(MARK, merchant_id, payment_ids))


async def move(
    db: Database,
    merchant_id: int,
    payment_ids: Sequence[int],
    ended_before: datetime,
    patience: timedelta,
) -> list[int]:
    """Move those payments that are settled, in one transaction; return which."""
    return await db.fetchval(MOVE, merchant_id, payment_ids, ended_before, patience)


async def add_month(db: Database, month: date) -> None:
    """Create the partition for the payments of a month."""
    await db.execute(ADD_MONTH, month)


async def count_month(
    db: Database, merchant_id: int, ids: tuple[int, int]
) -> tuple[int, datetime | None]:
    """Return how many payments of a merchant are archived between two ids, and the newest time."""
    row = await db.fetchrow(COUNT_MONTH, merchant_id, *ids)
    assert row is not None
    return row["payments"], row["newest"]


async def first_from(db: Database, merchant_id: int, payment_id: int) -> int | None:
    """Return a merchant's first archived payment from this id on."""
    return await db.fetchval(SELECT_EDGE, merchant_id, payment_id)


async def of_month(
    db: Database, merchant_id: int, after: int, before: int, limit: int
) -> list[Record]:
    """Return archived payments between two ids with all their rows as JSON text, oldest first."""
    return await db.fetch(SELECT_MONTH, merchant_id, after, before, limit)
