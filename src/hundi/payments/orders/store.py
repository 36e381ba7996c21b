"""All SQL that writes payments, their attempts and their events; no other module does.

A step is one call of a function of the schema: it changes the payment's row only if the revision is
the one that was read, and writes all else (attempt, event, postings, announcement) with it. One
round trip, and no two writers mix. Statements are put together from constants, never from a value.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import AMOUNT, Columns, Field, Table, choice, numbers
from hundi.infra.postgres.database import Connection, Database, Queries, Values
from hundi.infra.postgres.looks import look
from hundi.instruments.card import NO_CARD, CardFacts
from hundi.kernel.states import AttemptState, EventKind, PaymentKind, PaymentState
from hundi.payments.archive import store as archive
from hundi.payments.orders.facts.rules import facts_told
from hundi.payments.orders.rules import (
    NO_RESTRICTIONS,
    Attempt,
    Buyer,
    Disputed,
    EmiTerms,
    Payment,
    PaymentView,
    Restrictions,
    Step,
)
from hundi.payments.risk.rules import NOT_CHECKED, RiskRecord
from hundi.payments.routing.rules import NOT_ROUTED, Routed

PAYMENT = Table(
    Payment,
    {
        "amount": AMOUNT,
        "kind": choice(PaymentKind),
        "state": choice(PaymentState),
        "buyer": Field(lambda kept: Buyer(**kept)),
        "channels": Field(tuple),
        "surcharges": Field(tuple),
        "restrictions": Field(
            lambda kept: msgspec.convert(kept, Restrictions) if kept else NO_RESTRICTIONS
        ),
    },
)
ATTEMPT = Table(
    Attempt,
    {
        "state": choice(AttemptState),
        "amount": AMOUNT,
        "card": Field(lambda kept: CardFacts(**kept) if kept else NO_CARD),
        "risk": Field(lambda kept: msgspec.convert(kept, RiskRecord) if kept else NOT_CHECKED),
        "route": Field(lambda kept: msgspec.convert(kept, Routed) if kept else NOT_ROUTED),
        "emi": Field(
            EmiTerms,
            {
                "emi_months": "months",
                "emi_rate_bps": "rate_bps",
                "emi_discount_paise": "discount_paise",
            },
        ),
    },
)

SHOWN = f"""
SELECT {PAYMENT.listed("p")},
    {ATTEMPT.listed("a")}
"""
VIEW = f"""{SHOWN}
FROM payments p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id
    AND a.payment_id = p.payment_id
"""
IN_ORDER = " ORDER BY a.created_at, a.attempt_id"

SELECT_BY_PAYMENT = VIEW + "WHERE p.merchant_id = $1 AND p.payment_id = $2" + IN_ORDER
SELECT_BY_ATTEMPT = (
    VIEW
    + """WHERE p.merchant_id = $1
