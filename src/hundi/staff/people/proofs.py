"""What proves how people sign in and what they may do.

Passwords, factors, codes and passkeys have marks under a key outside the database, and the trail tells which setting of
a password is the newest and who has which role: whoever can write rows, and does not have the key, sets nobody's
password, puts no older one back, adds no code and gives no role.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.marks import Value, holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.people import store
from hundi.staff.people.history import GENERATION, History, histories_of, history_of
from hundi.staff.people.rules import OPERATOR, Membership, Person, Role
from hundi.staff.people.store import Marked, Secrets
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

PASSKEY = "staff-passkey"
"""What the mark of a passkey is for: whose it is, and the key that proves it."""
_SECRETS, _CODE = "staff-secrets", "staff-recovery-code"
_TAKE_OVER = "person.take_over"
_log = structlog.get_logger(__name__)
_NOTHING = Secrets("", None, 0)


def secrets_mark(vault: Vault, person_id: int, password_hash: str, sealed_totp: bytes | None, generation: int) -> bytes:
    """Return the mark of a person's password and second factor."""
    return mark_of(vault, _SECRETS, person_id, password_hash, sealed_totp, generation)


def code_mark(vault: Vault, person_id: int, code_hash: bytes) -> bytes:
    """Return the mark of a recovery code."""
    return mark_of(vault, _CODE, person_id, code_hash)


# --- secrets ---


async def secrets_of(source: Queries, vault: Vault, person_id: int) -> Secrets:
    """Return what a sign-in is checked against; nothing where it was not set here, or set anew since."""
    kept = await store.secrets_of(source, person_id)
    told = person_id, kept.password_hash, kept.sealed_totp, kept.generation
    if holds(vault, _SECRETS, kept.mark, *told):
        if kept.generation == (await history_of(source, vault, person_id)).generation():
            return kept
        _log.warning("older_password_put_back", person=person_id, remedy="make a link with hundi staff reset")
    elif kept.password_hash:
        remedy = "make a link with hundi staff reset, or after an upgrade look at hundi staff mark"
        _log.warning("password_without_mark", person=person_id, remedy=remedy)
    return _NOTHING


def mark_anew(vault: Vault, row: Record, sealed_totp: bytes) -> bytes:
    """Return the mark of secrets sealed anew; one that does not hold stays as it is."""
    person_id, password_hash, generation = row["person_id"], row["password_hash"], row["generation"]
    proved = holds(vault, _SECRETS, row["mark"], person_id, password_hash, row["sealed_totp"], generation)
    return secrets_mark(vault, person_id, password_hash, sealed_totp, generation) if proved else row["mark"]


async def hash_anew(  # noqa: PLR0913 (whose, and what in place of what)
    source: Queries, vault: Vault, person_id: int, kept: Secrets, hashed: str, now: datetime
) -> bool:
    """Write another hash of the same password; False where another was chosen. kept: as read."""
    return await _write(source, vault, person_id, kept, (hashed, kept.generation), now)


async def change_password(db: Database, by: Who, kept: Secrets, hashed: str, now: datetime) -> bool:
    """Write another password of who asks, beside the same factor; False where another was chosen.

    kept: as read.
    """
    async with db.transaction() as conn:
        if not await _write(conn, by.vault, by.person_id, kept, (hashed, kept.generation + 1), now):
            return False
        await record_setting(conn, by, "person.change_password", by.person_id, kept.generation + 1, now)
    return True


async def _write(  # noqa: PLR0913 (whose, and what in place of what)
    source: Queries, vault: Vault, person_id: int, kept: Secrets, chosen: tuple[str, int], now: datetime
) -> bool:
    mark = secrets_mark(vault, person_id, chosen[0], kept.sealed_totp, chosen[1])
    values = person_id, *chosen, mark, now, kept.password_hash, kept.mark
    return await source.fetchval(store.SET_PASSWORD, *values) is not None


async def record_setting(  # noqa: PLR0913 (who did what, to whom)
    conn: Connection, by: Who, act: str, person_id: int, generation: int, now: datetime
) -> None:
    """Tell of another password in the trail of each place of a person.

    Of the operator's where they have none.
    """
    for place in await _places_or_operator(conn, by.vault, person_id):
        await trail.record(conn, place, by, act, person_id, now, **{GENERATION: generation})


async def _places_or_operator(source: Queries, vault: Vault, person_id: int) -> list[int]:
    return [each.merchant_id for each in await memberships_of(source, vault, person_id)] or [OPERATOR]


async def use_code(source: Queries, vault: Vault, person_id: int, code_hash: bytes, now: datetime) -> bool:
    """Take a recovery code; False when none is good. One that was not made here is used up."""
    mark = await store.use_code(source, person_id, code_hash, now)
    return mark is not None and holds(vault, _CODE, mark, person_id, code_hash)


# --- roles ---


