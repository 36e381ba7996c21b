"""All SQL about the endings of authorisations: a unique index lets one stand for each payment, so one of two wins."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.database import Connection, Database
from hundi.infra.due_rows import Due
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, CompletionKind, CompletionState, EventKind, PaymentState
from hundi.money.ledger.rules import Posting
from hundi.money.ledger.store import POSTING_CLAUSE
from hundi.notifications.store import DELIVERY_CLAUSE
from hundi.payments.captures.rules import Completion, Verdict
from hundi.payments.orders.rules import PaymentFacts
from hundi.payments.orders.store import EVENT_CLAUSE

_COLUMNS = """merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise, currency, connector, state, actor,
    rrn, bank_code, bank_message, created_at, settled_at, due_at, inquiries"""

BEGIN = f"""
WITH settled AS (
    UPDATE payments SET revision = revision + 1
    WHERE merchant_id = $1 AND payment_id = $2 AND state = 'authorised'
    RETURNING merchant_id, payment_id, revision AS event_no, state AS event_state, $3::timestamptz AS at,
        $4::text AS event_kind, $5::text AS event_actor, $6::bigint AS attempt_id
),
begun AS (
    INSERT INTO completions (merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise, currency,
        connector, state, actor, created_at, due_at)
    SELECT merchant_id, $7, payment_id, attempt_id, $8, $9, $10, $11, 'sent', $5, at, $12 FROM settled
),
told AS ({EVENT_CLAUSE})
SELECT event_no FROM settled
"""  # noqa: S608 (constants only)
LOCK_PAYMENT = "SELECT state FROM payments WHERE merchant_id = $1 AND payment_id = $2 FOR UPDATE"
END = f"""
WITH settled AS (
    UPDATE payments SET state = $3, captured_paise = $4, revision = revision + 1
    WHERE merchant_id = $1 AND payment_id = $2 AND state = 'authorised'
    RETURNING merchant_id, payment_id, revision AS event_no, state AS event_state, $5::timestamptz AS at,
        $6::text AS event_kind, $7::text AS event_actor, $8::bigint AS attempt_id, $4::bigint AS received_paise,
        currency, $9::text AS posting_kind, $10::text AS posting_debit, $11::text AS posting_credit,
        $12::text AS announced_kind, $13::jsonb AS facts
),
told AS ({EVENT_CLAUSE}),
posted AS ({POSTING_CLAUSE}),
announced AS ({DELIVERY_CLAUSE})
SELECT event_no FROM settled
"""  # noqa: S608 (constants only)
UPDATE = """
UPDATE completions SET state = $4, rrn = $5, bank_code = $6, bank_message = $7, settled_at = $8, due_at = $9
WHERE merchant_id = $1 AND completion_id = $2 AND state = $3
RETURNING completion_id
"""
SELECT_STANDING = f"""
SELECT {_COLUMNS} FROM completions WHERE merchant_id = $1 AND payment_id = $2 AND state <> 'failed'
"""  # noqa: S608 (constants only)
SELECT_OF_PAYMENT = f"""
SELECT {_COLUMNS} FROM completions WHERE merchant_id = $1 AND payment_id = $2 ORDER BY created_at, completion_id
"""  # noqa: S608 (constants only)
SELECT_DUE = """
SELECT merchant_id, completion_id, connector FROM completions
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the completions to ask about now."""
CLAIM = f"""
UPDATE completions SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND completion_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {_COLUMNS}
"""  # noqa: S608 (constants only)
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE completions SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND completion_id = $2 AND due_at = $3
"""
SELECT_UNCAPTURED = f"""
SELECT p.merchant_id, p.payment_id, a.connector FROM payments p JOIN merchants m USING (merchant_id)
    JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id AND a.state = 'authorised'
WHERE p.state = 'authorised' AND a.connector <> ALL ($5::text[])
    AND (a.settled_at <= $1::timestamptz
            - make_interval(hours => coalesce((m.settings ->> 'capture_within_hours')::int, $2))
        OR EXISTS (SELECT FROM payment_events e WHERE e.merchant_id = p.merchant_id AND e.payment_id = p.payment_id
            AND e.kind = '{EventKind.LATE_HOLD}'))
    AND NOT EXISTS (SELECT FROM completions c WHERE c.merchant_id = p.merchant_id AND c.payment_id = p.payment_id
        AND (c.state <> 'failed' OR c.actor = '{Actor.GATEWAY}' AND c.settled_at > $1::timestamptz - $3::interval))
ORDER BY p.created_at LIMIT $4
"""  # noqa: S608 (constants only)
"""Across merchants: what was not captured in the time its merchant has for it, counted from when the bank held it; and
what was held too late for a merchant who does not keep late payments.
"""


