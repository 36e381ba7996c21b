"""All SQL of completions; a unique index allows one per payment that has not failed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import AMOUNT, Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.kernel.states import Actor, CompletionKind, CompletionState, EventKind
from hundi.payments.archive import store as archive
from hundi.payments.captures.rules import Completion

COMPLETION = Table(
    Completion,
    {
        "kind": Field(CompletionKind),
        "amount": AMOUNT,
        "state": Field(CompletionState),
        "actor": Field(Actor),
    },
)
_CHANGED = COMPLETION.only("state", "rrn", "bank_code", "bank_message", "settled_at", "due_at")

INSERT = f"""
INSERT INTO completions ({COMPLETION.listed()})
VALUES ({COMPLETION.numbered(1)})
"""
UPDATE = f"""
UPDATE completions SET {_CHANGED.assigned(4)}
WHERE merchant_id = $1 AND completion_id = $2 AND state = $3
RETURNING completion_id
"""
SELECT_STANDING = f"""
SELECT {COMPLETION.listed()} FROM completions WHERE merchant_id = $1 AND payment_id = $2
    AND state <> 'failed'
"""
SELECT_OF_PAYMENT = f"""
SELECT {COMPLETION.listed()} FROM completions
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY created_at, completion_id
"""
SELECT_ARCHIVED = f"""
SELECT {COMPLETION.listed("c")} FROM {archive.COMPLETIONS}
WHERE k.merchant_id = $1 AND k.payment_id = $2 ORDER BY c.created_at, c.completion_id
"""
SELECT_DUE = """
SELECT merchant_id, completion_id, connector, due_at FROM completions
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the completions to ask about now."""
CLAIM = f"""
UPDATE completions SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND completion_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {COMPLETION.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE completions SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND completion_id = $2 AND due_at = $3
"""
SELECT_IS_BACKED = f"""
SELECT EXISTS (
    SELECT FROM payment_events e WHERE e.merchant_id = $1 AND e.payment_id = c.payment_id
        AND e.attempt_id = c.attempt_id AND e.at = c.created_at AND e.actor = c.actor
        AND e.kind = CASE c.kind WHEN '{CompletionKind.VOID}' THEN '{EventKind.VOID_ASKED}'
            ELSE '{EventKind.CAPTURE_ASKED}' END
) AND EXISTS (
    SELECT FROM payments p JOIN attempts a USING (merchant_id, payment_id)
    WHERE p.merchant_id = $1 AND p.payment_id = c.payment_id AND a.attempt_id = c.attempt_id
        AND a.state = 'authorised' AND c.amount_paise <= p.amount_paise AND c.currency = p.currency
)
FROM completions c WHERE c.merchant_id = $1 AND c.completion_id = $2
"""
SELECT_UNCAPTURED = f"""
SELECT p.merchant_id, p.payment_id, a.connector FROM payments p JOIN merchants m USING (merchant_id)
    JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
        AND a.state = 'authorised'
WHERE p.state = 'authorised' AND a.connector <> ALL ($5::text[])
    AND (a.settled_at <= $1::timestamptz
            - make_interval(hours => coalesce((m.settings ->> 'capture_within_hours')::int, $2))
        OR EXISTS (SELECT FROM payment_events e WHERE e.merchant_id = p.merchant_id
            AND e.payment_id = p.payment_id
            AND e.kind = '{EventKind.LATE_HOLD}'))
    AND NOT EXISTS (SELECT FROM completions c WHERE c.merchant_id = p.merchant_id
        AND c.payment_id = p.payment_id
        AND (c.state <> 'failed' OR c.actor = '{Actor.GATEWAY}'
            AND c.settled_at > $1::timestamptz - $3::interval))
ORDER BY p.created_at LIMIT $4
"""
"""Across merchants: authorisations that were not captured in time, and late ones that go back.

Each merchant has its own time to capture, counted from when the bank held the amount. Late ones go
back where the merchant does not keep late payments.
"""


async def insert(conn: Connection, new: Completion) -> None:
    """Write a completion before the bank is called; the caller holds the payment's lock.

    Raises UniqueViolationError when another completion stands, or when the id is taken.
    """
    await conn.execute(INSERT, *COMPLETION.values(new))


async def update(db: Queries, before: Completion, after: Completion) -> bool:
    """Write a completion's change if its state is still the one that was read."""
    changes = _CHANGED.values(after)
    state = await db.fetchval(
        UPDATE, before.merchant_id, before.completion_id, before.state, *changes
    )
    return state is not None


async def standing(db: Queries, merchant_id: int, payment_id: int) -> Completion | None:
    """Return the completion of a payment that is under way or done."""
    row = await db.fetchrow(SELECT_STANDING, merchant_id, payment_id)
    return COMPLETION.read(row) if row else None


async def of_payment(db: Database, merchant_id: int, payment_id: int) -> list[Completion]:
    """Return every completion of a payment, oldest first."""
    return [
        COMPLETION.read(row) for row in await db.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)
    ]


async def archived(db: Database, merchant_id: int, payment_id: int) -> list[Completion]:
    """Return every completion of an archived payment, oldest first."""
    return [
        COMPLETION.read(row) for row in await db.fetch(SELECT_ARCHIVED, merchant_id, payment_id)
    ]


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the completions to ask about now, most overdue first.

    The query's excluded acquirers are left out.
    """
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database,
    merchant_id: int,
    completion_ids: Sequence[int],
    now: datetime,
    lease_until: datetime,
) -> list[Completion]:
    """Claim those of a merchant's completions that are still due."""
    return [
        COMPLETION.read(row)
        for row in await db.fetch(CLAIM, merchant_id, completion_ids, now, lease_until)
    ]


async def is_backed(db: Database, completion: Completion) -> bool:
    """Return whether the books show who asked for a capture or void, and what is held."""
    return bool(
        await db.fetchval(SELECT_IS_BACKED, completion.merchant_id, completion.completion_id)
    )


async def put_back(db: Database, claimed: Completion, due_at: datetime) -> None:
    """Release a claimed completion whose inquiry could not be sent.

    The inquiry is not counted and is due again.
    """
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.completion_id, claimed.due_at, due_at)


async def uncaptured(
    db: Database, query: DueQuery, hours: int, again_after: timedelta
) -> list[Due]:
    """Return the payments whose time to capture passed, oldest first.

    hours: the time for merchants that chose none.
    """
    rows = await look(
        db, SELECT_UNCAPTURED, query.now, hours, again_after, query.limit, query.without
    )
    return [Due(row["merchant_id"], row["payment_id"], row["connector"]) for row in rows]
