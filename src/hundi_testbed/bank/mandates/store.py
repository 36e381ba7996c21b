"""All SQL of mandates, their notices and their debits."""

from dataclasses import dataclass
from datetime import date, datetime

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.outbox.store import Callback

# The approval is the payment of the same reference, so a mandate is valid once that is paid.
_KEEP = """
INSERT INTO mandates (reference, payee_name, max_paise, valid_from, valid_until, recur, alone)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (reference) DO NOTHING
"""
_FIND = """
SELECT m.reference, m.payee_name, m.max_paise, m.valid_from, m.valid_until, m.recur, m.ended_at,
    m.paused_at, m.alone, coalesce(p.payer_vpa, '') AS payer,
    (coalesce(p.status = 'paid', false) OR m.alone) AS approved,
    coalesce(p.status = 'declined', false) AS refused,
    coalesce(p.method, '') AS method, coalesce(p.amount_paise, 0) AS amount_paise, m.proof,
    coalesce(a.issuer_decision, '') AS issuer_decision,
    lower(coalesce(r.customer, '')) AS customer, coalesce(r.bank_code, '') AS bank_code
FROM mandates m LEFT JOIN payments p USING (reference) LEFT JOIN authentications a USING (reference)
LEFT JOIN redirects r USING (reference)
"""
_FIND_ONE = _FIND + "WHERE m.reference = $1"
_STANDING = (
    _FIND
    + "WHERE (p.status = 'paid' OR m.alone) AND m.ended_at IS NULL ORDER BY p.at DESC LIMIT $1"
)
_END = "UPDATE mandates SET ended_at = $2 WHERE reference = $1 AND ended_at IS NULL"
_NOTICE = """
INSERT INTO mandate_notices (mandate, period_no, amount_paise, debit_at, given_at, reference)
    VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (mandate, period_no) DO UPDATE SET
    amount_paise = $3, debit_at = $4,
    given_at = CASE WHEN mandate_notices.amount_paise = $3 THEN mandate_notices.given_at ELSE $5 END
RETURNING given_at
"""
_FIND_NOTICE = """
SELECT reference, amount_paise, debit_at, given_at FROM mandate_notices
WHERE mandate = $1 AND period_no = $2
"""
# Done by its customer; the gateway does not know yet.
_TELL = """
WITH changed AS ({} AND ended_at IS NULL RETURNING reference)
INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
SELECT $3, reference, $4, $2, $5::timestamptz FROM changed RETURNING true
"""
ACTS = {
    "end": _TELL.format("UPDATE mandates SET ended_at = $2 WHERE reference = $1"),
    "pause": _TELL.format(
        "UPDATE mandates SET paused_at = $2 WHERE reference = $1 AND paused_at IS NULL"
    ),
    "resume": _TELL.format(
        "UPDATE mandates SET paused_at = NULL WHERE reference = $1 AND paused_at <= $2"
    ),
}
_COUNT_TRIES = (
    "SELECT count(*) FROM mandate_debits WHERE mandate = $1 AND period_no = $2 AND reference <> $3"
)
_BEGIN_DEBIT = """
INSERT INTO mandate_debits (reference, mandate, period_no, declined) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
"""
_FIND_DEBIT = "SELECT mandate, period_no FROM mandate_debits WHERE reference = $1"
_NOTE_RETURN = "UPDATE mandate_debits SET declined = true WHERE reference = $1"
# A debit waits like a registration, under a reference that no mandate has.
_MAKE_REGISTRATIONS_DUE = """
UPDATE payments p SET due_at = $1 FROM mandates m
WHERE p.reference = m.reference AND p.method = 'enach' AND p.due = 'answer' AND p.due_at > $1
    RETURNING p.reference
"""
_NOTE_PROOF = "UPDATE mandates SET proof = $2 WHERE reference = $1"


