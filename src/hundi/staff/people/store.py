"""All SQL about people, their roles, passwords and recovery codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.staff.people.rules import Membership, Person, Role

PERSON = Table(Person, {})
MEMBERSHIP = Table(Membership, {"role": Field(Role)})

INSERT_PERSON = """
INSERT INTO people (person_id, email, name, handle, state, created_at, changed_at)
VALUES ($1, $2, $3, $4, 'invited', $5, $5) ON CONFLICT DO NOTHING RETURNING person_id
"""
IS_OLDER = """
SELECT EXISTS (SELECT 1 FROM people) OR EXISTS (SELECT 1 FROM merchants WHERE NOT EXISTS (SELECT
    FROM trail_entries
        WHERE trail_entries.merchant_id = merchants.merchant_id
            AND position('"keys_sha256":' IN detail) > 0))
    OR EXISTS (SELECT 1 FROM partners WHERE affiliate NOT IN (SELECT about FROM trail_entries
        WHERE merchant_id = 0 AND position('"partner_sha256":' IN detail) > 0))
    OR EXISTS (SELECT 1 FROM acquirer_accounts WHERE name NOT IN (SELECT about FROM trail_entries
        WHERE merchant_id = 0 AND position('"acquirer_sha256":' IN detail) > 0))
"""
"""Across merchants: whether any row may be older than the marks and the entries.

Citus wants columns in the rows.
"""
SELECT_PERSON = f"SELECT {PERSON.listed()} FROM people WHERE person_id = $1"
SELECT_BY_EMAIL = f"SELECT {PERSON.listed()} FROM people WHERE email = $1"
SELECT_SECRETS = (
    "SELECT password_hash, sealed_totp, totp_step, mark, generation FROM people WHERE person_id ="
    " $1"
)
LOCK_BY_EMAIL = f"{SELECT_BY_EMAIL} FOR UPDATE"
LOCK_PERSON = f"SELECT {PERSON.listed()} FROM people WHERE person_id = $1 FOR UPDATE"
ACTIVATE = """
UPDATE people SET state = 'active', password_hash = $2, sealed_totp = $3, totp_step = $4,
    changed_at = $5, mark = $6, generation = $7
WHERE person_id = $1 AND state <> 'ended' RETURNING person_id
"""
END = """
UPDATE people SET state = 'ended', password_hash = '', sealed_totp = NULL, mark = '',
    changed_at = $2
