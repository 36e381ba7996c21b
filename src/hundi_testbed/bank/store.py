"""All SQL of the bank: payments, challenges, books, the outbox of callbacks, fault settings."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.rules import BankCardFacts, IssuerDecision, Status
from hundi_testbed.bank.states import BankPayment, entry_of


@dataclass(frozen=True, slots=True)
class Challenge:
    """A card waiting for its holder, or how that ended (trans_status Y or N)."""

    authentication_id: str
    reference: str
    return_url: str
    card: BankCardFacts
    issuer_decision: IssuerDecision
    expires_at: datetime
    tries: int = 0
    trans_status: str = ""


PAYMENT_COLUMNS = (
    "reference, method, amount_paise, currency, status, at, code, message, rrn, payer_vpa,"
    " approval_code, trans_status,"
    " due, due_at, settles_to, quiet, expires_at"
)

# The rows of a decision besides the payment: its entry and its callback, each only if there is one.
_BOOK_AND_QUEUE = """
booked AS (
    INSERT INTO entries (at, kind, method, reference, rrn, amount_paise, state)
    SELECT $6, $18::text, $2, $1, $9, $3, $19::text FROM decided WHERE $18::text IS NOT NULL),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $20, $1, $21, $6, $22::timestamptz FROM decided WHERE $20::text IS NOT NULL)