AND p.payment_id = (SELECT payment_id FROM attempts WHERE merchant_id = $1 AND attempt_id = $2)"""
    + IN_ORDER
)
COUNT_EVENTS = (
    "SELECT count(*) FROM payment_events WHERE merchant_id = $1 AND payment_id = $2 AND kind = $3"
)
NEWEST_OPEN = """
SELECT merchant_id, payment_id FROM payments
WHERE state = 'open' AND expires_at > $1 ORDER BY expires_at DESC LIMIT 1"""
HAS_EVENT = """
SELECT EXISTS (SELECT FROM payment_events
    WHERE merchant_id = $1 AND payment_id = $2 AND kind = $3 AND ($4::timestamptz IS NULL
        OR at = $4))"""
LOCK = "SELECT payment_id FROM payments WHERE merchant_id = $1 AND payment_id = $2 FOR UPDATE"
"""A statement of its own: otherwise it would read the attempts as before the wait."""

CHANGED = PAYMENT.only(
    "state",
    "method",
    "captured_paise",
    "refunds",
    "refunded_paise",
    "bank_code",
    "bank_message",
    "expires_at",
)
"""The columns of a payment that a step may change."""
_STEP = Columns(
    {
        "event_kind": "kind",
        "event_actor": "actor",
        "attempt_id": "attempt_id",
        "announced_kind": "announce",
    }
)
_POSTED = Columns(
    {
        "causes": "cause_id",
        "kinds": "kind",
        "debits": "debit",
        "credits": "credit",
        "paise": "amount.paise",
        "currencies": "amount.currency",
    }
)
_NOTHING_POSTED: tuple[tuple[Any, ...], ...] = ((),) * len(_POSTED)
_TRIED = ATTEMPT.only(
    "state",
    "received_paise",
    "rrn",
    "bank_code",
    "bank_message",
    "approval_code",
    "payer_vpa",
    "card",
    "authentication_id",
    "settled_at",
    "inquire_at",
    "charged_at",
    "voucher",
    "rate_micros",
)
_NOTHING_TRIED = (None,) * len(_TRIED)
_STARTED = ATTEMPT.but("merchant_id", "payment_id", "attempt_id", "inquiries", "charged_at")
_STEP_ARGUMENTS = 3 + len(CHANGED) + len(_STEP) + len(_POSTED) + 2
WRITE_STEP = f"SELECT write_step({numbers(_STEP_ARGUMENTS + len(_TRIED))})"
START_ATTEMPT = f"SELECT start_attempt({numbers(_STEP_ARGUMENTS + len(_STARTED))})"

_OPENED = PAYMENT.but(
    "captured_paise",
    "method",
    "bank_code",
    "bank_message",
    "revision",
    "refunds",
    "refunded_paise",
    "settled_at",
)
_OFFERED = ATTEMPT.only(
    "attempt_id",
    "method",
    "state",
    "amount_paise",
    "currency",
    "connector",
    "created_at",
    "expires_at",
    "inquire_at",
    "risk",
    "route",
)
_NO_OFFER = (None,) * len(_OFFERED)
CREATE_PAYMENT = f"SELECT create_payment({numbers(len(_OPENED) + len(_OFFERED))})"

SELECT_INQUIRIES = """
SELECT merchant_id, attempt_id, connector, inquire_at FROM attempts
WHERE inquire_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY inquire_at LIMIT $3
"""
"""Across merchants: the attempts to ask about now."""
CLAIM_INQUIRIES = f"""
UPDATE attempts SET inquire_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND attempt_id = ANY ($2::bigint[]) AND inquire_at <= $3
RETURNING {ATTEMPT.listed()}
"""
"""The guard on inquire_at lets one of two workers claim a row."""
RESCHEDULE_INQUIRY = """
UPDATE attempts SET inquire_at = $4 WHERE merchant_id = $1 AND attempt_id = $2 AND inquire_at = $3
"""
PUT_BACK_INQUIRY = """
UPDATE attempts SET inquire_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND attempt_id = $2 AND inquire_at = $3
"""
HASTEN_INQUIRY = """
UPDATE attempts SET inquire_at = $3, hastened_at = $3, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND attempt_id = $2 AND inquire_at > $3 AND (hastened_at IS NULL
    OR hastened_at <= $4)
    AND connector = $5
"""
"""An inquiry brought forward is not counted.

