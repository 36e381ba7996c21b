"""All SQL of direct shares: the parties of linked accounts, and the shares."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.ledger.rules import Posting
from hundi.payments.direct_shares.rules import (
    HASTEN_GAP,
    NOTE_MAX,
    DirectShare,
    DirectShareState,
    LinkedParty,
    ShareCause,
    ShareChange,
    begun,
)
from hundi.payments.orders.rules import PaymentView

SHARE = Table(DirectShare, {"state": Field(DirectShareState)})
_CHANGED = SHARE.only(
    "state",
    "sent_paise",
    "transfer_id",
    "code",
    "message",
    "utr",
    "sent_at",
    "called_at",
    "ended_at",
    "settled_at",
    "due_at",
    "inquiries",
    "late_at",
)

SELECT_PARTIES = """
SELECT identifier, connector, party FROM linked_parties
WHERE merchant_id = $1 AND ended_at IS NULL ORDER BY identifier, connector
"""
END_PARTY = """
UPDATE linked_parties SET ended_at = $4
WHERE merchant_id = $1 AND identifier = $2 AND connector = $3 AND ended_at IS NULL
RETURNING party
"""
COUNT_PARTIES = """
SELECT count(*) FROM linked_parties
WHERE merchant_id = $1 AND identifier = $2 AND connector = $3
"""
INSERT_PARTY = """
INSERT INTO linked_parties (merchant_id, identifier, connector, party_no, party, added_by, added_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
SELECT_DIGEST = """
SELECT encode(sha256(convert_to((jsonb_build_array(name, encode(sealed_number, 'hex'), last4, ifsc,
    ledger_account, extract(epoch FROM created_at), extract(epoch FROM closed_at)) || coalesce((
        SELECT jsonb_agg(connector || ' ' || party ORDER BY connector) FROM linked_parties
        WHERE merchant_id = $1 AND identifier = $2 AND ended_at IS NULL), '[]'))::text, 'UTF8')),
    'hex')
FROM linked_accounts WHERE merchant_id = $1 AND identifier = $2
"""
"""An account with its parties at acquirers; one without any has the digest of versions before."""
INSERT = f"INSERT INTO direct_shares ({SHARE.listed()}) VALUES ({SHARE.numbered(1)})"
UPDATE = f"""
UPDATE direct_shares SET revision = revision + $5, {_CHANGED.assigned(7)}
WHERE merchant_id = $1 AND share_id = $2 AND state = $3 AND revision = $4
    AND called_at IS NOT DISTINCT FROM $6
RETURNING revision
"""
"""The guard on called_at lets one of two workers send a share again."""
INSERT_EVENT = """
INSERT INTO direct_share_events (merchant_id, share_id, event_no, at, state, note)
VALUES ($1, $2, $3, $4, $5, $6)
"""
INSERT_POSTING = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
LOCK = f"""
SELECT {SHARE.listed()} FROM direct_shares WHERE merchant_id = $1 AND share_id = $2 FOR UPDATE
"""
LOCK_WAITING = f"""
SELECT {SHARE.listed()} FROM direct_shares
WHERE merchant_id = $1 AND payment_id = $2 AND state = 'waiting' ORDER BY share_id FOR UPDATE
"""
# The audit's conditions for a share, looked at again in the transaction that sends it.
SELECT_CAUSE = """
SELECT m.state = 'active' AS is_active, l.closed_at IS NULL AND EXISTS (SELECT FROM linked_parties p
        WHERE p.merchant_id = $1 AND p.identifier = d.identifier AND p.connector = d.connector
            AND p.party = d.party AND p.ended_at IS NULL) AS stands
FROM direct_shares d
    JOIN merchants m ON m.merchant_id = d.merchant_id
    JOIN split_configurations c ON c.merchant_id = d.merchant_id AND c.request_id = d.request_id
        AND c.payment_id = d.payment_id AND c.base_paise = d.base_paise
        AND c.created_at = d.created_at AND c.replaced_at IS NULL
    JOIN split_parts s ON s.merchant_id = d.merchant_id AND s.request_id = d.request_id
        AND s.identifier = d.identifier AND s.amount_paise = d.amount_paise
    JOIN attempts a ON a.merchant_id = d.merchant_id AND a.attempt_id = d.attempt_id
        AND a.payment_id = d.payment_id AND a.connector = d.connector
    JOIN linked_accounts l ON l.merchant_id = d.merchant_id AND l.identifier = d.identifier
    JOIN ledger_postings g ON g.merchant_id = d.merchant_id AND g.cause_id = d.share_id
        AND g.kind = 'direct_begun' AND g.debit = 'payable' AND g.credit = 'direct_shares'
        AND g.amount_paise = d.amount_paise AND g.currency = 'INR'
WHERE d.merchant_id = $1 AND d.share_id = $2
    AND EXISTS (SELECT FROM linked_parties p WHERE p.merchant_id = $1
        AND p.identifier = d.identifier AND p.connector = d.connector AND p.party = d.party
        AND p.added_at <= d.created_at AND coalesce(p.ended_at >= d.created_at, true))
    AND NOT EXISTS (SELECT FROM ledger_postings o WHERE o.merchant_id = $1
        AND o.cause_id = d.share_id AND o.kind IN ('direct_done', 'direct_returned')
        AND d.state <> 'done')
"""
SELECT_HELD = """
SELECT coalesce(sum(CASE credit WHEN 'direct_shares' THEN amount_paise ELSE -amount_paise END), 0)
    ::bigint AS paise
FROM ledger_postings
WHERE merchant_id = $1 AND cause_id = $2 AND 'direct_shares' IN (debit, credit)
"""
HAS_LEFT = """
SELECT EXISTS (SELECT FROM direct_shares d JOIN split_configurations c USING (merchant_id,
    request_id) WHERE d.merchant_id = $1 AND d.payment_id = $2
    AND (d.state NOT IN ('waiting', 'cancelled') OR c.replaced_at IS NULL AND EXISTS (
        SELECT FROM settlement_items i WHERE i.merchant_id = $1 AND i.cause_id = d.share_id
            AND i.settlement_id IS NOT NULL)))
"""
"""Also a part that came back and is in a settlement."""
SELECT_OF_PAYMENT = f"""
SELECT {SHARE.listed()} FROM direct_shares WHERE merchant_id = $1 AND payment_id = $2
ORDER BY created_at, share_id
"""
SELECT_DUE = """
SELECT merchant_id, share_id, connector, due_at FROM direct_shares
WHERE due_at <= $1 AND connector <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the shares to send or ask about now."""
CLAIM = f"""
UPDATE direct_shares SET due_at = $4, inquiries = inquiries + 1
WHERE merchant_id = $1 AND share_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {SHARE.listed()}
"""
"""The guard on due_at lets one of two workers claim a row."""
PUT_BACK = """
UPDATE direct_shares SET due_at = $4, inquiries = greatest(inquiries - 1, 0)
WHERE merchant_id = $1 AND share_id = $2 AND due_at = $3
"""
REFUND_ENDED = """
UPDATE direct_shares SET due_at = $3, inquiries = 0
WHERE merchant_id = $1 AND payment_id = $2 AND state = 'done'
"""
# A moment moved in UTC, as Citus takes it in an UPDATE.
_SOON = "(hastened_at AT TIME ZONE 'UTC' + $5::interval) AT TIME ZONE 'UTC'"
ASK_NOW = f"""
UPDATE direct_shares SET due_at = greatest($4, {_SOON}),
    hastened_at = greatest($4, {_SOON})
WHERE merchant_id = $1 AND share_id = $2 AND connector = $3
    AND (state IN ('sent', 'unknown', 'done') OR state = 'refused' AND late_at IS NULL)
    AND (due_at IS NULL OR due_at > greatest($4, {_SOON}))
"""
"""A webhook that comes too soon after another one causes one inquiry at the gap's end."""
IS_BEING_REFUNDED = """
SELECT EXISTS (SELECT FROM refunds WHERE merchant_id = $1 AND payment_id = $2 AND attempt_id = $3
    AND state IN ('initiated', 'sent', 'unknown'))
"""
IS_BEING_GIVEN = """
SELECT EXISTS (SELECT FROM direct_shares WHERE merchant_id = $1 AND payment_id = $2
    AND attempt_id = $3 AND state IN ('sent', 'unknown'))
"""
SELECT_MADE = f"""
SELECT {SHARE.listed()} FROM direct_shares
WHERE merchant_id = $1 AND payment_id = $2 AND attempt_id = $3 AND state = 'done'
ORDER BY share_id FOR UPDATE
"""


async def parties_of(source: Queries, merchant_id: int) -> list[LinkedParty]:
    """Return the parties of a merchant's linked accounts that stand."""
    return [LinkedParty(**row) for row in await source.fetch(SELECT_PARTIES, merchant_id)]


async def end_party(
    conn: Connection, merchant_id: int, identifier: str, connector: str, now: datetime
) -> str:
    """End a linked account's party at an acquirer; return its name there, "" for none."""
    return await conn.fetchval(END_PARTY, merchant_id, identifier, connector, now) or ""


async def insert_party(
    conn: Connection, merchant_id: int, party: LinkedParty, by: str, now: datetime
) -> None:
    """Name a linked account's party, in place of none; the caller holds the account's lock.

    Raises UniqueViolationError when another linked account has it.
    """
    key = (merchant_id, party.identifier, party.connector)
    count = await conn.fetchval(COUNT_PARTIES, *key) or 0
    await conn.execute(INSERT_PARTY, *key, count + 1, party.party, by, now)


async def digest(source: Queries, merchant_id: int, identifier: str) -> str:
    """Return the SHA-256 of a linked account, in hexadecimal; "" where there is none."""
    return await source.fetchval(SELECT_DIGEST, merchant_id, identifier) or ""


async def insert(conn: Connection, new: DirectShare) -> None:
    """Write a new share with its first event and its posting."""
    await conn.execute(INSERT, *SHARE.values(new))
    await _event(conn, new, new.revision, new.created_at, "")
    await post(conn, (begun(new),))


async def write(conn: Connection, before: DirectShare, change: ShareChange, now: datetime) -> bool:
    """Write a share's change, its event if the state changed, and its postings.

    Returns False if the share is not as it was when decided.
    """
    after = change.after
    is_event = after.state is not before.state
    key = (before.merchant_id, before.share_id)
    guard = (*key, before.state, before.revision, int(is_event), before.called_at)
    revision = await conn.fetchval(UPDATE, *guard, *_CHANGED.values(after))
    if revision is None:
        return False
    if is_event:
        await _event(conn, after, revision, now, change.note)
    await post(conn, change.postings)
    return True


async def _event(
    conn: Connection, share: DirectShare, event_no: int, at: datetime, note: str
) -> None:
    key = (share.merchant_id, share.share_id, event_no)
    await conn.execute(INSERT_EVENT, *key, at, share.state, note[:NOTE_MAX])


async def post(conn: Connection, postings: Iterable[Posting]) -> None:
    """Write postings."""
    for posting in postings:
        key = (posting.merchant_id, posting.cause_id, posting.kind, posting.debit, posting.credit)
        amount = posting.amount
        await conn.execute(INSERT_POSTING, *key, amount.paise, amount.currency, posting.at)


async def lock(conn: Connection, merchant_id: int, share_id: int) -> DirectShare | None:
    """Return one share, locked until the caller's transaction ends."""
    row = await conn.fetchrow(LOCK, merchant_id, share_id)
    return SHARE.read(row) if row else None


async def lock_waiting(conn: Connection, merchant_id: int, payment_id: int) -> list[DirectShare]:
    """Return and lock the shares of a payment that were not sent."""
    return [SHARE.read(row) for row in await conn.fetch(LOCK_WAITING, merchant_id, payment_id)]


async def cause_of(conn: Connection, share: DirectShare) -> ShareCause:
    """Return what the books say of a share's cause; the caller holds payment and share."""
    row = await conn.fetchrow(SELECT_CAUSE, share.merchant_id, share.share_id)
    if row is None:
        return ShareCause.UNPROVED
    if not row["stands"]:
        return ShareCause.ENDED
    return ShareCause.SHOWN if row["is_active"] else ShareCause.INACTIVE


async def held_paise(conn: Connection, share: DirectShare) -> int:
    """Return what the account of direct shares holds for a share, by the share's own postings."""
    return await conn.fetchval(SELECT_HELD, share.merchant_id, share.share_id) or 0


async def has_left(conn: Connection, merchant_id: int, payment_id: int) -> bool:
    """Return whether a share of a payment may have been sent, or is in a settlement."""
    return bool(await conn.fetchval(HAS_LEFT, merchant_id, payment_id))


async def of_payment(source: Queries, merchant_id: int, payment_id: int) -> list[DirectShare]:
    """Return every share of a payment, oldest first."""
    return [
        SHARE.read(row) for row in await source.fetch(SELECT_OF_PAYMENT, merchant_id, payment_id)
    ]


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the shares to work on now, most overdue first.

    Leaves out those at the acquirers that the query excludes.
    """
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, share_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[DirectShare]:
    """Claim those of a merchant's shares that are still due."""
    return [
        SHARE.read(row) for row in await db.fetch(CLAIM, merchant_id, share_ids, now, lease_until)
    ]


async def put_back(db: Database, claimed: DirectShare, due_at: datetime) -> None:
    """Return a claimed share whose acquirer could not be asked: it is due again."""
    await db.execute(PUT_BACK, claimed.merchant_id, claimed.share_id, claimed.due_at, due_at)


async def refund_ended(conn: Connection, merchant_id: int, payment_id: int, now: datetime) -> None:
    """Look at the shares of a payment once more: a part may have to be taken back."""
    await conn.execute(REFUND_ENDED, merchant_id, payment_id, now)


async def ask_now(
    db: Queries, merchant_id: int, share_id: int, connector: str, now: datetime
) -> None:
    """Bring the next inquiry about a share at an acquirer forward."""
    await db.execute(ASK_NOW, merchant_id, share_id, connector, now, HASTEN_GAP)


async def is_being_refunded(conn: Connection, share: DirectShare) -> bool:
    """Return whether a refund of a share's attempt is under way."""
    key = (share.merchant_id, share.payment_id, share.attempt_id)
    return bool(await conn.fetchval(IS_BEING_REFUNDED, *key))


async def is_being_given(conn: Connection, view: PaymentView, attempt_id: int) -> bool:
    """Return whether an acquirer may have a share of an attempt that it has not answered."""
    key = (view.payment.merchant_id, view.payment.payment_id, attempt_id)
    return bool(await conn.fetchval(IS_BEING_GIVEN, *key))


async def lock_made(
    conn: Connection, merchant_id: int, payment_id: int, attempt_id: int
) -> list[DirectShare]:
    """Return and lock the shares of an attempt that were made."""
    rows = await conn.fetch(SELECT_MADE, merchant_id, payment_id, attempt_id)
    return [SHARE.read(row) for row in rows]