@dataclass(frozen=True, slots=True)
class Mandate:
    """A mandate, approved or only requested.

    method, amount_paise, payer, issuer_decision, customer, bank_code: of the payment that approved
    it. proof: how its customer signed in at the bank. alone: it stands without its first payment.
    refused: the customer's bank declined that payment. ended_at: None while it is valid. paused_at:
    None while its customer allows debits.
    """

    reference: str
    payee_name: str
    max_paise: int
    valid_from: date
    valid_until: date
    recur: str
    payer: str = ""
    approved: bool = False
    method: str = ""
    amount_paise: int = 0
    proof: str = ""
    issuer_decision: str = ""
    customer: str = ""
    bank_code: str = ""
    ended_at: datetime | None = None
    paused_at: datetime | None = None
    alone: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """The announcement of a debit to the customer. reference: the gateway's."""

    reference: str
    amount_paise: int
    debit_at: datetime
    given_at: datetime

    @property
    def name(self) -> str:
        """Return the bank's own name of the notice."""
        return f"NTC-{self.reference}"


@dataclass(frozen=True, slots=True)
class BankDebit:
    """A try to debit one period of a mandate."""

    mandate: str
    period_no: int


async def keep(db: BankDatabase, mandate: Mandate) -> None:
    """Write the terms that a customer is asked to approve.

    The same reference again changes nothing.
    """
    await db.fetch(
        _KEEP,
        mandate.reference,
        mandate.payee_name,
        mandate.max_paise,
        mandate.valid_from,
        mandate.valid_until,
        mandate.recur,
        mandate.alone,
    )


async def find(db: BankDatabase, reference: str) -> Mandate | None:
    """Return a mandate with its customer's decision."""
    row = await db.fetchrow(_FIND_ONE, reference)
    return Mandate(**dict(row)) if row else None


async def standing(db: BankDatabase, limit: int) -> list[Mandate]:
    """Return the approved mandates that have not ended, newest first."""
    return [Mandate(**dict(row)) for row in await db.fetch(_STANDING, limit)]


async def end(db: BankDatabase, reference: str, now: datetime) -> None:
    """End a mandate; an ended one stays as it is."""
    await db.fetch(_END, reference, now)


async def act_and_tell(db: BankDatabase, act: str, callback: Callback) -> bool:
    """End, pause or resume a mandate as its customer does, with the callback about it.

    False when that changes nothing.
    """
    callback_values = (
        callback.reference,
        callback.created_at,
        callback.event_id,
        callback.body,
        callback.due_at,
    )
    return await db.fetchval(ACTS[act], *callback_values) is True


async def keep_notice(db: BankDatabase, mandate: str, period_no: int, notice: Notice) -> datetime:
    """Announce a debit to the customer, and return when; the same notice keeps its first time."""
    of_notice = notice.amount_paise, notice.debit_at, notice.given_at, notice.reference
    return await db.fetchval(_NOTICE, mandate, period_no, *of_notice)


async def find_notice(db: BankDatabase, mandate: str, period_no: int) -> Notice | None:
    """Return the announcement of one period's debit."""
    row = await db.fetchrow(_FIND_NOTICE, mandate, period_no)
    return Notice(**dict(row)) if row else None


async def tries_before(db: BankDatabase, mandate: str, period_no: int, reference: str) -> int:
    """Return the number of tries of one period's debit under other references."""
    return await db.fetchval(_COUNT_TRIES, mandate, period_no, reference)


async def begin_debit(
    db: BankDatabase, reference: str, mandate: str, period_no: int, *, declined: bool
) -> bool:
    """Write a debit; False when its period has another one that is not declined."""
    await db.fetch(_BEGIN_DEBIT, reference, mandate, period_no, declined)
    earlier = await find_debit(db, reference)
    return earlier is not None and (earlier.mandate, earlier.period_no) == (mandate, period_no)


async def find_debit(db: BankDatabase, reference: str) -> BankDebit | None:
    """Return the mandate and period of a debit."""
    row = await db.fetchrow(_FIND_DEBIT, reference)
    return BankDebit(**dict(row)) if row else None


async def note_return(db: BankDatabase, reference: str) -> None:
    """Write that the customer's bank returned a debit."""
    await db.fetch(_NOTE_RETURN, reference)


async def note_proof(db: BankDatabase, reference: str, proof: str) -> None:
    """Write how a mandate's customer signed in at the bank's page."""
    await db.fetch(_NOTE_PROOF, reference, proof)


async def make_registrations_due(db: BankDatabase, now: datetime) -> int:
    """Make every bank answer its waiting mandates now; return their number."""
    return len(await db.fetch(_MAKE_REGISTRATIONS_DUE, now))
