"""All SQL about refunds.

A refund begins and ends under the lock of its payment's row, so that concurrent refunds never
exceed what was captured, and none has to be tried again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import AMOUNT, Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.money import Money
from hundi.kernel.states import RefundCause, RefundState
from hundi.payments.orders.rules import Attempt
from hundi.payments.refunds.rules import Refund, RefundOwed, RefundTotals, RequestKey

REFUND = Table(
    Refund,
    {
        "cause": Field(RefundCause),
        "amount": AMOUNT,
        "state": Field(RefundState),
    },
)
_CHANGED = REFUND.only(
    "state",
    "rrn",
    "bank_code",
    "bank_message",
    "sent_at",
    "settled_at",
    "due_at",
    "inquiries",
    "reversed_at",
    "reversed_code",
    "reversed_message",
)

SELECT_GIVEN_BACK = """
SELECT coalesce(sum(amount_paise), 0)::bigint AS paise, coalesce(sum(settled_paise),
    0)::bigint AS settled_paise
FROM refunds WHERE merchant_id = $1 AND payment_id = $2 AND attempt_id = $3
    AND state NOT IN ('failed', 'reversed')
"""
SELECT_GOES_BACK = """
SELECT EXISTS (
    SELECT FROM ledger_postings WHERE merchant_id = $1 AND cause_id = $2
        AND kind = 'late_refund_due'
)
"""
INSERT = f"INSERT INTO refunds ({REFUND.listed()}) VALUES ({REFUND.numbered(1)})"
SELECT_ONE = f"SELECT {REFUND.listed()} FROM refunds WHERE merchant_id = $1 AND refund_id = $2"
SELECT_OF_PAYMENT = f"""
SELECT {REFUND.listed()} FROM refunds WHERE merchant_id = $1 AND payment_id = $2
    ORDER BY created_at, refund_id
"""
SELECT_LATEST = """
SELECT refund_id FROM refunds WHERE merchant_id = $1 AND payment_id = $2
ORDER BY created_at DESC, refund_id DESC LIMIT 1
"""
UPDATE = f"""
UPDATE refunds SET {_CHANGED.assigned(4)}
WHERE merchant_id = $1 AND refund_id = $2 AND state = $3
RETURNING refund_id
"""
SELECT_DUE = """
SELECT merchant_id, refund_id, connector, due_at FROM refunds
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the refunds to send or ask about now."""
CLAIM = f"""
UPDATE refunds SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND refund_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {REFUND.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE refunds SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND refund_id = $2 AND due_at = $3
"""
ASK_NOW = """
UPDATE refunds SET due_at = $3, inquiries = CASE
    WHEN state = 'done' THEN 0 ELSE greatest(inquiries - 1, 0) END
WHERE merchant_id = $1 AND refund_id = $2 AND connector = $4
    AND (state IN ('sent', 'unknown', 'done') AND due_at > $3 OR state = 'done' AND due_at IS NULL)
"""
_CAUSED = """EXISTS (
    SELECT FROM payment_events e WHERE e.merchant_id = {owner} AND e.payment_id = a.payment_id
        AND e.attempt_id = a.attempt_id AND e.kind IN ({kinds})
)"""
_LATE_KINDS, _EXCESS_KINDS = "'late_refund_due'", "'excess_payment', 'review_rejected'"
_LATE, _EXCESS = (
    _CAUSED.format(owner="a.merchant_id", kinds=kinds) for kinds in (_LATE_KINDS, _EXCESS_KINDS)
)
_OWN_LATE, _OWN_EXCESS = (
    _CAUSED.format(owner="$1", kinds=kinds) for kinds in (_LATE_KINDS, _EXCESS_KINDS)
)
SELECT_IS_BACKED = f"""
SELECT EXISTS (
    SELECT FROM ledger_postings p WHERE p.merchant_id = $1 AND p.cause_id = r.refund_id
        AND p.kind = 'refund_begun' AND p.amount_paise = r.settled_paise
) AND (r.cause = 'merchant' OR EXISTS (
    SELECT FROM attempts a JOIN ledger_postings p
        ON p.merchant_id = a.merchant_id AND p.cause_id = a.attempt_id AND p.credit = 'owed_back'
    WHERE a.merchant_id = $1 AND a.attempt_id = r.attempt_id
        AND CASE r.cause WHEN 'late' THEN {_OWN_LATE} ELSE {_OWN_EXCESS} END))
FROM refunds r WHERE r.merchant_id = $1 AND r.refund_id = $2
"""
_STILL_OWED = """NOT EXISTS (
    SELECT FROM refunds r WHERE r.merchant_id = a.merchant_id AND r.attempt_id = a.attempt_id
        AND r.cause = '{cause}'
        AND (r.state NOT IN ('failed', 'reversed') OR coalesce(r.reversed_at, r.settled_at) > $1)
) AND $2 > (
    SELECT count(*) FROM refunds r
    WHERE r.merchant_id = a.merchant_id AND r.attempt_id = a.attempt_id AND r.cause = '{cause}'
)"""
SELECT_REFUNDS_OWED = f"""
SELECT a.merchant_id, a.attempt_id, a.payment_id, a.received_paise, a.currency, 'overpaid' AS cause
FROM attempts a
WHERE a.state = 'overpaid' AND {_EXCESS} AND {_STILL_OWED.format(cause="overpaid")}
UNION ALL
SELECT a.merchant_id, a.attempt_id, a.payment_id, a.received_paise, a.currency, 'late'
FROM ledger_postings p JOIN attempts a ON a.merchant_id = p.merchant_id
    AND a.attempt_id = p.cause_id
WHERE p.credit = 'owed_back' AND p.kind = 'late_refund_due' AND {_LATE}
    AND {_STILL_OWED.format(cause="late")}
LIMIT $3
"""
"""Across merchants: money owed back that has no refund.

Or whose refund failed long ago, and not too often.
"""
SELECT_ANSWER = """
SELECT q.content_hash, q.refund_id, q.code, q.words, r.amount_paise
FROM refund_requests q LEFT JOIN refunds r ON r.merchant_id = q.merchant_id
    AND r.refund_id = q.refund_id
WHERE q.merchant_id = $1 AND q.request_id = $2 AND (q.item_no = $3 OR q.content_hash <> $4)
ORDER BY q.item_no <> $3 LIMIT 1
"""
"""This item's earlier answer, or the answer to other content under the same request id."""
INSERT_ANSWER = """
INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id, code, words,
    at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The stored answer to a request.

    refund_id, paise: of the refund begun or in the way, 0 for none. code: the refusal's name, or
    "".
    """

    content_hash: bytes
    refund_id: int
    paise: int
    code: str
    words: str


async def insert(conn: Connection, new: Refund) -> None:
    """Write a refund that may begin; the caller holds the payment's lock."""
    await conn.execute(INSERT, *REFUND.values(new))


async def update(db: Queries, before: Refund, after: Refund) -> bool:
    """Write a refund's change if its state is still the one that was read."""
    values = _CHANGED.values(after)
    return (
        await db.fetchval(UPDATE, before.merchant_id, before.refund_id, before.state, *values)
        is not None
    )


async def select(db: Queries, merchant_id: int, refund_id: int) -> Refund | None:
    """Return one refund."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, refund_id)
    return REFUND.read(row) if row else None


async def of_payment(db: Queries, merchant_id: int, payment_id: int) -> list[Refund]:
    """Return every refund of a payment, oldest first."""
    return [REFUND.read(row) for row in await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)]


async def given_back(conn: Connection, attempt: Attempt) -> RefundTotals:
    """Return the totals of an attempt's standing refunds; the caller holds the payment's lock."""
    row = await conn.fetchrow(
        SELECT_GIVEN_BACK, attempt.merchant_id, attempt.payment_id, attempt.attempt_id
    )
    return RefundTotals(row["paise"], row["settled_paise"]) if row else RefundTotals()


async def goes_back(conn: Connection, attempt: Attempt) -> bool:
    """Return whether an attempt paid too late for its merchant, so the gateway refunds it."""
    return bool(await conn.fetchval(SELECT_GOES_BACK, attempt.merchant_id, attempt.attempt_id))


async def latest(conn: Connection, merchant_id: int, payment_id: int) -> int:
    """Return the latest refund of a payment, or 0."""
    return await conn.fetchval(SELECT_LATEST, merchant_id, payment_id) or 0


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the refunds to send or ask about now, most overdue first.

    The query's excluded acquirers are left out.
    """
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, refund_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Refund]:
    """Claim those of a merchant's refunds that are still due."""
    return [
        REFUND.read(row) for row in await db.fetch(CLAIM, merchant_id, refund_ids, now, lease_until)
    ]


