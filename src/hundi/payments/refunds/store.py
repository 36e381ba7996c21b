"""All SQL about refunds.

A refund begins and ends under the lock of its payment's row, so that any number of them at once never exceed what was
captured, and nobody has to try again.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.database import Connection, Database
from hundi.infra.due_rows import Due
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, EventKind, PaymentState, RefundCause, RefundState
from hundi.money.ledger.rules import Posting
from hundi.notifications.store import DELIVERY_CLAUSE
from hundi.payments.orders.rules import PaymentFacts
from hundi.payments.refunds.rules import Refund, Target

_COLUMNS = """merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise, currency, connector, state, rrn,
    bank_code, bank_message, created_at, sent_at, settled_at, due_at, inquiries"""

LOCK_TARGET = """
SELECT p.merchant_id, p.payment_id, p.state, p.currency, p.captured_paise, p.refunds, p.refunded_paise, a.attempt_id,
    a.connector
FROM payments p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
    AND a.state IN ('paid', 'authorised')
WHERE p.merchant_id = $1 AND p.payment_id = $2
FOR UPDATE OF p
"""
_EVENT = """
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    SELECT merchant_id, payment_id, event_no, at, $3, state, $4, $5 FROM settled
"""
_POSTING = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
    SELECT merchant_id, $6::bigint, $7::text, $8::text, $9::text, $10::bigint, $11::text, at FROM settled
"""
BEGIN = f"""
WITH settled AS (
    UPDATE payments SET revision = revision + 1, refunds = refunds + $12::int,
        refunded_paise = refunded_paise + $12::int * $10::bigint
    WHERE merchant_id = $1 AND payment_id = $2
    RETURNING merchant_id, payment_id, revision AS event_no, state, $13::timestamptz AS at
),
begun AS (
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise, currency, connector,
        state, created_at, due_at)
    SELECT merchant_id, $6, payment_id, $5, $14, $10, $11, $15, 'initiated', at, at FROM settled
),
told AS ({_EVENT}),
posted AS ({_POSTING})
SELECT event_no FROM settled
"""  # noqa: S608 (constants only)
END = f"""
WITH settled AS (
    UPDATE payments SET revision = revision + 1, refunds = refunds - $12::int,
        refunded_paise = refunded_paise - $12::int * $10::bigint
    WHERE merchant_id = $1 AND payment_id = $2
    RETURNING merchant_id, payment_id, revision AS event_no, state, $13::timestamptz AS at,
        $14::text AS announced_kind, $15::jsonb AS facts
),
told AS ({_EVENT}),
posted AS ({_POSTING}),
announced AS ({DELIVERY_CLAUSE})
SELECT event_no FROM settled
"""  # noqa: S608 (constants only)
SELECT_ONE = f"SELECT {_COLUMNS} FROM refunds WHERE merchant_id = $1 AND refund_id = $2"  # noqa: S608
SELECT_OF_PAYMENT = f"""
SELECT {_COLUMNS} FROM refunds WHERE merchant_id = $1 AND payment_id = $2 ORDER BY created_at, refund_id
"""  # noqa: S608 (constants only)
SELECT_LATEST = """
SELECT refund_id FROM refunds WHERE merchant_id = $1 AND payment_id = $2
ORDER BY created_at DESC, refund_id DESC LIMIT 1
"""
UPDATE = """
UPDATE refunds SET state = $4, rrn = $5, bank_code = $6, bank_message = $7, sent_at = $8, settled_at = $9, due_at = $10,
    inquiries = $11
WHERE merchant_id = $1 AND refund_id = $2 AND state = $3
RETURNING refund_id
"""
SELECT_DUE = """
SELECT merchant_id, refund_id, connector FROM refunds
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the refunds to send or ask about now."""
CLAIM = f"""
UPDATE refunds SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND refund_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {_COLUMNS}
"""  # noqa: S608 (constants only)
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE refunds SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND refund_id = $2 AND due_at = $3
"""
_OPEN_DEBT = """NOT EXISTS (
    SELECT FROM refunds r WHERE r.merchant_id = a.merchant_id AND r.attempt_id = a.attempt_id AND r.cause = '{cause}'
        AND (r.state <> 'failed' OR r.settled_at > $1)
) AND $2 > (
    SELECT count(*) FROM refunds r
    WHERE r.merchant_id = a.merchant_id AND r.attempt_id = a.attempt_id AND r.cause = '{cause}'
)"""
SELECT_DEBTS = f"""
SELECT a.merchant_id, a.attempt_id, a.payment_id, a.received_paise, a.currency, a.connector, 'overpaid' AS cause
FROM attempts a
WHERE a.state = 'overpaid' AND {_OPEN_DEBT.format(cause="overpaid")}
UNION ALL
SELECT a.merchant_id, a.attempt_id, a.payment_id, a.received_paise, a.currency, a.connector, 'late'
FROM ledger_postings p JOIN attempts a ON a.merchant_id = p.merchant_id AND a.attempt_id = p.cause_id
WHERE p.credit = 'owed_back' AND p.kind = 'late_refund_due' AND {_OPEN_DEBT.format(cause="late")}
LIMIT $3
"""  # noqa: S608 (constants only)
"""Across merchants: what is owed back and has no refund, or one that failed long enough ago and not too often."""
SELECT_ANSWER = """
SELECT q.content_hash, q.refund_id, q.code, q.words, r.amount_paise
FROM refund_requests q LEFT JOIN refunds r ON r.merchant_id = q.merchant_id AND r.refund_id = q.refund_id
WHERE q.merchant_id = $1 AND q.request_id = $2 AND (q.item_no = $3 OR q.content_hash <> $4)
ORDER BY q.item_no <> $3 LIMIT 1
"""
"""What this item was answered before, or else another content that was asked for under the same request id."""
INSERT_ANSWER = """
INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id, code, words, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""


