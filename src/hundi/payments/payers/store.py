"""All SQL about payers' questions, and the look for the payment behind one."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.payers.rules import (
    DAY,
    HOUR,
    PayerQuestion,
    QuestionState,
    SentBefore,
    TypedQuestion,
)

QUESTION = Table(PayerQuestion, {"state": choice(QuestionState)})
INSERT = """
INSERT INTO payer_requests (request_id, token_hash, state, typed, asked_at, ends_at)
VALUES ($1, $2, 'asked', $3, $4, $5)
"""
SELECT_DUE = """
SELECT 0 AS merchant_id, request_id, '' AS peer, asked_at FROM payer_requests
WHERE state = 'asked' ORDER BY asked_at LIMIT $1
"""
SELECT_TYPED = """
SELECT typed ->> 'reference' AS reference, typed ->> 'contact' AS contact,
    typed ->> 'language' AS language
FROM payer_requests WHERE request_id = $1 AND state = 'asked'
"""
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 37))"
"""Two questions about one payment wait for each other, and two with one recipient."""
COUNT_BEFORE = """
SELECT count(*) FILTER (WHERE contact_key = $1 AND asked_at > $4) AS contact_hour,
    count(*) FILTER (WHERE contact_key = $1) AS contact_day,
    count(*) FILTER (WHERE owner_id = $2 AND payment_id = $3 AND asked_at > $4) AS payment_hour
FROM payer_requests
WHERE (contact_key = $1 OR owner_id = $2 AND payment_id = $3) AND asked_at > $5
"""
MOVE = """
UPDATE payer_requests SET state = $2, typed = '{}', owner_id = $3, payment_id = $4, contact_key = $5
WHERE request_id = $1 AND state = 'asked' RETURNING request_id
"""
SELECT = f"SELECT {QUESTION.listed()} FROM payer_requests WHERE request_id = $1"
TRY = f"""
UPDATE payer_requests SET tries = tries + 1
WHERE token_hash = $1 AND state <> 'opened' AND tries < $2 AND ends_at > $3
RETURNING {QUESTION.listed()}
"""
"""A try counts before the code is compared, also where no code was sent."""
OPEN = """
UPDATE payer_requests SET state = 'opened', token_hash = $2, ends_at = $3
WHERE request_id = $1 AND state = 'coded' AND ends_at > $4 RETURNING request_id
"""
"""One use: the browser gets another token, and the first one names nothing any more."""
SELECT_OPENED = f"""
SELECT {QUESTION.listed()} FROM payer_requests
WHERE token_hash = $1 AND state = 'opened' AND ends_at > $2
"""
CLOSE = "DELETE FROM payer_requests WHERE token_hash = $1 AND state = 'opened'"
SWEEP = "DELETE FROM payer_requests WHERE asked_at < $1"

_THEIRS = """(lower({0} ->> 'email') = $3
    OR right(regexp_replace({0} ->> 'phone', '[^0-9]', '', 'g'), 10) = $4)"""
_LIVE, _KEPT = _THEIRS.format("p.buyer"), _THEIRS.format("(a.contents #> '{payments,0,buyer}')")
FIND = f"""
SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN payments p ON p.merchant_id = m.merchant_id AND p.order_id = $1 WHERE {_LIVE}
UNION SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN payments p ON p.merchant_id = m.merchant_id AND p.payment_id = $2 WHERE {_LIVE}
UNION SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN attempts t ON t.merchant_id = m.merchant_id AND t.rrn = $1 AND t.rrn <> ''
    JOIN payments p ON p.merchant_id = t.merchant_id AND p.payment_id = t.payment_id WHERE {_LIVE}
UNION SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN attempts t ON t.merchant_id = m.merchant_id AND t.attempt_id = $2
    JOIN payments p ON p.merchant_id = t.merchant_id AND p.payment_id = t.payment_id WHERE {_LIVE}
UNION SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN refunds r ON r.merchant_id = m.merchant_id AND r.refund_id = $2
    JOIN payments p ON p.merchant_id = r.merchant_id AND p.payment_id = r.payment_id WHERE {_LIVE}
UNION SELECT p.merchant_id, p.payment_id FROM merchants m
    JOIN search_keys k ON k.merchant_id = m.merchant_id AND k.kind = ANY ($5::smallint[])
        AND k.key = ANY ($6::bigint[])
    JOIN payments p ON p.merchant_id = k.merchant_id AND p.payment_id = k.payment_id WHERE {_LIVE}
