"""All SQL of direct shares: the parties of linked accounts, the shares and their reversals."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.ledger.rules import Posting
from hundi.payments.direct_shares.reversals.rules import ReversalState, ShareReversal
from hundi.payments.direct_shares.rules import (
    NOTE_MAX,
    DirectShare,
    DirectShareState,
    LinkedParty,
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
)
REVERSAL = Table(ShareReversal, {"state": Field(ReversalState)})
_REVERSAL_CHANGED = REVERSAL.only("state", "sent_at", "code", "message", "ended_at", "tries")

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
HAS_LEFT = """
SELECT EXISTS (SELECT FROM direct_shares WHERE merchant_id = $1 AND payment_id = $2
    AND state NOT IN ('waiting', 'cancelled'))
"""
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
ASK_NOW = """
UPDATE direct_shares SET due_at = $4
WHERE merchant_id = $1 AND share_id = $2 AND connector = $3 AND state IN ('sent', 'unknown', 'done')
    AND (due_at IS NULL OR due_at > $4)
"""
SELECT_SHARE_OF_REVERSAL = """
SELECT share_id FROM share_reversals WHERE merchant_id = $1 AND reversal_id = $2
"""
SELECT_REFUNDED = """
SELECT coalesce(sum(amount_paise), 0)::bigint FROM refunds
WHERE merchant_id = $1 AND payment_id = $2 AND state = 'done' AND cause <> 'overpaid'
"""
"""What was refunded of an order; an overpayment was never the order's."""
SELECT_REVERSED = """
SELECT coalesce(sum(amount_paise), 0)::bigint FROM share_reversals
WHERE merchant_id = $1 AND share_id = $2 AND state <> 'cancelled'
"""
SELECT_OPEN_REVERSAL = f"""
SELECT {REVERSAL.listed()} FROM share_reversals r
WHERE merchant_id = $1 AND share_id = $2 AND state NOT IN ('done', 'cancelled')
    AND (refund_id IS NULL OR EXISTS (SELECT FROM refunds f WHERE f.merchant_id = $1
        AND f.refund_id = r.refund_id AND f.state IN ('done', 'reversed')))
ORDER BY created_at, reversal_id LIMIT 1
"""
"""What travels with a refund ends with it: only then is the acquirer asked what it took."""
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
SELECT_REFUNDED_BEFORE = """
SELECT coalesce(sum(amount_paise), 0)::bigint FROM refunds
WHERE merchant_id = $1 AND payment_id = $2 AND refund_id <> $3 AND cause <> 'overpaid'
    AND (state = 'done' OR state NOT IN ('failed', 'reversed') AND sent_at IS NOT NULL)
"""
"""What other refunds of an order gave back, or may have: each takes its own parts with it."""
SELECT_CARRIED = f"""
SELECT {REVERSAL.listed()} FROM share_reversals
WHERE merchant_id = $1 AND refund_id = $2 ORDER BY share_id
"""
CANCEL_CARRIED = """
UPDATE share_reversals SET state = 'cancelled', ended_at = $3
WHERE merchant_id = $1 AND refund_id = $2 AND state IN ('sent', 'unknown')
"""
SELECT_REVERSALS = f"""
SELECT {REVERSAL.listed()} FROM share_reversals WHERE merchant_id = $1 AND share_id = $2
ORDER BY created_at, reversal_id
"""
INSERT_REVERSAL = (
    f"INSERT INTO share_reversals ({REVERSAL.listed()}) VALUES ({REVERSAL.numbered(1)})"
)
UPDATE_REVERSAL = f"""
UPDATE share_reversals SET {_REVERSAL_CHANGED.assigned(5)}
WHERE merchant_id = $1 AND reversal_id = $2 AND state = $3 AND sent_at = $4
RETURNING reversal_id
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


async def insert(conn: Connection, new: DirectShare) -> None:
    """Write a new share with its first event and its posting."""
    await conn.execute(INSERT, *SHARE.values(new))
    await _event(conn, new, new.revision, new.created_at, "")
    await _post(conn, (begun(new),))


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
    await _post(conn, change.postings)
    return True


async def _event(
    conn: Connection, share: DirectShare, event_no: int, at: datetime, note: str
) -> None:
    key = (share.merchant_id, share.share_id, event_no)
    await conn.execute(INSERT_EVENT, *key, at, share.state, note[:NOTE_MAX])


async def _post(conn: Connection, postings: Iterable[Posting]) -> None:
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


async def has_left(conn: Connection, merchant_id: int, payment_id: int) -> bool:
    """Return whether a share of a payment was sent, or may have been."""
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
    await db.execute(ASK_NOW, merchant_id, share_id, connector, now)


async def share_of_reversal(source: Queries, merchant_id: int, reversal_id: int) -> int | None:
    """Return the share that a reversal is of."""
    return await source.fetchval(SELECT_SHARE_OF_REVERSAL, merchant_id, reversal_id)


async def refunded(conn: Connection, merchant_id: int, payment_id: int) -> int:
    """Return what refunds that are done gave back of an order, in paise."""
    return await conn.fetchval(SELECT_REFUNDED, merchant_id, payment_id) or 0


async def reversed_of(conn: Connection, share: DirectShare) -> int:
    """Return what was taken back of a share, in paise, what is under way included."""
    return await conn.fetchval(SELECT_REVERSED, share.merchant_id, share.share_id) or 0


async def open_reversal(source: Queries, share: DirectShare) -> ShareReversal | None:
    """Return the reversal of a share that is not done."""
    row = await source.fetchrow(SELECT_OPEN_REVERSAL, share.merchant_id, share.share_id)
    return REVERSAL.read(row) if row else None


async def reversals_of(source: Queries, share: DirectShare) -> list[ShareReversal]:
    """Return every reversal of a share, oldest first."""
    rows = await source.fetch(SELECT_REVERSALS, share.merchant_id, share.share_id)
    return [REVERSAL.read(row) for row in rows]


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


async def refunded_before(
    conn: Connection, merchant_id: int, payment_id: int, refund_id: int
) -> int:
    """Return what the other refunds of an order gave back or may have given, in paise."""
    return await conn.fetchval(SELECT_REFUNDED_BEFORE, merchant_id, payment_id, refund_id) or 0


async def carried_by(conn: Connection, merchant_id: int, refund_id: int) -> list[ShareReversal]:
    """Return the reversals that travel with a refund."""
    rows = await conn.fetch(SELECT_CARRIED, merchant_id, refund_id)
    return [REVERSAL.read(row) for row in rows]


async def refund_failed(conn: Connection, merchant_id: int, refund_id: int, now: datetime) -> None:
    """Cancel the reversals that travelled with a refund: nothing was taken back."""
    await conn.execute(CANCEL_CARRIED, merchant_id, refund_id, now)


async def insert_reversal(conn: Connection, new: ShareReversal) -> None:
    """Write a new reversal; the caller holds the share's lock."""
    await conn.execute(INSERT_REVERSAL, *REVERSAL.values(new))


async def update_reversal(
    conn: Connection,
    before: ShareReversal,
    after: ShareReversal,
    postings: Iterable[Posting] = (),
) -> bool:
    """Write a reversal's change with its posting; False if it is not as it was when decided."""
    key = (before.merchant_id, before.reversal_id, before.state, before.sent_at)
    values = _REVERSAL_CHANGED.values(after)
    if await conn.fetchval(UPDATE_REVERSAL, *key, *values) is None:
        return False
    await _post(conn, postings)
    return True
