"""All SQL of reversals of direct shares."""

from collections.abc import Iterable
from datetime import datetime

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Queries
from hundi.money.ledger.rules import Posting
from hundi.payments.direct_shares.reversals.rules import ReversalState, ShareReversal
from hundi.payments.direct_shares.rules import DirectShare
from hundi.payments.direct_shares.store import post

REVERSAL = Table(ShareReversal, {"state": Field(ReversalState)})
_CHANGED = REVERSAL.only("state", "sent_at", "code", "message", "ended_at", "tries")

SELECT_SHARE = """
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
SELECT_OPEN = f"""
SELECT {REVERSAL.listed()} FROM share_reversals r
WHERE merchant_id = $1 AND share_id = $2 AND state NOT IN ('done', 'cancelled')
    AND (refund_id IS NULL OR EXISTS (SELECT FROM refunds f WHERE f.merchant_id = $1
        AND f.refund_id = r.refund_id AND f.state IN ('done', 'reversed')))
ORDER BY created_at, reversal_id LIMIT 1
"""
"""What travels with a refund ends with it: only then is the acquirer asked what it took."""
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
SELECT_ALL = f"""
SELECT {REVERSAL.listed()} FROM share_reversals WHERE merchant_id = $1 AND share_id = $2
ORDER BY created_at, reversal_id
"""
INSERT = f"INSERT INTO share_reversals ({REVERSAL.listed()}) VALUES ({REVERSAL.numbered(1)})"
UPDATE = f"""
UPDATE share_reversals SET {_CHANGED.assigned(5)}
WHERE merchant_id = $1 AND reversal_id = $2 AND state = $3 AND sent_at = $4
RETURNING reversal_id
"""


async def share_of(source: Queries, merchant_id: int, reversal_id: int) -> int | None:
    """Return the share that a reversal is of."""
    return await source.fetchval(SELECT_SHARE, merchant_id, reversal_id)


async def refunded(conn: Connection, merchant_id: int, payment_id: int) -> int:
    """Return what refunds that are done gave back of an order, in paise."""
    return await conn.fetchval(SELECT_REFUNDED, merchant_id, payment_id) or 0


async def reversed_of(conn: Connection, share: DirectShare) -> int:
    """Return what was taken back of a share, in paise, what is under way included."""
    return await conn.fetchval(SELECT_REVERSED, share.merchant_id, share.share_id) or 0


async def select_open(source: Queries, share: DirectShare) -> ShareReversal | None:
    """Return the reversal of a share that is not done."""
    row = await source.fetchrow(SELECT_OPEN, share.merchant_id, share.share_id)
    return REVERSAL.read(row) if row else None


async def of_share(source: Queries, share: DirectShare) -> list[ShareReversal]:
    """Return every reversal of a share, oldest first."""
    rows = await source.fetch(SELECT_ALL, share.merchant_id, share.share_id)
    return [REVERSAL.read(row) for row in rows]


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


async def insert(conn: Connection, new: ShareReversal) -> None:
    """Write a new reversal; the caller holds the share's lock."""
    await conn.execute(INSERT, *REVERSAL.values(new))


async def update(
    conn: Connection,
    before: ShareReversal,
    after: ShareReversal,
    postings: Iterable[Posting] = (),
) -> bool:
    """Write a reversal's change with its posting; False if it is not as it was when decided."""
    key = (before.merchant_id, before.reversal_id, before.state, before.sent_at)
    values = _CHANGED.values(after)
    if await conn.fetchval(UPDATE, *key, *values) is None:
        return False
    await post(conn, postings)
    return True