SELECT count(*) FROM decided
"""
_DECIDED_ANEW = f"""
WITH decided AS (
    INSERT INTO payments AS p ({PAYMENT_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    ON CONFLICT (reference) DO UPDATE SET
        amount_paise = $3, status = $5, at = $6, code = $7, message = $8, rrn = $9, payer_vpa = $10,
        due = $13, due_at = $14, settles_to = $15, quiet = $16, expires_at = $17
    WHERE $23 AND p.method = $2 AND p.status = 'declined'
    RETURNING reference),
"""
_OPEN = _DECIDED_ANEW + _BOOK_AND_QUEUE
_AUTHENTICATION_COLUMNS = (
    "authentication_id, reference, return_url, last4, scheme, type, issuer, country,"
    " issuer_decision, expires_at, token"
)
_OPEN_MOTO = f"""{_DECIDED_ANEW}
card_kept AS (
    INSERT INTO authentications ({_AUTHENTICATION_COLUMNS}, trans_status)
    SELECT $24, reference, $25, $26, $27, $28, $29, $30, $31, $32::timestamptz, $33, 'U'
        FROM decided),
{_BOOK_AND_QUEUE}"""
_DECIDE = f"""
WITH decided AS (
    UPDATE payments SET
        status = $5, at = $6, code = $7, message = $8, rrn = $9, approval_code = $11,
        trans_status = $12, due = $13, due_at = $14, settles_to = $15, quiet = $16
    WHERE reference = $1 AND method = $2 AND amount_paise = $3 AND currency = $4 AND payer_vpa = $10
      AND expires_at IS NOT DISTINCT FROM $17 AND status = $23 AND due IS NOT DISTINCT FROM $24
    RETURNING reference),
{_BOOK_AND_QUEUE}"""
_SETTLE = """
WITH decided AS (
    UPDATE payments SET
        status = settles_to, code = '00', message = $3, approval_code = $4, due = NULL,
            due_at = NULL, at = $2
    WHERE reference = $1 AND rrn = $5 AND due = 'settle' AND due_at <= $2
    RETURNING reference, rrn),
booked AS (
    UPDATE entries SET state = 'done', at = $2
    FROM decided WHERE entries.rrn = decided.rrn AND entries.state IN ('pending', 'declined')),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $6, $1, $7, $2, $8::timestamptz FROM decided WHERE $6::text IS NOT NULL)
SELECT count(*) FROM decided
"""


def payment_arguments(payment: BankPayment) -> tuple[object, ...]:
    """Return a payment's values in the order of PAYMENT_COLUMNS."""
    p = payment
    return (
        p.reference, p.method, p.amount_paise, p.currency, p.status, p.at, p.code, p.message, p.rrn,
        p.payer_vpa, p.approval_code, p.trans_status, p.due, p.due_at, p.settles_to, p.quiet,
        p.expires_at,
    )  # fmt: skip


def _entry_arguments(payment: BankPayment, *, booked: bool) -> tuple[str | None, str | None]:
    return entry_of(payment) if booked else (None, None)


def _callback_arguments(
    callback: Callback | None,
) -> tuple[str | None, str | None, datetime | None]:
    return (callback.event_id, callback.body, callback.due_at) if callback else (None, None, None)


async def open_payment(
    db: BankDatabase, payment: BankPayment, callback: Callback | None, *, booked: bool, again: bool
) -> bool:
    """Write a new payment, its entry and its callback in one statement; False for a used reference.

    booked: money was asked of an account, so the books get an entry. again: a declined payment of
    the reference gives way to this one.
    """
    arguments = (
        *payment_arguments(payment),
        *_entry_arguments(payment, booked=booked),
        *_callback_arguments(callback),
        again,
    )
    return await db.write(_OPEN, *arguments) == 1


async def decide(
    db: BankDatabase,
    before: BankPayment,
    after: BankPayment,
    callback: Callback | None,
    *,
    booked: bool,
) -> bool:
    """Write a decision with its entry and callback; False when the payment has changed since."""
    entry = _entry_arguments(after, booked=booked)
    arguments = (
        *payment_arguments(after),
        *entry,
        *_callback_arguments(callback),
        before.status,
        before.due,
    )
    return await db.fetchval(_DECIDE, *arguments) == 1


async def settle(
    db: BankDatabase, payment: BankPayment, settled: BankPayment, callback: Callback | None
) -> bool:
    """Let a due payment succeed, with entry and callback; False if another request changed it."""
    arguments = (payment.reference, settled.at, settled.message, settled.approval_code, payment.rrn)
    return await db.fetchval(_SETTLE, *arguments, *_callback_arguments(callback)) == 1


def payment_of(row: asyncpg.Record) -> BankPayment:
    """Return a payment from its row."""
    values: dict[str, Any] = dict(row)
    values["status"], values["settles_to"] = Status(values["status"]), Status(values["settles_to"])
    return BankPayment(**values)


FIND_PAYMENT = f"""
SELECT {PAYMENT_COLUMNS}, captured_paise, coalesce((SELECT rrn FROM entries
    WHERE reference = $1 AND kind IN ('capture', 'void')), '') AS ended_rrn
FROM payments WHERE reference = $1
"""


async def find_payment(db: BankDatabase, reference: str) -> BankPayment | None:
    """Return the payment of a reference."""
    row = await db.fetchrow(FIND_PAYMENT, reference)
    return payment_of(row) if row else None


async def due_payments(db: BankDatabase, now: datetime, limit: int) -> list[BankPayment]:
    """Return payments with work due by now, oldest first."""
    query = f"SELECT {PAYMENT_COLUMNS} FROM payments WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
    return [payment_of(row) for row in await db.fetch(query, now, limit)]


_OPEN_CHALLENGE = f"""
WITH opened AS (
    INSERT INTO payments ({PAYMENT_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    ON CONFLICT (reference) DO NOTHING
    RETURNING reference)
INSERT INTO authentications ({_AUTHENTICATION_COLUMNS})
SELECT $18, reference, $19, $20, $21, $22, $23, $24, $25, $26::timestamptz, $27 FROM opened
RETURNING true
"""
_CHALLENGE_COLUMNS = f"{_AUTHENTICATION_COLUMNS}, tries, trans_status"


async def open_challenge(db: BankDatabase, payment: BankPayment, challenge: Challenge) -> bool:
    """Write a card payment that waits for its holder; False when the reference is used."""
    arguments = (*payment_arguments(payment), *_challenge_arguments(challenge))
    return await db.fetchval(_OPEN_CHALLENGE, *arguments) is True


async def open_moto(
    db: BankDatabase, payment: BankPayment, challenge: Challenge, callback: Callback | None
) -> bool:
    """Write a decided card payment without a challenge (MOTO); False when the reference is used."""
    arguments = (
        *payment_arguments(payment),
        *_entry_arguments(payment, booked=True),
        *_callback_arguments(callback),
        False,
        *_challenge_arguments(challenge),
    )
    return await db.fetchval(_OPEN_MOTO, *arguments) == 1


def _challenge_arguments(challenge: Challenge) -> tuple[object, ...]:
    c, card = challenge, challenge.card
    facts = (card.last4, card.scheme, card.type, card.issuer, card.country)
    return (c.authentication_id, c.return_url, *facts, c.issuer_decision, c.expires_at, card.token)


def _challenge(row: asyncpg.Record) -> Challenge:
    return Challenge(
        authentication_id=row["authentication_id"],
        reference=row["reference"],
        return_url=row["return_url"],
        card=BankCardFacts(
            row["last4"], row["scheme"], row["type"], row["issuer"], row["country"], row["token"]
        ),
        issuer_decision=IssuerDecision(row["issuer_decision"]),
        expires_at=row["expires_at"],
        tries=row["tries"],
        trans_status=row["trans_status"],
    )


async def find_challenge(db: BankDatabase, authentication_id: str) -> Challenge | None:
    """Return a challenge by its own id."""
    query = f"SELECT {_CHALLENGE_COLUMNS} FROM authentications WHERE authentication_id = $1"
    row = await db.fetchrow(query, authentication_id)
    return _challenge(row) if row else None


async def challenge_of(db: BankDatabase, reference: str) -> Challenge | None:
    """Return the challenge of a payment."""
    row = await db.fetchrow(
        f"SELECT {_CHALLENGE_COLUMNS} FROM authentications WHERE reference = $1", reference
    )
    return _challenge(row) if row else None


async def stale_challenges(db: BankDatabase, now: datetime, limit: int) -> list[Challenge]:
    """Return expired open challenges."""
    query = (
        f"SELECT {_CHALLENGE_COLUMNS} FROM authentications WHERE trans_status = '' AND expires_at"
        " <= $1 LIMIT $2"
    )
    return [_challenge(row) for row in await db.fetch(query, now, limit)]


async def take_try(db: BankDatabase, challenge: Challenge, most: int) -> int | None:
    """Use a try of a challenge; return the number before it, None when none is left or it ended."""
    query = """
        UPDATE authentications SET tries = tries + 1
        WHERE authentication_id = $1 AND tries < $2 AND trans_status = '' RETURNING tries - 1"""
    return await db.fetchval(query, challenge.authentication_id, most)


_END_CHALLENGE = """
WITH ended AS (
    UPDATE authentications SET trans_status = $2
    WHERE authentication_id = $1 AND trans_status = '' RETURNING reference),
decided AS (
    UPDATE payments SET status = $3, code = $4, message = $5, trans_status = $2, at = $6
    FROM ended WHERE payments.reference = ended.reference AND payments.status = 'challenge'
    RETURNING payments.reference),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $7, reference, $8, $6, $9::timestamptz FROM decided)
SELECT count(*) FROM decided
"""


async def end_challenge(
    db: BankDatabase, challenge: Challenge, payment: BankPayment, callback: Callback
) -> bool:
    """Write the end of a challenge and queue its callback; False when it had ended."""
    arguments = (
        payment.trans_status,
        payment.status,
        payment.code,
        payment.message,
        payment.at,
        *_callback_arguments(callback),
    )
    return await db.fetchval(_END_CHALLENGE, challenge.authentication_id, *arguments) == 1


async def next_due(db: BankDatabase) -> datetime | None:
    """Return when the next payment, challenge or callback is due."""
    return await db.fetchval("""
        SELECT least((SELECT min(due_at) FROM payments WHERE due_at IS NOT NULL),
                     (SELECT min(expires_at) FROM authentications WHERE trans_status = ''),
                     (SELECT min(expires_at) FROM redirects WHERE step <> 'ended'),
                     (SELECT min(due_at) FROM disputes WHERE due_at IS NOT NULL),
                     (SELECT min(due_at) FROM callbacks WHERE due_at IS NOT NULL))""")


async def read_faults(db: BankDatabase) -> str | None:
    """Return the fault settings, as JSON."""
    return await db.fetchval("SELECT setting FROM fault_settings")


async def write_faults(db: BankDatabase, setting: str) -> None:
    """Write the fault settings, so that a restart does not end the faults."""
    query = (
        "INSERT INTO fault_settings (setting) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET"
        " setting = $1"
    )
    await db.fetch(query, setting)


async def is_reachable(db: BankDatabase) -> bool:
    """Return whether the database can be read."""
    return await db.fetchval("SELECT true") is True
