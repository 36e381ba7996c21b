"""All SQL about acquirer accounts."""

from datetime import timedelta

from hundi.acquirers.calls.front import Trouble
from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Queries
from hundi.payments.acquirer_accounts.rules import (
    AccountMark,
    AcquirerAccount,
    AcquirerAccountState,
)

ACCOUNT = Table(AcquirerAccount, {"state": choice(AcquirerAccountState)})
_CHANGED = ACCOUNT.only(
    "fields", "sealed_secrets", "sealed_before", "before_until", "state", "revision", "changed_at"
)

SELECT_MARKS = """
SELECT name, revision, state = 'active' AND added_at <= now() - $1::interval AS takes_new,
    coalesce(before_until > now(), false) AS has_before
FROM acquirer_accounts ORDER BY added_at, name
"""
"""Uses the database's clock, so that no process is ahead of another."""
SELECT_ALL = f"SELECT {ACCOUNT.listed()} FROM acquirer_accounts ORDER BY added_at, name"
SELECT_DISABLED = "SELECT name FROM acquirer_accounts WHERE state = 'disabled' ORDER BY name"
LOCK_ALL = "SELECT pg_advisory_xact_lock(7125530418)"
"""Serialises operators who add accounts at once.

Some accounts exclude each other.
"""
INSERT = f"""
INSERT INTO acquirer_accounts ({ACCOUNT.listed()}) VALUES ({ACCOUNT.numbered(1)})
"""
UPDATE = f"""
UPDATE acquirer_accounts SET ({_CHANGED.listed()}) = ROW({_CHANGED.numbered(3)})
WHERE name = $1 AND revision = $2 RETURNING name
"""
RESEAL = """
UPDATE acquirer_accounts SET sealed_secrets = $3, sealed_before = $4 WHERE name = $1
    AND revision = $2 RETURNING name
"""
SELECT_DIGEST = """
SELECT encode(sha256(convert_to(jsonb_build_array(kind, serves, simulated, fields,
    encode(sealed_secrets, 'hex'), encode(sealed_before, 'hex'), extract(epoch FROM before_until),
    state, revision, extract(epoch FROM added_at), extract(epoch FROM changed_at))::text, 'UTF8')),
    'hex')
FROM acquirer_accounts WHERE name = $1
"""

KEEP_TROUBLE = """
INSERT INTO acquirer_troubles (connector, error, at) VALUES ($1, $2, $3)
ON CONFLICT (connector) DO UPDATE SET error = excluded.error, at = excluded.at
WHERE acquirer_troubles.at < excluded.at
"""
SELECT_TROUBLES = "SELECT connector, error, at FROM acquirer_troubles"


async def keep_trouble(db: Queries, connector: str, trouble: Trouble) -> None:
    """Store why a call to an acquirer failed, unless a later failure is stored."""
    await db.execute(KEEP_TROUBLE, connector, trouble.error, trouble.at)


async def troubles(db: Queries) -> dict[str, Trouble]:
    """Return by acquirer why its last failed call failed."""
    return {
        row["connector"]: Trouble(row["error"], row["at"])
        for row in await db.fetch(SELECT_TROUBLES)
    }


async def marks(db: Queries, known_after: timedelta) -> list[AccountMark]:
    """Return the mark of each account, in the order in which they were added."""
    return [AccountMark(**row) for row in await db.fetch(SELECT_MARKS, known_after)]


async def select_all(db: Queries) -> list[AcquirerAccount]:
    """Return every account, in the order in which they were added."""
    return [ACCOUNT.read(row) for row in await db.fetch(SELECT_ALL)]


async def disabled(db: Queries) -> list[str]:
    """Return the names of the accounts that are disabled."""
    return [row["name"] for row in await db.fetch(SELECT_DISABLED)]


async def lock_all(conn: Connection) -> list[AcquirerAccount]:
    """Return every account, locked until the transaction ends."""
    await conn.execute(LOCK_ALL)
    return await select_all(conn)


async def digest(source: Queries, name: str) -> str:
    """Return the SHA-256 of an account with its sealed secrets, in hexadecimal."""
    return await source.fetchval(SELECT_DIGEST, name) or ""


async def insert(conn: Connection, account: AcquirerAccount) -> None:
    """Write a new account."""
    await conn.execute(INSERT, *ACCOUNT.values(account))


async def update(conn: Connection, before: AcquirerAccount, after: AcquirerAccount) -> bool:
    """Change an account; False when it was changed meanwhile."""
    return (
        await conn.fetchval(UPDATE, before.name, before.revision, *_CHANGED.values(after))
        is not None
    )


async def reseal(
    db: Queries, account: AcquirerAccount, sealed: bytes, sealed_before: bytes | None
) -> bool:
    """Replace the seals of an account; False when it was changed meanwhile."""
    return (
        await db.fetchval(RESEAL, account.name, account.revision, sealed, sealed_before) is not None
    )