Unproven messages must not use up the schedule, whose end gives up.
"""
_HASTENED_AGAIN = "greatest($3, (hastened_at AT TIME ZONE 'UTC' + $4) AT TIME ZONE 'UTC')"
"""In UTC: Citus refuses updates that depend on the session's time zone."""
ASK_AGAIN = f"""
UPDATE attempts SET inquiries = greatest(inquiries - 1, 0),
    inquire_at = {_HASTENED_AGAIN}, hastened_at = {_HASTENED_AGAIN}
WHERE merchant_id = $1 AND attempt_id = $2 AND (inquire_at > {_HASTENED_AGAIN}
    OR inquire_at IS NULL AND state IN ('failed', 'not_registered', 'expired', 'unknown'))
        AND connector = $5
"""
"""Includes failed attempts: the acquirer may have charged after a decline."""
SELECT_OVERDUE = """
SELECT merchant_id, payment_id, '' AS peer, expires_at FROM payments p
WHERE state = 'open' AND expires_at <= $1 AND NOT EXISTS (
    SELECT FROM attempts a WHERE a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
        AND a.state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending'))
ORDER BY expires_at LIMIT $2
"""
"""Excludes payments that may still be paid.

They cannot be closed yet, and many of them would fill the batch.
"""
SELECT_DISPUTED = """
SELECT coalesce(sum(CASE WHEN settled_at IS NULL THEN held_paise ELSE taken_paise END),
    0)::bigint AS paise, coalesce(bool_or(settled_at IS NULL), false) AS open
FROM dispute_stages WHERE merchant_id = $1 AND payment_id = $2 AND phase <> 'retrieval'
"""
SELECT_EVENTS = """
SELECT event_no, at, kind, state, actor, attempt_id FROM payment_events
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no
"""


def view_of(rows: Sequence[Record]) -> PaymentView | None:
    """Return the payment of rows of `VIEW`, with its attempts."""
    if not rows:
        return None
    attempts = tuple(
        ATTEMPT.read(row, len(PAYMENT)) for row in rows if row["attempt_id"] is not None
    )
    return PaymentView(PAYMENT.read(rows[0]), attempts)


async def select_view(db: Queries, merchant_id: int, payment_id: int) -> PaymentView | None:
    """Return a payment with its attempts, for a change: an archived one is brought back."""
    view = view_of(await db.fetch(SELECT_BY_PAYMENT, merchant_id, payment_id))
    if view is None:
        await archive.recall(db, merchant_id, payment_id)  # or another process just has
        view = view_of(await db.fetch(SELECT_BY_PAYMENT, merchant_id, payment_id))
    return view


async def lock_view(conn: Connection, merchant_id: int, payment_id: int) -> PaymentView | None:
    """Return a payment with its attempts, locked until the caller's transaction ends."""
    if not await conn.fetchval(LOCK, merchant_id, payment_id):
        await archive.recall(conn, merchant_id, payment_id)
        await conn.execute(LOCK, merchant_id, payment_id)
    return await select_view(conn, merchant_id, payment_id)


async def select_by_attempt(db: Database, merchant_id: int, attempt_id: int) -> PaymentView | None:
    """Return an attempt's payment with all its attempts, for a change."""
    view = view_of(await db.fetch(SELECT_BY_ATTEMPT, merchant_id, attempt_id))
    if view is None and (payment_id := await archive.by_attempt(db, merchant_id, attempt_id)):
        return await select_view(db, merchant_id, payment_id)
    # Another process may have brought it back between the two looks: the bank's news must not get
    # lost.
    return view or view_of(await db.fetch(SELECT_BY_ATTEMPT, merchant_id, attempt_id))


async def insert_payment(db: Values, payment: Payment, offer: Attempt | None) -> bool:
    """Write a new payment, with the QR it offers; False when the order id is taken.

    Raises asyncpg.UniqueViolationError when the payment's or the attempt's own id is taken.
    """
    offered = _NO_OFFER if offer is None else _OFFERED.values(offer)
    return await db.fetchval(CREATE_PAYMENT, *_OPENED.values(payment), *offered)


async def write_step(
    db: Values, revision: int, step: Step, after: PaymentView, now: datetime
) -> bool:
    """Write a step if the payment still has this revision; return whether it had.

    db: a transaction, where the step belongs to a row of its own that is written with it; else
    `shared`. Raises asyncpg.UniqueViolationError when the order has another success, or when a new
    attempt's id is taken.
    """
    payment, attempt = step.payment, step.attempt
    values = (
        payment.merchant_id,
        payment.payment_id,
        revision,
        *CHANGED.values(payment),
        *_STEP.values(step),
        *(
            zip(*map(_POSTED.values, step.postings), strict=True)
            if step.postings
            else _NOTHING_POSTED
        ),
        now,
        None if step.announce is None else facts_told(after, step),
    )
    if attempt is not None and step.new_attempt:
        return await db.fetchval(START_ATTEMPT, *values, *_STARTED.values(attempt))
    return await db.fetchval(
        WRITE_STEP, *values, *(_NOTHING_TRIED if attempt is None else _TRIED.values(attempt))
    )


