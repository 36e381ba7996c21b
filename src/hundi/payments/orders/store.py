"""All SQL about payments, their attempts and their events.

A step is one statement: the payment's row is changed only if its revision is the one that was decided on, and all
else (attempt, event, posting, announcement) hangs on that change. One round trip, and no two writers ever mix.
Statements are put together from the stores' own constants, never from a value.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from hundi.infra.database import Database, Queries
from hundi.infra.due_rows import Due
from hundi.instruments.card import CardFacts
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentKind, PaymentState
from hundi.money.ledger import store as ledger
from hundi.money.ledger.store import POSTING_CLAUSE
from hundi.notifications.store import DELIVERY_CLAUSE
from hundi.payments.orders.rules import Attempt, Buyer, EmiTerms, Payment, PaymentView, Step, facts_of

_ATTEMPT_COLUMNS = """merchant_id, attempt_id, payment_id, method, state, amount_paise, currency, connector, created_at,
    expires_at, received_paise, rrn, bank_code, bank_message, approval_code, payer_vpa, card, authentication_id,
    settled_at, inquire_at, bank, emi_months, emi_rate_bps, emi_discount_paise"""

_VIEW = """
SELECT p.merchant_id, p.payment_id, p.order_id, p.content_hash, p.amount_paise, p.currency, p.kind, p.state,
       p.captured_paise, p.method, p.buyer, p.custom_var, p.channels, p.bank_code, p.bank_message, p.revision,
       p.created_at, p.expires_at, p.refunds, p.refunded_paise, p.emi_months AS asked_months,
       a.attempt_id, a.method AS a_method, a.state AS a_state, a.amount_paise AS a_amount_paise,
       a.currency AS a_currency, a.connector, a.created_at AS a_created_at, a.expires_at AS a_expires_at,
       a.received_paise, a.rrn,
       a.bank_code AS a_bank_code, a.bank_message AS a_bank_message, a.approval_code, a.payer_vpa, a.card,
       a.authentication_id, a.settled_at, a.inquire_at, a.inquiries, a.charged_at,
       a.bank, a.emi_months, a.emi_rate_bps, a.emi_discount_paise
FROM payments p LEFT JOIN attempts a ON a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
"""
_IN_ORDER = " ORDER BY a.created_at, a.attempt_id"

SELECT_BY_PAYMENT = _VIEW + "WHERE p.merchant_id = $1 AND p.payment_id = $2" + _IN_ORDER
SELECT_BY_ORDER = _VIEW + "WHERE p.merchant_id = $1 AND p.order_id = $2" + _IN_ORDER
SELECT_BY_ATTEMPT = (
    _VIEW  # noqa: S608 (constants only)
    + """WHERE p.merchant_id = $1
AND p.payment_id = (SELECT payment_id FROM attempts WHERE merchant_id = $1 AND attempt_id = $2)"""
    + _IN_ORDER
)
SELECT_BY_RRN = (
    _VIEW  # noqa: S608 (constants only)
    + """WHERE p.merchant_id = $1
AND p.payment_id = (SELECT payment_id FROM attempts WHERE merchant_id = $1 AND rrn = $2 AND rrn <> ''
                    ORDER BY created_at DESC LIMIT 1)"""
    + _IN_ORDER
)

_INSERT_ATTEMPT = f"""
    INSERT INTO attempts ({_ATTEMPT_COLUMNS})
    SELECT merchant_id, attempt_id, payment_id, $21, $22, $23, $13, $24, $25, $26, $12, $27, $28, $29, $30, $31, $32,
        $33, $34, $35, $36, $37, $38, $39
    FROM settled
"""  # noqa: S608 (constants only)
_UPDATE_ATTEMPT = """
    UPDATE attempts SET state = $21, received_paise = $12, rrn = $22, bank_code = $23, bank_message = $24,
        approval_code = $25, payer_vpa = $26, card = $27, authentication_id = $28, settled_at = $29, inquire_at = $30,
        charged_at = $31,
        inquiries = CASE WHEN attempts.state = 'offered' THEN 0 ELSE attempts.inquiries END
    FROM settled WHERE attempts.merchant_id = settled.merchant_id AND attempts.attempt_id = settled.attempt_id
