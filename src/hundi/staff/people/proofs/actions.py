"""Proofs of how people sign in and what they may do.

Passwords, factors, codes and passkeys have marks under a key outside the database, and the trail
tells the newest password setting and each role. So write access to rows without the key sets no
password, restores no older one, adds no code and gives no role.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog
from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.people import store
from hundi.staff.people.history.actions import GENERATION, History, histories_of, history_of
from hundi.staff.people.passkeys import store as passkeys
from hundi.staff.people.rules import OPERATOR, Membership, Person, Role
from hundi.staff.people.store import Secrets
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import EMAIL, Who
from hundi.staff.trail.rules import RowKind

PASSKEY = "staff-passkey"
"""The purpose of a passkey's mark: its person, and the key that proves it."""
_SECRETS, _CODE = "staff-secrets", "staff-recovery-code"
TAKE_OVER = "person.take_over"
_EVERYBODY = "everybody"
"""The subject of the entry that ends the take-over: no person."""
_ROWS = "rows"
"""Detail of that entry: the other kinds of rows that were taken over."""
_FIRST_ROWS = "merchant account plan"
"""Those of an entry without the detail."""
_log = structlog.get_logger(__name__)
_NOTHING = Secrets("", None, 0)


def secrets_mark(
    vault: Vault, person_id: int, password_hash: str, sealed_totp: bytes | None, generation: int
) -> bytes:
    """Return the mark of a person's password and second factor."""
    return mark_of(vault, _SECRETS, person_id, password_hash, sealed_totp, generation)


def code_mark(vault: Vault, person_id: int, code_hash: bytes) -> bytes:
    """Return the mark of a recovery code."""
    return mark_of(vault, _CODE, person_id, code_hash)


# --- secrets ---


async def secrets_of(source: Queries, vault: Vault, person_id: int) -> Secrets:
    """Return the values that a sign-in is checked against; none if they were not set here."""
    secrets = await store.secrets_of(source, person_id)
    fields = person_id, secrets.password_hash, secrets.sealed_totp, secrets.generation
    if holds(vault, _SECRETS, secrets.mark, *fields):
        if secrets.generation == (await history_of(source, vault, person_id)).generation():
            return secrets
        _log.warning(
            "older_password_put_back", person=person_id, remedy="make a link with hundi staff reset"
        )
    elif secrets.password_hash:
        remedy = "make a link with hundi staff reset, or after an upgrade look at hundi staff mark"
        _log.warning("password_without_mark", person=person_id, remedy=remedy)
    return _NOTHING


def mark_anew(vault: Vault, row: Record, sealed_totp: bytes) -> bytes:
    """Return the new mark of secrets that are sealed again; a wrong mark stays as it is."""
    person_id, password_hash, generation = row["person_id"], row["password_hash"], row["generation"]
    proved = holds(
        vault, _SECRETS, row["mark"], person_id, password_hash, row["sealed_totp"], generation
    )
    return (
        secrets_mark(vault, person_id, password_hash, sealed_totp, generation)
        if proved
        else row["mark"]
    )


async def hash_anew(
    source: Queries, vault: Vault, person_id: int, secrets: Secrets, hashed: str, now: datetime
) -> bool:
    """Write another hash of the same password; return False if another password was chosen.

    secrets: as read.
    """
    return await _write(source, vault, person_id, secrets, (hashed, secrets.generation), now)


async def change_password(
    db: Database, by: Who, secrets: Secrets, hashed: str, now: datetime
) -> bool:
    """Write another password beside the same factor; return False if another was chosen.

    secrets: as read.
    """
    generation = secrets.generation + 1
    async with db.transaction() as conn:
        if not await _write(conn, by.vault, by.person_id, secrets, (hashed, generation), now):
            return False
        await record_setting(
            conn, by, "person.change_password", by.person_id, now, generation=generation
        )
    return True


async def _write(
    source: Queries,
    vault: Vault,
    person_id: int,
    secrets: Secrets,
    setting: tuple[str, int],
    now: datetime,
) -> bool:
    mark = secrets_mark(vault, person_id, setting[0], secrets.sealed_totp, setting[1])
    new = replace(secrets, password_hash=setting[0], generation=setting[1], mark=mark)
    return await store.set_password(source, person_id, new, secrets, now)


async def record_setting(
    conn: Connection, by: Who, act: str, person_id: int, now: datetime, **detail: object
) -> None:
    """Record an act on how a person signs in, at each of their places.

    In the operator's trail if they have none.
    """
    places = [member.merchant_id for member in await memberships_of(conn, by.vault, person_id)]
    for place in places or (OPERATOR,):
        await trail.record(conn, place, by, act, person_id, now, **detail)


async def use_code(
    source: Queries, vault: Vault, person_id: int, code_hash: bytes, now: datetime
) -> bool:
    """Use up a recovery code; return False if it is not valid, also for one not made here."""
    mark = await store.use_code(source, person_id, code_hash, now)
    return mark is not None and holds(vault, _CODE, mark, person_id, code_hash)


# --- roles ---


async def role_at(source: Queries, vault: Vault, merchant_id: int, person_id: int) -> Role | None:
    """Return a person's role at a merchant, None if they have none that was given here."""
    membership = await store.membership_at(source, merchant_id, person_id)
    return membership.role if membership and await given(source, vault, [membership]) else None


async def memberships_of(source: Queries, vault: Vault, person_id: int) -> list[Membership]:
    """Return a person's memberships whose role was given here."""
    return await given(source, vault, await store.memberships_of(source, person_id))