UNION SELECT a.merchant_id, a.payment_id FROM merchants m
    JOIN archived_orders o ON o.merchant_id = m.merchant_id AND o.order_id = $1
    JOIN archived_payments a ON a.merchant_id = o.merchant_id AND a.payment_id = o.payment_id
    WHERE {_KEPT}
UNION SELECT a.merchant_id, a.payment_id FROM merchants m
    JOIN archived_payments a ON a.merchant_id = m.merchant_id AND a.payment_id = $2 WHERE {_KEPT}
UNION SELECT a.merchant_id, a.payment_id FROM archived_payments a
    WHERE a.rrns @> ARRAY[$1::text] AND {_KEPT}
ORDER BY payment_id DESC LIMIT 1
"""
"""Across merchants: a payer's bank statement names no merchant of ours. Of several payments that
fit, the newest.
"""


async def insert(
    db: Queries,
    key: tuple[int, bytes],
    typed: TypedQuestion,
    times: tuple[datetime, datetime],
) -> None:
    """Write a question. key: id, token's hash. times: now, end.

    Raises UniqueViolationError when its id is taken.
    """
    kept = {
        "reference": typed.reference,
        "contact": typed.contact,
        "language": typed.language,
    }
    await db.execute(INSERT, *key, kept, *times)


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the questions to look for, the oldest first."""
    return [Due(*row) for row in await look(db, SELECT_DUE, query.limit)]


async def typed_of(db: Queries, request_id: int) -> TypedQuestion | None:
    """Return what was typed, None once somebody has looked."""
    row = await db.fetchrow(SELECT_TYPED, request_id)
    return TypedQuestion(**row) if row else None


async def find(
    db: Database,
    reference: tuple[str, int | None],
    contact: tuple[str | None, str | None],
    keys: tuple[Sequence[int], Sequence[int]],
) -> tuple[int, int] | None:
    """Return merchant and payment of a reference and its payer's contact, None for none.

    reference: as text, and as one of our ids. contact: an e-mail address, or ten digits. keys: of
    the search's index, their kinds and hashes.
    """
    rows = await look(db, FIND, *reference, *contact, *keys)
    return (rows[0]["merchant_id"], rows[0]["payment_id"]) if rows else None


async def sent_before(
    conn: Connection, found: tuple[int, int], contact_key: bytes, now: datetime
) -> SentBefore:
    """Return how often codes were sent before, once no other question is counted beside it."""
    for about in (f"{found[0]}-{found[1]}", contact_key.hex()):
        await conn.execute(LOCK, about)
    counts = await conn.fetchrow(COUNT_BEFORE, contact_key, *found, now - HOUR, now - DAY)
    assert counts is not None
    return SentBefore(**counts)


async def move(
    db: Queries,
    request_id: int,
    state: QuestionState,
    found: tuple[int, int] = (0, 0),
    contact_key: bytes = b"",
) -> bool:
    """Forget what was typed, and keep what was found; False once somebody else has looked."""
    return await db.fetchval(MOVE, request_id, state, *found, contact_key) is not None


async def select(db: Queries, request_id: int) -> PayerQuestion | None:
    """Return a question."""
    row = await db.fetchrow(SELECT, request_id)
    return QUESTION.read(row) if row else None


async def count_try(
    db: Queries, token_hash: bytes, most: int, now: datetime
) -> PayerQuestion | None:
    """Count a typed code; None for a question that takes none any more."""
    row = await db.fetchrow(TRY, token_hash, most, now)
    return QUESTION.read(row) if row else None


async def open_once(
    db: Queries, request_id: int, token_hash: bytes, ends_at: datetime, now: datetime
) -> bool:
    """Let a browser look under another token until a time; False after the code's first use."""
    return await db.fetchval(OPEN, request_id, token_hash, ends_at, now) is not None


async def opened(db: Queries, token_hash: bytes, now: datetime) -> PayerQuestion | None:
    """Return the question whose browser may look now."""
    row = await db.fetchrow(SELECT_OPENED, token_hash, now)
    return QUESTION.read(row) if row else None


async def close(db: Queries, token_hash: bytes) -> None:
    """End a browser's look."""
    await db.execute(CLOSE, token_hash)


async def sweep(db: Database, before: datetime) -> None:
    """Delete questions that were asked before a time."""
    await db.execute(SWEEP, before)
