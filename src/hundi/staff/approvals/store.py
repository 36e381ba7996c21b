"""All SQL about approvals."""

from datetime import datetime

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Queries
from hundi.staff.approvals.rules import Approval

APPROVAL = Table(Approval, {})

INSERT = f"""
INSERT INTO approvals ({APPROVAL.listed()}) VALUES ({APPROVAL.numbered(1)}) ON CONFLICT DO NOTHING
    RETURNING approval_id
"""
SELECT_ONE = (
    f"SELECT {APPROVAL.listed()} FROM approvals WHERE merchant_id = $1 AND approval_id = $2"
)
LOCK_ONE = f"{SELECT_ONE} FOR UPDATE"
SELECT_OF_ACT = f"""
SELECT {APPROVAL.listed()} FROM approvals WHERE merchant_id = $1 AND kind = $2 AND act_id = $3
    AND act_id <> ''
"""
SELECT_OPEN = f"""
SELECT {APPROVAL.listed()} FROM approvals WHERE merchant_id = $1
    AND state IN ('waiting', 'approved')
ORDER BY approval_id LIMIT $2
"""
DECIDE = """
UPDATE approvals SET state = $3, decided_by = $4, checker = $5, decided_at = $6, note = $7
WHERE merchant_id = $1 AND approval_id = $2 AND state = 'waiting' RETURNING approval_id
"""
CLAIM = """
UPDATE approvals SET performing_until = $4 WHERE merchant_id = $1 AND approval_id = $2
    AND state = 'approved' AND (performing_until IS NULL OR performing_until <= $3)
RETURNING approval_id
"""
RELEASE = """
UPDATE approvals SET performing_until = NULL WHERE merchant_id = $1 AND approval_id = $2
    AND state = 'approved' AND performing_until = $3
"""
FINISH = """
UPDATE approvals SET state = $3, result = $4, performing_until = NULL
WHERE merchant_id = $1 AND approval_id = $2 AND state = 'approved'
RETURNING approval_id
"""
SELECT_OF_MAKER = """
SELECT merchant_id, approval_id FROM approvals WHERE made_by = $1 AND state = 'waiting'
ORDER BY merchant_id, approval_id
"""
"""Across merchants: an operator's person may have requests anywhere."""
WITHDRAW = """
UPDATE approvals SET state = 'expired', note = $3 WHERE merchant_id = $1 AND approval_id = $2
    AND state = 'waiting'
"""
SELECT_DIGEST = """
SELECT encode(sha256(convert_to(concat_ws(E'\\n', kind, title, payload), 'UTF8')), 'hex')
    FROM approvals
WHERE merchant_id = $1 AND approval_id = $2
"""
"""Of the stored request."""


async def insert(source: Queries, approval: Approval) -> bool:
    """Write a request; return False if its id is taken, or its form has one."""
    return await source.fetchval(INSERT, *APPROVAL.values(approval)) is not None


async def select(source: Queries, merchant_id: int, approval_id: int) -> Approval | None:
    """Return a request."""
    row = await source.fetchrow(SELECT_ONE, merchant_id, approval_id)
    return APPROVAL.read(row) if row else None


async def of_act(source: Queries, merchant_id: int, kind: str, act_id: str) -> Approval | None:
    """Return the request of a form."""
    row = await source.fetchrow(SELECT_OF_ACT, merchant_id, kind, act_id)
    return APPROVAL.read(row) if row else None


async def lock(conn: Connection, merchant_id: int, approval_id: int) -> Approval | None:
    """Return a request, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK_ONE, merchant_id, approval_id)
    return APPROVAL.read(row) if row else None


async def select_open(source: Queries, merchant_id: int, limit: int) -> list[Approval]:
    """Return the requests that wait for a decision or for their act, oldest first."""
    return [APPROVAL.read(row) for row in await source.fetch(SELECT_OPEN, merchant_id, limit)]


async def claim(source: Queries, approval: Approval, now: datetime, until: datetime) -> bool:
    """Claim an approved act until a time; return False if somebody does it, or it is done."""
    key = approval.merchant_id, approval.approval_id
    return await source.fetchval(CLAIM, *key, now, until) is not None


async def release(source: Queries, approval: Approval, until: datetime) -> None:
    """Release an act that was claimed until a time, and was not done."""
    await source.execute(RELEASE, approval.merchant_id, approval.approval_id, until)


async def finish(
    source: Queries, merchant_id: int, approval_id: int, state: str, result: str
) -> bool:
    """Write the result of an approved act; return False if there is one."""
    return await source.fetchval(FINISH, merchant_id, approval_id, state, result) is not None


async def decide(
    conn: Connection,
    approval: Approval,
    state: str,
    person_id: int,
    checker: str,
    at: datetime,
    note: str,
) -> bool:
    """Write a decision; return False if there is one."""
    values = approval.merchant_id, approval.approval_id, state, person_id, checker, at, note
    return await conn.fetchval(DECIDE, *values) is not None


async def waiting_of(conn: Connection, person_id: int) -> list[tuple[int, int]]:
    """Return merchant and id of a person's waiting requests, in the order of locks."""
    rows = await conn.fetch(SELECT_OF_MAKER, person_id)
    return [(row["merchant_id"], row["approval_id"]) for row in rows]


async def withdraw(conn: Connection, approval: Approval, note: str) -> None:
    """End a waiting request without a decision."""
    await conn.execute(WITHDRAW, approval.merchant_id, approval.approval_id, note)


async def digest(source: Queries, approval: Approval) -> str:
    """Return the digest of a stored request."""
    return await source.fetchval(SELECT_DIGEST, approval.merchant_id, approval.approval_id)