def refund(row: Record) -> Refund:
    """Return a refund as a row has it."""
    return Refund(
        merchant_id=row["merchant_id"],
        refund_id=row["refund_id"],
        payment_id=row["payment_id"],
        attempt_id=row["attempt_id"],
        cause=RefundCause(row["cause"]),
        amount=Money(row["amount_paise"], row["currency"]),
        connector=row["connector"],
        state=RefundState(row["state"]),
        rrn=row["rrn"],
        bank_code=row["bank_code"],
        bank_message=row["bank_message"],
        created_at=row["created_at"],
        sent_at=row["sent_at"],
        settled_at=row["settled_at"],
        due_at=row["due_at"],
        inquiries=row["inquiries"],
    )


async def lock_target(conn: Connection, merchant_id: int, payment_id: int) -> Target | None:
    """Return a payment as a refund needs it, and let no other refund of it begin or end in this transaction."""
    row = await conn.fetchrow(LOCK_TARGET, merchant_id, payment_id)
    if row is None:
        return None
    values = dict(row)
    values["state"] = PaymentState(row["state"])
    return Target(**values)


async def begin(conn: Connection, new: Refund, posting: Posting, actor: Actor) -> None:
    """Write a refund that may begin, with its event and posting; the caller holds the payment's lock."""
    await conn.fetchval(
        BEGIN,
        new.merchant_id,
        new.payment_id,
        EventKind.REFUND_BEGUN,
        actor,
        new.attempt_id,
        new.refund_id,
        posting.kind,
        posting.debit,
        posting.credit,
        new.amount.paise,
        new.amount.currency,
        int(new.counts_on_payment),
        new.created_at,
        new.cause,
        new.connector,
    )


async def end(  # noqa: PLR0913 (the change, its entry, and who is told what)
    conn: Connection, ended: Refund, posting: Posting, kind: EventKind, facts: PaymentFacts, now: datetime
) -> None:
    """Write what a refund's end does to its payment, the books and the merchant; the caller holds the lock."""
    given_back = ended.state is RefundState.FAILED and ended.counts_on_payment
    await conn.fetchval(
        END,
        ended.merchant_id,
        ended.payment_id,
        kind,
        Actor.BANK,
        ended.attempt_id,
        ended.refund_id,
        posting.kind,
        posting.debit,
        posting.credit,
        ended.amount.paise,
        ended.amount.currency,
        int(given_back),
        now,
        kind,
        msgspec.to_builtins(facts),
    )


async def update(db: Database | Connection, before: Refund, after: Refund) -> bool:
    """Write a refund's change if it still is in the state it was decided on."""
    values: list[Any] = [
        after.state,
        after.rrn,
        after.bank_code,
        after.bank_message,
        after.sent_at,
        after.settled_at,
        after.due_at,
        after.inquiries,
    ]
    return await db.fetchval(UPDATE, before.merchant_id, before.refund_id, before.state, *values) is not None


async def select(db: Database | Connection, merchant_id: int, refund_id: int) -> Refund | None:
    """Return one refund."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, refund_id)
    return refund(row) if row else None


async def of_payment(db: Database | Connection, merchant_id: int, payment_id: int) -> list[Refund]:
    """Return every refund of a payment, oldest first."""
    return [refund(row) for row in await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)]


async def latest(conn: Connection, target: Target) -> int:
    """Return the refund of a payment that was begun last, or 0."""
    return await conn.fetchval(SELECT_LATEST, target.merchant_id, target.payment_id) or 0


async def due(db: Database, now: datetime, without: Collection[str], limit: int) -> list[Due]:
    """Return the refunds to send or ask about now, most overdue first, without those at some acquirers."""
    rows = await db.fetch(SELECT_DUE, now, list(without), limit)
    return [Due(row["merchant_id"], row["refund_id"], row["connector"]) for row in rows]


async def claim(
    db: Database, merchant_id: int, refund_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Refund]:
    """Claim those of a merchant's refunds that are still due."""
    return [refund(row) for row in await db.fetch(CLAIM, merchant_id, refund_ids, now, lease_until)]


async def put_back(db: Database, claimed: Refund, due_at: datetime) -> None:
    """Give back a claimed refund for which nothing could be sent: it counts for nothing and is due again."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.refund_id, claimed.due_at, due_at)


async def refunds_owed(db: Database, failed_before: datetime, tries_max: int, limit: int) -> Sequence[Record]:
    """Return what is owed back to customers and has no refund that stands."""
    return await db.fetch(SELECT_DEBTS, failed_before, tries_max, limit)