async def put_back(db: Database, claimed: Refund, due_at: datetime) -> None:
    """Release a claimed refund for which nothing could be sent.

    It is not counted and is due again.
    """
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.refund_id, claimed.due_at, due_at)


async def ask_now(
    db: Database, connector: str, merchant_id: int, refund_id: int, now: datetime
) -> None:
    """Request an inquiry about a refund at a connector.

    Only one whose outcome is open, or that may have come back.
    """
    await db.execute(ASK_NOW, merchant_id, refund_id, now, connector)


async def refunds_owed(
    db: Database, failed_before: datetime, tries_max: int, limit: int
) -> list[RefundOwed]:
    """Return the money owed back to customers that has no standing refund."""
    return [
        RefundOwed(
            row["merchant_id"],
            row["payment_id"],
            row["attempt_id"],
            Money(row["received_paise"], row["currency"]),
            RefundCause(row["cause"]),
        )
        for row in await look(db, SELECT_REFUNDS_OWED, failed_before, tries_max, limit)
    ]


async def is_backed(db: Database, refund: Refund) -> bool:
    """Return whether the books back a refund: its posting, and why it was owed."""
    return bool(await db.fetchval(SELECT_IS_BACKED, refund.merchant_id, refund.refund_id))


async def select_answer(source: Queries, merchant_id: int, key: RequestKey) -> KeptAnswer | None:
    """Return the stored answer to this item, or to other content under the same request id."""
    row = await source.fetchrow(
        SELECT_ANSWER, merchant_id, key.request_id, key.item_no, key.content_hash
    )
    if row is None:
        return None
    return KeptAnswer(
        row["content_hash"],
        row["refund_id"] or 0,
        row["amount_paise"] or 0,
        row["code"],
        row["words"],
    )


async def insert_answer(
    conn: Connection, merchant_id: int, key: RequestKey, answer: KeptAnswer, now: datetime
) -> None:
    """Store the answer to an item. Raises UniqueViolationError if there is one."""
    await conn.execute(
        INSERT_ANSWER,
        merchant_id,
        key.request_id,
        key.item_no,
        key.content_hash,
        answer.refund_id or None,
        answer.code,
        answer.words,
        now,
    )