def completion(row: Record) -> Completion:
    """Return an ending as a row has it."""
    return Completion(
        merchant_id=row["merchant_id"],
        completion_id=row["completion_id"],
        payment_id=row["payment_id"],
        attempt_id=row["attempt_id"],
        kind=CompletionKind(row["kind"]),
        amount=Money(row["amount_paise"], row["currency"]),
        connector=row["connector"],
        state=CompletionState(row["state"]),
        actor=Actor(row["actor"]),
        created_at=row["created_at"],
        rrn=row["rrn"],
        bank_code=row["bank_code"],
        bank_message=row["bank_message"],
        settled_at=row["settled_at"],
        due_at=row["due_at"],
        inquiries=row["inquiries"],
    )


async def begin(db: Database, new: Completion) -> bool:
    """Write an ending that is about to be asked for; False when the payment is not authorised any more.

    Raises UniqueViolationError when another ending stands.
    """
    values: list[Any] = [
        new.merchant_id,
        new.payment_id,
        new.created_at,
        EventKind(f"{new.kind}_asked"),
        new.actor,
        new.attempt_id,
        new.completion_id,
        new.kind,
        new.amount.paise,
        new.amount.currency,
        new.connector,
        new.due_at,
    ]
    return await db.fetchval(BEGIN, *values) is not None


async def lock_payment(conn: Connection, merchant_id: int, payment_id: int) -> PaymentState | None:
    """Return where a payment stands, and let nothing move it in this transaction."""
    state = await conn.fetchval(LOCK_PAYMENT, merchant_id, payment_id)
    return None if state is None else PaymentState(state)


async def update(db: Database | Connection, before: Completion, after: Completion) -> bool:
    """Write an ending's change if it still is in the state it was decided on."""
    changes = (after.state, after.rrn, after.bank_code, after.bank_message, after.settled_at, after.due_at)
    found = await db.fetchval(UPDATE, before.merchant_id, before.completion_id, before.state, *changes)
    return found is not None


async def end(  # noqa: PLR0913 (the change, its entry, and who is told what)
    conn: Connection,
    verdict: Verdict,
    kind: EventKind,
    posting: Posting | None,
    facts: PaymentFacts | None,
    now: datetime,
) -> None:
    """Write what a settled ending does to its payment, the books and the merchant; the caller holds the lock.

    kind: the event's name. posting: None where nothing was collected. facts: None where the merchant is not told.
    """
    ended = verdict.completion
    await conn.fetchval(
        END,
        ended.merchant_id,
        ended.payment_id,
        verdict.becomes or PaymentState.AUTHORISED,
        verdict.captured_paise,
        now,
        kind,
        "bank",
        ended.attempt_id,
        posting.kind if posting else "",
        posting.debit if posting else "",
        posting.credit if posting else "",
        kind if facts else "",
        msgspec.to_builtins(facts),
    )


async def standing(db: Database, merchant_id: int, payment_id: int) -> Completion | None:
    """Return the ending of a payment that is under way or done."""
    row = await db.fetchrow(SELECT_STANDING, merchant_id, payment_id)
    return completion(row) if row else None


async def of_payment(db: Database, merchant_id: int, payment_id: int) -> list[Completion]:
    """Return every ending that was asked for, oldest first."""
    return [completion(row) for row in await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)]


async def due(db: Database, now: datetime, without: Collection[str], limit: int) -> list[Due]:
    """Return the completions to ask about now, most overdue first, without those at some acquirers."""
    rows = await db.fetch(SELECT_DUE, now, list(without), limit)
    return [Due(row["merchant_id"], row["completion_id"], row["connector"]) for row in rows]


async def claim(
    db: Database, merchant_id: int, completion_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Completion]:
    """Claim those of a merchant's completions that are still due."""
    return [completion(row) for row in await db.fetch(CLAIM, merchant_id, completion_ids, now, lease_until)]


async def put_back(db: Database, claimed: Completion, due_at: datetime) -> None:
    """Give back a claimed completion for which nothing could be sent: it counts for nothing and is due again."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.completion_id, claimed.due_at, due_at)


async def uncaptured(  # noqa: PLR0913 (each bounds the look)
    db: Database, now: datetime, hours: int, again_after: timedelta, without: Collection[str], limit: int
) -> list[Due]:
    """Return the payments that nobody captured in time, oldest first, without those at some acquirers.

    hours: for merchants that chose none.
    """
    rows = await db.fetch(SELECT_UNCAPTURED, now, hours, again_after, limit, list(without))
    return [Due(row["merchant_id"], row["payment_id"], row["connector"]) for row in rows]
