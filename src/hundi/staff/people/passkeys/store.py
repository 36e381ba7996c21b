"""All SQL about passkeys."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Queries

INSERT = """
INSERT INTO passkeys (credential_id, person_id, public_key, sign_count, name, created_at, mark)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING person_id
"""
SELECT_OF = """
SELECT credential_id, name, created_at, used_at FROM passkeys WHERE person_id = $1
    ORDER BY created_at
"""
SELECT_ONE = "SELECT person_id, public_key, sign_count, mark FROM passkeys WHERE credential_id = $1"
USE = "UPDATE passkeys SET sign_count = $2, used_at = $3 WHERE credential_id = $1"
DELETE_ALL = "DELETE FROM passkeys WHERE person_id = $1"
DELETE = "DELETE FROM passkeys WHERE person_id = $1 AND credential_id = $2"
SELECT_ALL = "SELECT credential_id, person_id, public_key, mark FROM passkeys"
MARK = (
    "UPDATE passkeys SET mark = $5 WHERE credential_id = $1 AND person_id = $2 AND public_key = $3"
    " AND mark = $4"
)


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A new passkey. mark: proves that it was made here."""

    credential_id: bytes
    person_id: int
    public_key: bytes
    sign_count: int
    name: str
    created_at: datetime
    mark: bytes


async def insert(source: Queries, passkey: NewPasskey) -> bool:
    """Write a new passkey; return False if it exists."""
    inserted = await source.fetchval(
        INSERT,
        passkey.credential_id,
        passkey.person_id,
        passkey.public_key,
        passkey.sign_count,
        passkey.name,
        passkey.created_at,
        passkey.mark,
    )
    return inserted is not None


async def select(source: Queries, credential_id: bytes) -> Record | None:
    """Return person_id, public_key, sign_count and mark of a passkey, without checking the mark."""
    return await source.fetchrow(SELECT_ONE, credential_id)


async def passkeys_of(source: Queries, person_id: int) -> list[Record]:
    """Return a person's passkeys: credential_id, name, created_at, used_at."""
    return await source.fetch(SELECT_OF, person_id)


async def use(source: Queries, credential_id: bytes, sign_count: int, now: datetime) -> None:
    """Record a use of a passkey. sign_count: its device's counter."""
    await source.execute(USE, credential_id, sign_count, now)


async def delete(conn: Connection, person_id: int, credential_id: bytes) -> None:
    """Delete a passkey of a person."""
    await conn.execute(DELETE, person_id, credential_id)


async def delete_all(conn: Connection, person_id: int) -> None:
    """Delete every passkey of a person."""
    await conn.execute(DELETE_ALL, person_id)


async def select_all(conn: Connection) -> list[Record]:
    """Return the marked columns of each passkey, and then its mark."""
    return await conn.fetch(SELECT_ALL)


async def replace_mark(conn: Connection, *values: object) -> None:
    """Replace the mark of an unchanged passkey. values: as read, and the new mark."""
    await conn.execute(MARK, *values)