"""
EVENT_CLAUSE = """
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    SELECT merchant_id, payment_id, event_no, at, event_kind, event_state, event_actor, attempt_id FROM settled
"""
"""Tells the story of a payment on: an event for each row of the CTE `settled`, which has these columns."""
_SETTLED = """
WITH settled AS (
    UPDATE payments SET state = $4, method = $5, captured_paise = $6, bank_code = $7, bank_message = $8,
        expires_at = $9, revision = revision + 1
    WHERE merchant_id = $1 AND payment_id = $2 AND revision = $3
    RETURNING merchant_id, payment_id, revision AS event_no, state AS event_state, $10::bigint AS attempt_id,
        $11::timestamptz AS at, $12::bigint AS received_paise, $13::text AS currency, $14::text AS posting_kind,
        $15::text AS posting_debit, $16::text AS posting_credit, $17::text AS announced_kind, $18::jsonb AS facts,
        $19::text AS event_kind, $20::text AS event_actor
)"""
_STEP_END = f""",
told AS ({EVENT_CLAUSE}),
posted AS ({POSTING_CLAUSE}),
announced AS ({DELIVERY_CLAUSE})
SELECT event_no FROM settled
"""  # noqa: S608 (constants only)
WRITE_STEP = _SETTLED + _STEP_END
WRITE_STEP_WITH_ATTEMPT = f"{_SETTLED}, tried AS ({_UPDATE_ATTEMPT})" + _STEP_END
WRITE_STEP_WITH_NEW_ATTEMPT = f"{_SETTLED}, tried AS ({_INSERT_ATTEMPT})" + _STEP_END

_CREATED = f"""
WITH settled AS (
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind, state, buyer,
        custom_var, channels, created_at, expires_at, emi_months)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $15)
    ON CONFLICT (merchant_id, order_id) DO NOTHING
    RETURNING merchant_id, payment_id, revision AS event_no, state AS event_state, '{EventKind.CREATED}' AS event_kind,
        '{Actor.MERCHANT}' AS event_actor, created_at AS at, $14::bigint AS attempt_id
)"""  # noqa: S608 (constants only)
_FIRST_OFFER = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise, currency, connector,
        created_at, expires_at, inquire_at)
    SELECT merchant_id, attempt_id, payment_id, $16, $17, $5, $6, $18, at, $19, $20 FROM settled
"""
_CREATE_END = f", told AS ({EVENT_CLAUSE}) SELECT payment_id FROM settled"  # noqa: S608 (constants only)
INSERT_PAYMENT = _CREATED + _CREATE_END
INSERT_PAYMENT_WITH_OFFER = f"{_CREATED}, offered AS ({_FIRST_OFFER})" + _CREATE_END

SELECT_INQUIRIES = """
SELECT merchant_id, attempt_id, connector FROM attempts
WHERE inquire_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY inquire_at LIMIT $3
"""
"""Across merchants: the attempts to ask about now."""
CLAIM_INQUIRIES = """
UPDATE attempts SET inquire_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND attempt_id = ANY ($2::bigint[]) AND inquire_at <= $3
RETURNING merchant_id, attempt_id, payment_id, method, state, amount_paise, currency, connector, created_at,
    expires_at, received_paise, rrn, bank_code, bank_message, approval_code, payer_vpa, card, authentication_id,
    settled_at, inquire_at, inquiries, charged_at, bank, emi_months, emi_rate_bps, emi_discount_paise
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
WHERE merchant_id = $1 AND attempt_id = $2 AND inquire_at > $3 AND (hastened_at IS NULL OR hastened_at <= $4)
"""
"""The inquiry it causes counts for nothing: unproven messages must not use up the schedule, whose end gives up."""
SELECT_OVERDUE = """
SELECT merchant_id, payment_id FROM payments p
WHERE state = 'open' AND expires_at <= $1 AND NOT EXISTS (
    SELECT FROM attempts a WHERE a.merchant_id = p.merchant_id AND a.payment_id = p.payment_id
        AND a.state IN ('offered', 'sent', 'authenticating', 'authorising', 'pending'))
ORDER BY expires_at LIMIT $2
"""
"""Without those that may still be paid: they cannot be closed yet, and many of them would crowd out the others."""
SELECT_EVENTS = """
SELECT event_no, at, kind, state, actor, attempt_id FROM payment_events
WHERE merchant_id = $1 AND payment_id = $2 ORDER BY event_no
"""