async def given(source: Queries, vault: Vault, members: Collection[Membership]) -> list[Membership]:
    """Return those memberships whose role was given here."""
    # A place's trail has all about roles there: this place works on while another's node is lost.
    roles = dict[tuple[int, int], Role | None]()
    for place in {each.merchant_id for each in members}:
        here = {each.person_id for each in members if each.merchant_id == place}
        for person_id, history in (await histories_of(source, vault, here, place)).items():
            roles[place, person_id] = history.roles().get(place)
    return [each for each in members if roles[each.merchant_id, each.person_id] is each.role]


# --- what is older than the marks ---


@dataclass(frozen=True, slots=True)
class UnprovedPerson:
    """A person with data older than the marks, or written by SQL.

    password: neither it nor the factor has a mark. codes: recovery codes without one. roles: by
    place, if the trail proves nothing about them.
    """

    person: Person
    password: bool
    codes: int
    roles: Mapping[int, Role]


async def unproved(source: Queries, vault: Vault) -> list[UnprovedPerson]:
    """Return the people whom the operator reviews before the take-over, by address."""
    rows = {row["person_id"]: row for row in await store.unmarked(source)}
    people = await store.people_of(source, list(rows))
    histories = await histories_of(source, vault, rows)
    found = list[UnprovedPerson]()
    for person_id, row in rows.items():
        roles = _older_roles(histories[person_id], await store.memberships_of(source, person_id))
        if row["password"] or row["codes"] or roles:
            found.append(UnprovedPerson(people[person_id], row["password"], row["codes"], roles))
    return found


def _older_roles(history: History, members: Collection[Membership]) -> dict[int, Role]:
    """Return the roles at places where the trail proves nothing.

    Elsewhere SQL wrote another role.
    """
    places = history.known_places()
    return {
        member.merchant_id: member.role for member in members if member.merchant_id not in places
    }


async def is_taken_over(source: Queries, vault: Vault) -> bool:
    """Return whether the data older than the marks has been taken over."""
    return await trail.was_done(source, vault, OPERATOR, TAKE_OVER)


async def kinds_taken_over(source: Queries, vault: Vault) -> set[str]:
    """Return the kinds of rows beside people that were taken over, each kind once."""
    entries = await trail.proved_about(source, vault, OPERATOR, "person", _EVERYBODY)
    return {
        kind
        for each in entries
        for kind in str(trail.detail_of(each).get(_ROWS, _FIRST_ROWS)).split()
    }


async def close_take_over(conn: Connection, by: Who, now: datetime, people: int = 0) -> None:
    """Record that nothing more is taken over: SQL wrote any later row without mark or entry."""
    detail: dict[str, object] = {"after": "none", "people": people, _ROWS: " ".join(RowKind)}
    await trail.record(conn, OPERATOR, by, TAKE_OVER, _EVERYBODY, now, **detail)


async def take_over(
    conn: Connection, shown: Collection[UnprovedPerson], by: Who, now: datetime
) -> None:
    """Mark passwords, factors, codes and roles that are older than the marks.

    A person must have reviewed each, because every marked row is valid from then on, whoever wrote
    it. Done once, after the upgrade. A wrong mark, and a role that changed since it was shown, are
    left as they are. Raises Refused (STATE_FORBIDS).
    """
    for person_id in sorted(unproved.person.person_id for unproved in shown):
        await store.lock(conn, person_id)
    if await is_taken_over(conn, by.vault):
        allowed = "nothing: use hundi staff reset for a password, hundi staff role for a role"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="yes", received="taken over before", allowed=allowed
        )
    await close_take_over(conn, by, now, len(shown))
    for unproved in shown:
        await _take_over(conn, unproved, by, now)


async def _take_over(conn: Connection, shown: UnprovedPerson, by: Who, now: datetime) -> None:
    person_id = shown.person.person_id
    secrets = await store.secrets_of(conn, person_id)
    history = await history_of(conn, by.vault, person_id)
    detail: dict[str, object] = {
        EMAIL: shown.person.email,
        "codes": shown.codes,
        "password": shown.password,
    }
    setting = secrets.password_hash, history.generation() + 1
    if (
        shown.password
        and not secrets.mark
        and await _write(conn, by.vault, person_id, secrets, setting, now)
    ):
        detail[GENERATION] = setting[1]
    if shown.codes:
        for code_hash in await store.codes_unmarked(conn, person_id):
            mark = code_mark(by.vault, person_id, code_hash)
            await store.mark_code(conn, person_id, code_hash, b"", mark)
    present = await store.memberships_of(conn, person_id)
    roles = history.roles()
    roles |= {
        row.merchant_id: row.role for row in present if shown.roles.get(row.merchant_id) is row.role
    }
    for place in roles or (OPERATOR,):
        await trail.record(
            conn, place, by, TAKE_OVER, person_id, now, after=roles.get(place, "none"), **detail
        )


# --- another key ---


async def remark(db: Database, vault: Vault) -> int:
    """Mark under the newest key what an older key proves; return how many rows."""
    count = 0
    for purpose, (read, write) in _MARKED.items():
        async with db.transaction() as conn:
            for row in await read(conn):
                *values, mark = row.values()
                newest = mark_of(vault, purpose, *values)
                if mark != newest and holds(vault, purpose, mark, *values):
                    await write(conn, *values, mark, newest)
                    count += 1
    return count


_MARKED = {
    _SECRETS: (store.all_secrets, store.mark_secrets),
    _CODE: (store.all_codes, store.mark_code),
    PASSKEY: (passkeys.select_all, passkeys.replace_mark),
}
