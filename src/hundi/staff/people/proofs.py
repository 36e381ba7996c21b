"""What proves how people sign in and what they may do: marks under a key outside the database.

Whoever can write rows, and does not have the key, sets nobody's password, adds no code and gives no role.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.marks import Value, holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.staff.people import store
from hundi.staff.people.rules import OPERATOR, Membership, Role
from hundi.staff.people.store import Marked, Secrets
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

PASSKEY = "staff-passkey"
"""What the mark of a passkey is for: whose it is, and the key that proves it."""
_SECRETS, _CODE, _ROLE = "staff-secrets", "staff-recovery-code", "staff-role"
_log = structlog.get_logger(__name__)
_NOTHING = Secrets("", None, 0)


def secrets_mark(vault: Vault, person_id: int, password_hash: str, sealed_totp: bytes | None) -> bytes:
    """Return the mark of a person's password and second factor."""
    return mark_of(vault, _SECRETS, person_id, password_hash, sealed_totp)


def code_mark(vault: Vault, person_id: int, code_hash: bytes) -> bytes:
    """Return the mark of a recovery code."""
    return mark_of(vault, _CODE, person_id, code_hash)


def role_mark(vault: Vault, merchant_id: int, person_id: int, role: Role) -> bytes:
    """Return the mark of a person's role at a merchant."""
    return mark_of(vault, _ROLE, merchant_id, person_id, role.value)


async def secrets_of(source: Queries, vault: Vault, person_id: int) -> Secrets:
    """Return what a person's sign-in is checked against; nothing where it was not set here."""
    kept = await store.secrets_of(source, person_id)
    told = person_id, kept.password_hash, kept.sealed_totp
    if holds(vault, _SECRETS, kept.mark, *told):
        return kept
    if kept.password_hash:
        _log.warning("sign_in_without_mark", person=person_id, remedy="look at hundi staff mark")
    return _NOTHING


def mark_anew(vault: Vault, row: Record, sealed_totp: bytes) -> bytes:
    """Return the mark of secrets whose factor is sealed anew; one that does not hold stays as it is."""
    person_id, password_hash = row["person_id"], row["password_hash"]
    proved = holds(vault, _SECRETS, row["mark"], person_id, password_hash, row["sealed_totp"])
    return secrets_mark(vault, person_id, password_hash, sealed_totp) if proved else row["mark"]


async def set_password(  # noqa: PLR0913 (whose, and what in place of what)
    db: Database, vault: Vault, person_id: int, kept: Secrets, hashed: str, now: datetime
) -> None:
    """Write another password beside the same factor, unless one was chosen meanwhile. kept: as read."""
    mark = secrets_mark(vault, person_id, hashed, kept.sealed_totp)
    await db.execute(store.SET_PASSWORD, person_id, hashed, mark, now, kept.password_hash)


async def use_code(source: Queries, vault: Vault, person_id: int, code_hash: bytes, now: datetime) -> bool:
    """Take a recovery code; False when none is good. One that was not made here is used up."""
    mark = await store.use_code(source, person_id, code_hash, now)
    return mark is not None and holds(vault, _CODE, mark, person_id, code_hash)


async def role_at(source: Queries, vault: Vault, merchant_id: int, person_id: int) -> Role | None:
    """Return a person's role at a merchant, None where they have none that was given here."""
    found = await store.membership_at(source, merchant_id, person_id)
    return found.role if found and _is_given(vault, found) else None


async def memberships_of(source: Queries, vault: Vault, person_id: int) -> list[Membership]:
    """Return where a person has a role that was given here."""
    return [each for each in await store.memberships_of(source, person_id) if _is_given(vault, each)]


def _is_given(vault: Vault, member: Membership) -> bool:
    told = member.merchant_id, member.person_id, member.role.value
    return holds(vault, _ROLE, member.mark, *told)


async def take_over(db: Database, vault: Vault, by: Who, now: datetime) -> int:
    """Mark passwords, second factors, codes and roles that are older than the marks; return how many.

    Somebody must have looked at `store.SELECT_UNMARKED` before: whoever wrote such a row, it holds from then on. What
    has a mark that is wrong was changed by somebody, and is left as it is.
    """
    done = 0
    async with db.transaction() as conn:
        for purpose, kind in _MARKED.items():
            if kind is not store.PASSKEYS:
                done += await _mark_all(conn, vault, purpose, kind, lambda mark, _told: not mark)
        if done:
            await trail.record(conn, OPERATOR, by, "person.take_over", done, now)
    return done


async def remark(db: Database, vault: Vault) -> int:
    """Mark under the newest key what an older one proves; return how many rows."""
    done = 0
    for purpose, kind in _MARKED.items():
        older = partial(_is_older, vault, purpose)
        async with db.transaction() as conn:
            done += await _mark_all(conn, vault, purpose, kind, older)
    return done


_MARKED = {_SECRETS: store.SECRETS, _CODE: store.CODES, _ROLE: store.ROLES, PASSKEY: store.PASSKEYS}


def _is_older(vault: Vault, purpose: str, mark: bytes, told: tuple[Value, ...]) -> bool:
    return mark != mark_of(vault, purpose, *told) and holds(vault, purpose, mark, *told)


async def _mark_all(
    conn: Connection, vault: Vault, purpose: str, kind: Marked, chosen: Callable[[bytes, tuple[Value, ...]], bool]
) -> int:
    done = 0
    for row in await conn.fetch(kind.select):
        *values, mark = row.values()
        told = tuple(values)
        if chosen(mark, told):
            await conn.execute(kind.update, *told, mark, mark_of(vault, purpose, *told))
            done += 1
    return done