async def select_inquiries(db: Database, query: DueQuery) -> list[Due]:
    """Return the attempts to ask about now, most overdue first, without those at some acquirers."""
    rows = await look(db, SELECT_INQUIRIES, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim_inquiries(
    db: Database, merchant_id: int, attempt_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Attempt]:
    """Claim those of a merchant's attempts that are still due."""
    return [
        ATTEMPT.read(row)
        for row in await db.fetch(CLAIM_INQUIRIES, merchant_id, attempt_ids, now, lease_until)
    ]


async def reschedule_inquiry(
    db: Database, merchant_id: int, attempt_id: int, lease_until: datetime, due: datetime | None
) -> None:
    """Set when to ask next, unless that was changed meanwhile."""
    await db.execute(RESCHEDULE_INQUIRY, merchant_id, attempt_id, lease_until, due)


async def put_back_inquiry(db: Database, attempt: Attempt, due: datetime) -> None:
    """Release a claimed inquiry that could not be sent.

    It is not counted and is due again.
    """
    await db.execute(
        PUT_BACK_INQUIRY, attempt.merchant_id, attempt.attempt_id, attempt.inquire_at, due
    )


async def hasten_inquiry(
    db: Database, connector: str, merchant_id: int, attempt_id: int, now: datetime, since: datetime
) -> None:
    """Bring an attempt's next inquiry forward to now, unless that was done after `since`.

    An attempt without a next inquiry, or of another connector, stays as it is.
    """
    await db.execute(HASTEN_INQUIRY, merchant_id, attempt_id, now, since, connector)


async def ask_again(
    db: Database, connector: str, merchant_id: int, attempt_id: int, now: datetime, gap: timedelta
) -> None:
    """Request an inquiry about a connector's attempt, also a closed one.

    At the earliest `gap` after the last such request.
    """
    await db.execute(ASK_AGAIN, merchant_id, attempt_id, now, gap, connector)


async def select_overdue(db: Database, query: DueQuery) -> list[Due]:
    """Return the open payments whose session is over and that cannot be paid any more."""
    return [Due(*row) for row in await look(db, SELECT_OVERDUE, query.until, query.limit)]


async def newest_open(db: Queries, now: datetime) -> tuple[int, int] | None:
    """Return (merchant_id, payment_id) of the open payment that ends last, of any merchant."""
    rows = await look(db, NEWEST_OPEN, now)
    return (rows[0]["merchant_id"], rows[0]["payment_id"]) if rows else None


async def has_event(
    db: Queries, merchant_id: int, payment_id: int, kind: EventKind, at: datetime | None = None
) -> bool:
    """Return whether a payment has an event of a kind. at: its time, None for any."""
    return bool(await db.fetchval(HAS_EVENT, merchant_id, payment_id, kind, at))


async def count_events(db: Queries, merchant_id: int, payment_id: int, kind: EventKind) -> int:
    """Return how many events of a kind a payment has."""
    return await db.fetchval(COUNT_EVENTS, merchant_id, payment_id, kind)


async def select_events(db: Queries, merchant_id: int, payment_id: int) -> list[Record]:
    """Return all events of a payment, oldest first."""
    return await db.fetch(SELECT_EVENTS, merchant_id, payment_id)


async def disputed(conn: Connection, merchant_id: int, payment_id: int) -> Disputed:
    """Return what is disputed or taken of a payment; the caller holds the payment's lock."""
    row = await conn.fetchrow(SELECT_DISPUTED, merchant_id, payment_id)
    return Disputed(row["paise"], row["open"]) if row else Disputed()