WHERE person_id = $1
"""
END_SESSIONS = "DELETE FROM staff_sessions WHERE person_id = $1"
SET_PASSWORD = """
UPDATE people SET password_hash = $2, generation = $3, mark = $4, changed_at = $5
WHERE person_id = $1 AND password_hash = $6 AND mark = $7 RETURNING person_id
"""  # noqa: S105 (no secret)
USE_STEP = (
    "UPDATE people SET totp_step = $2 WHERE person_id = $1 AND totp_step < $2 RETURNING person_id"
)
"""Of two sign-ins with the same code only one succeeds."""
SELECT_SEALED = """
SELECT person_id, sealed_totp, password_hash, generation, mark FROM people
WHERE sealed_totp IS NOT NULL AND person_id > $1 ORDER BY person_id LIMIT $2
"""
RESEAL = """
UPDATE people SET sealed_totp = $3, mark = $4
WHERE person_id = $1 AND sealed_totp = $2 AND mark = $5 RETURNING person_id
"""

INSERT_MEMBERSHIP = """
INSERT INTO memberships (merchant_id, person_id, role, added_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING RETURNING person_id
"""
LOCK_MEMBERS = (
    f"SELECT {MEMBERSHIP.listed()} FROM memberships WHERE merchant_id = $1 ORDER BY person_id FOR"
    " UPDATE"
)
SELECT_MEMBERS = (
    f"SELECT {MEMBERSHIP.listed()} FROM memberships WHERE merchant_id = $1 ORDER BY added_at,"
    " person_id"
)
SELECT_OF_PERSON = (
    f"SELECT {MEMBERSHIP.listed()} FROM memberships WHERE person_id = $1 ORDER BY merchant_id"
)
"""Across merchants: the places of a person who signs in."""
SELECT_ONE = (
    f"SELECT {MEMBERSHIP.listed()} FROM memberships WHERE merchant_id = $1 AND person_id = $2"
)
UPDATE_ROLE = "UPDATE memberships SET role = $3 WHERE merchant_id = $1 AND person_id = $2"
DELETE_MEMBERSHIP = "DELETE FROM memberships WHERE merchant_id = $1 AND person_id = $2"
SELECT_PEOPLE = f"SELECT {PERSON.listed()} FROM people WHERE person_id = ANY ($1::bigint[])"

INSERT_CODE = "INSERT INTO recovery_codes (person_id, code_hash, mark) VALUES ($1, $2, $3)"
DELETE_CODES = "DELETE FROM recovery_codes WHERE person_id = $1"
USE_CODE = """
UPDATE recovery_codes SET used_at = $3 WHERE person_id = $1 AND code_hash = $2 AND used_at IS NULL
    RETURNING mark
"""
COUNT_CODES = "SELECT count(*) FROM recovery_codes WHERE person_id = $1 AND used_at IS NULL"

SELECT_ALL_SECRETS = "SELECT person_id, password_hash, sealed_totp, generation, mark FROM people"
MARK_SECRETS = """
UPDATE people SET mark = $6
WHERE person_id = $1 AND password_hash = $2 AND sealed_totp IS NOT DISTINCT FROM $3
    AND generation = $4 AND mark = $5
"""
SELECT_ALL_CODES = "SELECT person_id, code_hash, mark FROM recovery_codes"
MARK_CODE = (
    "UPDATE recovery_codes SET mark = $4 WHERE person_id = $1 AND code_hash = $2 AND mark = $3"
)
SELECT_CODES_UNMARKED = "SELECT code_hash FROM recovery_codes WHERE person_id = $1 AND mark = ''"
SELECT_UNMARKED = """
SELECT person_id, mark = '' AND password_hash <> '' AS password,
    (SELECT count(*) FROM recovery_codes c WHERE c.person_id = p.person_id AND c.mark = '') AS codes
FROM people p WHERE state <> 'ended' ORDER BY email
"""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The values that a person's sign-in is checked against; the TOTP secret is sealed.

    mark: proves that they were set here. generation: the number of this setting; the trail has the
    newest.
    """

    password_hash: str
    sealed_totp: bytes | None
    totp_step: int
    mark: bytes = b""
    generation: int = 0


async def insert_person(
    conn: Connection, person_id: int, email: str, name: str, handle: bytes, now: datetime
) -> bool:
    """Write an invited person; return False if id or address is taken."""
    return await conn.fetchval(INSERT_PERSON, person_id, email, name, handle, now) is not None


async def select(source: Queries, person_id: int) -> Person | None:
    """Return a person."""
    row = await source.fetchrow(SELECT_PERSON, person_id)
    return PERSON.read(row) if row else None


async def select_by_email(source: Queries, email: str) -> Person | None:
    """Return the person with an e-mail address."""
    row = await source.fetchrow(SELECT_BY_EMAIL, email)
    return PERSON.read(row) if row else None


async def lock_by_email(conn: Connection, email: str) -> Person | None:
    """Return the person with an e-mail address, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK_BY_EMAIL, email)
    return PERSON.read(row) if row else None


async def lock(conn: Connection, person_id: int) -> Person | None:
    """Return a person, locked until the transaction ends."""
    row = await conn.fetchrow(LOCK_PERSON, person_id)
    return PERSON.read(row) if row else None


async def secrets_of(source: Queries, person_id: int) -> Secrets:
    """Return the values that a person's sign-in is checked against, without checking their mark."""
    row = await source.fetchrow(SELECT_SECRETS, person_id)
    return Secrets(*row) if row else Secrets("", None, 0)


async def people_of(source: Queries, person_ids: Sequence[int]) -> dict[int, Person]:
    """Return people by their ids."""
    return {
        row["person_id"]: PERSON.read(row)
        for row in await source.fetch(SELECT_PEOPLE, list(person_ids))
    }


async def members(source: Queries, merchant_id: int) -> list[Membership]:
    """Return the members of a merchant, in the order in which they came."""
    return [MEMBERSHIP.read(row) for row in await source.fetch(SELECT_MEMBERS, merchant_id)]


async def lock_members(conn: Connection, merchant_id: int) -> list[Membership]:
    """Return the members of a merchant, locked until the transaction ends."""
    return [MEMBERSHIP.read(row) for row in await conn.fetch(LOCK_MEMBERS, merchant_id)]


async def memberships_of(source: Queries, person_id: int) -> list[Membership]:
    """Return a person's memberships, without checking them against the trail."""
    return [MEMBERSHIP.read(row) for row in await source.fetch(SELECT_OF_PERSON, person_id)]


async def membership_at(source: Queries, merchant_id: int, person_id: int) -> Membership | None:
    """Return a person's role at a merchant or None, without checking it against the trail."""
    row = await source.fetchrow(SELECT_ONE, merchant_id, person_id)
    return MEMBERSHIP.read(row) if row else None


async def use_step(source: Queries, person_id: int, step: int) -> bool:
    """Use up the code of a time step; return False if it or a later one was used."""
    return await source.fetchval(USE_STEP, person_id, step) is not None


async def use_code(
    source: Queries, person_id: int, code_hash: bytes, now: datetime
) -> bytes | None:
    """Use up a recovery code and return its mark; None if there is no valid one."""
    return await source.fetchval(USE_CODE, person_id, code_hash, now)


async def replace_codes(conn: Connection, person_id: int, marked: Mapping[bytes, bytes]) -> None:
    """Replace a person's recovery codes. marked: each mark by the code's hash."""
    await conn.execute(DELETE_CODES, person_id)
    for code_hash, mark in marked.items():
        await conn.execute(INSERT_CODE, person_id, code_hash, mark)


async def end(conn: Connection, person_id: int, now: datetime) -> None:
    """End a person, with their password, second factor, recovery codes and sessions."""
    await conn.execute(END, person_id, now)
    for statement in (END_SESSIONS, DELETE_CODES):
        await conn.execute(statement, person_id)


async def sealed_after(db: Database, person_id: int, limit: int) -> list[Record]:
    """Return sealed secrets of the people after one, by id."""
    return await db.fetch(SELECT_SEALED, person_id, limit)


async def reseal(source: Queries, row: Record, sealed_totp: bytes, mark: bytes) -> bool:
    """Replace a sealed secret and its mark; return False if either changed. row: as read."""
    values = row["person_id"], row["sealed_totp"], sealed_totp, mark, row["mark"]
    return await source.fetchval(RESEAL, *values) is not None


async def is_older(source: Queries) -> bool:
    """Return whether any row may be older than the marks and the entries of the trail."""
    return await source.fetchval(IS_OLDER)


async def activate(conn: Connection, person_id: int, secrets: Secrets, now: datetime) -> None:
    """Write the values that a person signs in by from now on, unless they ended."""
    values = secrets.password_hash, secrets.sealed_totp, secrets.totp_step
    await conn.execute(ACTIVATE, person_id, *values, now, secrets.mark, secrets.generation)


async def set_password(
    source: Queries, person_id: int, secrets: Secrets, kept: Secrets, now: datetime
) -> bool:
    """Replace a password; return False if another was chosen since. kept: as read."""
    chosen = secrets.password_hash, secrets.generation, secrets.mark
    values = person_id, *chosen, now, kept.password_hash, kept.mark
    return await source.fetchval(SET_PASSWORD, *values) is not None


async def insert_membership(
    conn: Connection, merchant_id: int, person_id: int, role: Role, now: datetime
) -> bool:
    """Give a person a role at a merchant; return False if they have one there."""
    return await conn.fetchval(INSERT_MEMBERSHIP, merchant_id, person_id, role, now) is not None


async def update_role(conn: Connection, merchant_id: int, person_id: int, role: Role) -> None:
    """Give a person another role at a merchant."""
    await conn.execute(UPDATE_ROLE, merchant_id, person_id, role)


async def delete_membership(conn: Connection, merchant_id: int, person_id: int) -> None:
    """Remove a person's role at a merchant."""
    await conn.execute(DELETE_MEMBERSHIP, merchant_id, person_id)


async def count_codes(source: Queries, person_id: int) -> int:
    """Return how many unused recovery codes a person has."""
    return await source.fetchval(COUNT_CODES, person_id)


async def codes_unmarked(conn: Connection, person_id: int) -> list[bytes]:
    """Return the hashes of a person's recovery codes without a mark."""
    return [row["code_hash"] for row in await conn.fetch(SELECT_CODES_UNMARKED, person_id)]


async def unmarked(source: Queries) -> list[Record]:
    """Return for each person whether the password has no mark, and how many codes have none."""
    return await source.fetch(SELECT_UNMARKED)


# --- marks under another key: the marked columns are read, and then the mark ---


async def all_secrets(conn: Connection) -> list[Record]:
    """Return the marked columns of each person's secrets, and the mark."""
    return await conn.fetch(SELECT_ALL_SECRETS)


async def mark_secrets(conn: Connection, *values: object) -> None:
    """Replace the mark of unchanged secrets. values: as read, and the new mark."""
    await conn.execute(MARK_SECRETS, *values)


async def all_codes(conn: Connection) -> list[Record]:
    """Return the marked columns of each recovery code, and the mark."""
    return await conn.fetch(SELECT_ALL_CODES)


async def mark_code(conn: Connection, *values: object) -> None:
    """Replace the mark of an unchanged recovery code. values: as read, and the new mark."""
    await conn.execute(MARK_CODE, *values)