async def role_at(source: Queries, vault: Vault, merchant_id: int, person_id: int) -> Role | None:
    """Return a person's role at a merchant, None where they have none that was given here."""
    found = await store.membership_at(source, merchant_id, person_id)
    if found is None:
        return None
    told = (await history_of(source, vault, person_id)).roles().get(merchant_id)
    return told if told is found.role else None


async def memberships_of(source: Queries, vault: Vault, person_id: int) -> list[Membership]:
    """Return where a person has a role that was given here."""
    return await given(source, vault, await store.memberships_of(source, person_id))


async def given(source: Queries, vault: Vault, members: Collection[Membership]) -> list[Membership]:
    """Return those memberships whose role was given here."""
    histories = await histories_of(source, vault, {each.person_id for each in members})
    return [each for each in members if histories[each.person_id].roles().get(each.merchant_id) is each.role]


async def linkers_of(source: Queries, vault: Vault, person_id: int) -> set[int]:
    """Return who may have made the link by which a person chose password and factor last."""
    return (await history_of(source, vault, person_id)).linkers()


# --- what is older than the marks ---


@dataclass(frozen=True, slots=True)
class Unproved:
    """A person of whom something is older than the marks, or was written by SQL.

    password: neither it nor the factor has a mark. codes: recovery codes without one. roles: by place, those that the
    trail does not prove.
    """

    person: Person
    password: bool
    codes: int
    roles: Mapping[int, Role]


async def unproved(source: Queries, vault: Vault) -> list[Unproved]:
    """Return what the operator looks at before it is taken over, by address."""
    rows = await source.fetch(store.SELECT_UNMARKED)
    people = {row["person_id"]: row for row in rows}
    persons = await store.people_of(source, list(people))
    histories = await histories_of(source, vault, people)
    roles = {each: await store.memberships_of(source, each) for each in people}
    found = [
        Unproved(persons[each], row["password"], row["codes"], _untold(histories[each], roles[each]))
        for each, row in people.items()
    ]
    return [each for each in found if each.password or each.codes or each.roles]


def _untold(history: History, members: Collection[Membership]) -> dict[int, Role]:
    told = history.roles()
    return {each.merchant_id: each.role for each in members if told.get(each.merchant_id) is not each.role}


async def is_taken_over(source: Queries, vault: Vault) -> bool:
    """Return whether what was older than the marks has been taken over."""
    return await trail.is_told(source, vault, _TAKE_OVER)


async def take_over(db: Database, shown: Collection[Unproved], by: Who, now: datetime) -> int:
    """Mark passwords, factors, codes and roles that are older than the marks, of people who were shown.

    Somebody must have looked at each: whoever wrote such a row, it holds from then on. It is done once, after the
    upgrade: what has no mark later was written by SQL. What has a mark that is wrong, and what changed since it was
    shown, is left as it is. Returns of how many people. Raises Refused (STATE_FORBIDS).
    """
    async with db.transaction() as conn:
        if await is_taken_over(conn, by.vault):
            allowed = "what has no mark now was written by SQL: hundi staff reset, or role, does it by the trail"
            raise refuse(RefusalCode.STATE_FORBIDS, field="yes", received="taken over before", allowed=allowed)
        # Of nobody's role: it says that the upgrade is over.
        await trail.record(conn, OPERATOR, by, _TAKE_OVER, "everybody", now, after="none", people=len(shown))
        for each in shown:
            await _take_over(conn, each, by, now)
    return len(shown)


async def _take_over(conn: Connection, shown: Unproved, by: Who, now: datetime) -> None:
    person_id = shown.person.person_id
    await store.lock(conn, person_id)
    kept = await store.secrets_of(conn, person_id)
    detail: dict[str, object] = {"email": shown.person.email, "codes": shown.codes, "password": shown.password}
    history = await history_of(conn, by.vault, person_id)
    chosen = kept.password_hash, history.generation() + 1
    if shown.password and not kept.mark and await _write(conn, by.vault, person_id, kept, chosen, now):
        detail[GENERATION] = chosen[1]
    if shown.codes:
        for row in await conn.fetch(store.SELECT_CODES_UNMARKED, person_id):
            mark = code_mark(by.vault, person_id, row["code_hash"])
            await conn.execute(store.MARK_CODE, person_id, row["code_hash"], b"", mark)
    present = await store.memberships_of(conn, person_id)
    roles = history.roles()
    roles |= {each.merchant_id: each.role for each in present if shown.roles.get(each.merchant_id) is each.role}
    for place in roles or (OPERATOR,):
        await trail.record(conn, place, by, _TAKE_OVER, person_id, now, after=roles.get(place, "none"), **detail)


# --- another key ---


async def remark(db: Database, vault: Vault) -> int:
    """Mark under the newest key what an older one proves; return how many rows."""
    done = 0
    for purpose, kind in _MARKED.items():
        async with db.transaction() as conn:
            done += await _mark_all(conn, vault, purpose, kind, partial(_is_older, vault, purpose))
    return done


_MARKED = {_SECRETS: store.SECRETS, _CODE: store.CODES, PASSKEY: store.PASSKEYS}


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