def _attempt(row: Record, prefix: str = "") -> Attempt:
    return Attempt(
        merchant_id=row["merchant_id"],
        attempt_id=row["attempt_id"],
        payment_id=row["payment_id"],
        method=row[prefix + "method"],
        state=AttemptState(row[prefix + "state"]),
        amount_paise=row[prefix + "amount_paise"],
        currency=row[prefix + "currency"],
        connector=row["connector"],
        created_at=row[prefix + "created_at"],
        expires_at=row[prefix + "expires_at"],
        received_paise=row["received_paise"],
        rrn=row["rrn"],
        bank_code=row[prefix + "bank_code"],
        bank_message=row[prefix + "bank_message"],
        approval_code=row["approval_code"],
        payer_vpa=row["payer_vpa"],
        card=CardFacts(**row["card"]),
        authentication_id=row["authentication_id"],
        settled_at=row["settled_at"],
        inquire_at=row["inquire_at"],
        inquiries=row["inquiries"],
        charged_at=row["charged_at"],
        bank=row["bank"],
        emi=EmiTerms(row["emi_months"], row["emi_rate_bps"], row["emi_discount_paise"]),
    )


def _payment(row: Record) -> Payment:
    return Payment(
        merchant_id=row["merchant_id"],
        payment_id=row["payment_id"],
        order_id=row["order_id"],
        content_hash=row["content_hash"],
        amount_paise=row["amount_paise"],
        currency=row["currency"],
        kind=PaymentKind(row["kind"]),
        state=PaymentState(row["state"]),
        captured_paise=row["captured_paise"],
        method=row["method"],
        buyer=Buyer(**row["buyer"]),
        custom_var=row["custom_var"],
        channels=tuple(row["channels"]),
        bank_code=row["bank_code"],
        bank_message=row["bank_message"],
        revision=row["revision"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        refunds=row["refunds"],
        refunded_paise=row["refunded_paise"],
        emi_months=row["asked_months"],
    )


def _view(rows: Sequence[Record]) -> PaymentView | None:
    if not rows:
        return None
    attempts = tuple(_attempt(row, "a_") for row in rows if row["attempt_id"] is not None)
    return PaymentView(_payment(rows[0]), attempts)


async def select_view(db: Queries, merchant_id: int, payment_id: int) -> PaymentView | None:
    """Return a payment with its attempts."""
    return _view(await db.fetch(SELECT_BY_PAYMENT, merchant_id, payment_id))


async def select_by_attempt(db: Database, merchant_id: int, attempt_id: int) -> PaymentView | None:
    """Return the payment that an attempt belongs to, with all its attempts."""
    return _view(await db.fetch(SELECT_BY_ATTEMPT, merchant_id, attempt_id))


async def select_by_references(
    db: Database, merchant_id: int, order_id: str | None, payment_id: int | None, rrn: str | None
) -> PaymentView | None:
    """Return the payment that every given reference agrees on: one is looked up, the others are compared."""
    if payment_id is not None:
        found = await select_view(db, merchant_id, payment_id)
    elif order_id is not None:
        found = _view(await db.fetch(SELECT_BY_ORDER, merchant_id, order_id))
    else:
        found = _view(await db.fetch(SELECT_BY_RRN, merchant_id, rrn))
    if found is None:
        return None
    agrees = (order_id is None or found.payment.order_id == order_id) and (
        rrn is None or any(each.rrn == rrn for each in found.attempts)
    )
    return found if agrees else None


async def insert_payment(db: Database, payment: Payment, offer: Attempt | None) -> bool:
    """Write a new payment, with the QR it offers; False when the order id is taken.

    Raises asyncpg.UniqueViolationError when the payment's or the attempt's own id is taken.
    """
    values: list[Any] = [
        payment.merchant_id,
        payment.payment_id,
        payment.order_id,
        payment.content_hash,
        payment.amount_paise,
        payment.currency,
        payment.kind,
        payment.state,
        msgspec.to_builtins(payment.buyer),
        payment.custom_var,
        payment.channels,
        payment.created_at,
        payment.expires_at,
        offer.attempt_id if offer else None,
        payment.emi_months,
    ]
    if offer is None:
        return await db.fetchval(INSERT_PAYMENT, *values) is not None
    values += [offer.method, offer.state, offer.connector, offer.expires_at, offer.inquire_at]
    return await db.fetchval(INSERT_PAYMENT_WITH_OFFER, *values) is not None


def _attempt_values(attempt: Attempt, *, new: bool) -> list[Any]:
    first = [
        attempt.method,
        attempt.state,
        attempt.amount_paise,
        attempt.connector,
        attempt.created_at,
        attempt.expires_at,
    ]
    chosen = (attempt.bank, attempt.emi.months, attempt.emi.rate_bps, attempt.emi.discount_paise)
    return [
        *(first if new else [attempt.state]),
        attempt.rrn,
        attempt.bank_code,
        attempt.bank_message,
        attempt.approval_code,
        attempt.payer_vpa,
        msgspec.to_builtins(attempt.card),
        attempt.authentication_id,
        attempt.settled_at,
        attempt.inquire_at,
        *(chosen if new else (attempt.charged_at,)),
    ]


async def write_step(db: Database, revision: int, step: Step, after: PaymentView, now: datetime) -> bool:
    """Write a step if the payment still has the revision it was decided on; False when somebody else changed it.

    Raises asyncpg.UniqueViolationError when the order has another success, or when a new attempt's id is taken.
    """
    payment, attempt = step.payment, step.attempt
    posting = step.postings[0] if step.postings else None
    values: list[Any] = [
        payment.merchant_id,
        payment.payment_id,
        revision,
        payment.state,
        payment.method,
        payment.captured_paise,
        payment.bank_code,
        payment.bank_message,
        payment.expires_at,
        attempt.attempt_id if attempt else None,
        now,
        attempt.received_paise if attempt else 0,
        payment.currency,
        posting.kind if posting else "",
        posting.debit if posting else "",
        posting.credit if posting else "",
        step.announce or "",
        None if step.announce is None else msgspec.to_builtins(facts_of(after)),
        step.kind,
        step.actor,
    ]
    statement = WRITE_STEP
    if attempt is not None:
        statement = WRITE_STEP_WITH_NEW_ATTEMPT if step.new_attempt else WRITE_STEP_WITH_ATTEMPT
        values += _attempt_values(attempt, new=step.new_attempt)
    if len(step.postings) <= 1:
        return await db.fetchval(statement, *values) is not None
    async with db.transaction() as conn:
        if await conn.fetchval(statement, *values) is None:
            return False
        await ledger.post(conn, step.postings[1:])
    return True


async def select_inquiries(db: Database, now: datetime, without: Collection[str], limit: int) -> list[Due]:
    """Return the attempts to ask about now, most overdue first, without those at some acquirers."""
    rows = await db.fetch(SELECT_INQUIRIES, now, list(without), limit)
    return [Due(row["merchant_id"], row["attempt_id"], row["connector"]) for row in rows]


async def claim_inquiries(
    db: Database, merchant_id: int, attempt_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Attempt]:
    """Claim those of a merchant's attempts that are still to be asked about now."""
    return [_attempt(row) for row in await db.fetch(CLAIM_INQUIRIES, merchant_id, attempt_ids, now, lease_until)]


async def reschedule_inquiry(
    db: Database, merchant_id: int, attempt_id: int, lease_until: datetime, due: datetime | None
) -> None:
    """Set when to ask next, unless something moved meanwhile."""
    await db.execute(RESCHEDULE_INQUIRY, merchant_id, attempt_id, lease_until, due)


async def put_back_inquiry(db: Database, attempt: Attempt, due: datetime) -> None:
    """Give back a claimed inquiry that could not be asked: it counts for nothing and is due again."""
    await db.execute(PUT_BACK_INQUIRY, attempt.merchant_id, attempt.attempt_id, attempt.inquire_at, due)


async def hasten_inquiry(db: Database, merchant_id: int, attempt_id: int, now: datetime, since: datetime) -> None:
    """Bring an attempt's next inquiry forward to now, unless that was done after `since`.

    An attempt that is not being asked about stays so.
    """
    await db.execute(HASTEN_INQUIRY, merchant_id, attempt_id, now, since)


async def select_overdue(db: Database, now: datetime, limit: int) -> list[Due]:
    """Return the open payments whose session is over and of which nothing can come."""
    return [Due(row["merchant_id"], row["payment_id"]) for row in await db.fetch(SELECT_OVERDUE, now, limit)]


async def select_events(db: Database, merchant_id: int, payment_id: int) -> list[Record]:
    """Return the whole story of a payment, oldest first."""
    return await db.fetch(SELECT_EVENTS, merchant_id, payment_id)
