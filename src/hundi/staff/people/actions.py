"""The actions of people: invite, accept, change roles, remove, reset."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.names import is_same_person, person_key
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.people import rules, store
from hundi.staff.people.factors.actions import hash_of, new_codes, open_totp, seal_totp
from hundi.staff.people.history.actions import GENERATION, LINK, MADE_BY, History, history_of
from hundi.staff.people.links import store as link_store
from hundi.staff.people.links.actions import check_linkers, find_link, make_link
from hundi.staff.people.passkeys import store as passkeys
from hundi.staff.people.passwords.actions import Passwords, common
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import OPERATOR, PasswordFault, Person, Role
from hundi.staff.people.store import Secrets
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import COMMAND_LINE

INVITATION_LIFE = timedelta(hours=72)
RESET_LIFE = timedelta(hours=24)
DEMO_LINK_LIFE = timedelta(minutes=10)
_HANDLE_BYTES = 32


@dataclass(frozen=True, slots=True)
class Invited:
    """An invited person. link: their one-time address, "" if they are active already."""

    person: Person
    link: str


async def invite(
    db: Database,
    merchant_id: int,
    email: str,
    name: str,
    role: Role,
    by: Who,
    now: datetime,
    *,
    across: bool = False,
) -> Invited:
    """Give a person a role, and a one-time link if they have no password yet.

    across: the inviter may give a role to a person who has one elsewhere. Only the operator may,
    who knows both places: an owner could take over the other role with a link, or give this one to
    a stranger who came first. Raises Refused (FIELD_INVALID): a bad name, address or role, or a
    person who has a role there already.
    """
    address, stored_name = rules.email_of(email), rules.name_of(name)
    if address is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="email",
            received=email[:64],
            allowed="an e-mail address",
        )
    if stored_name is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="name",
            received=name[:64],
            allowed="1 to 100 characters",
        )
    if role not in rules.roles_for(merchant_id):
        allowed = ", ".join(rules.roles_for(merchant_id))
        raise refuse(RefusalCode.FIELD_INVALID, field="role", received=role, allowed=allowed)
    async with db.transaction() as conn:
        person = await _found_or_made(conn, address, stored_name, by, now)
        if person.state == "ended":
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field="email",
                received=address,
                allowed="one of nobody who left",
            )
        history = await history_of(conn, by.vault, person.person_id)
        belongs_elsewhere = bool(await _places(conn, history, person.person_id) - {merchant_id})
        if (person.state == "active" or history.has_joined() or belongs_elsewhere) and not across:
            allowed = (
                "an address that nobody uses yet; the operator can give a person a second role"
            )
            raise refuse(
                RefusalCode.FIELD_INVALID, field="email", received=address, allowed=allowed
            )
        _check_address(history, person)
        if merchant_id == OPERATOR:
            await check_linkers(conn, by.vault, history, person)
        if not await store.insert_membership(conn, merchant_id, person.person_id, role, now):
            allowed = "somebody who has no role there yet"
            raise refuse(
                RefusalCode.FIELD_INVALID, field="email", received=address, allowed=allowed
            )
        await _check_name(conn, merchant_id, person)
        # A link that an owner elsewhere made and stored would open this place too.
        await link_store.withdraw(conn, person.person_id)
        invited = person.state == "invited"
        link = (
            await make_link(conn, by.vault, person, "invitation", INVITATION_LIFE, by.person_id)
            if invited
            else ""
        )
        detail = {
            "email": address,
            "name": person.name,
            "role": role,
            LINK: hash_of(link).hex() if link else "",
        }
        await trail.record(conn, merchant_id, by, "person.invite", person.person_id, now, **detail)
    return Invited(person, link)


async def _places(conn: Connection, history: History, person_id: int) -> set[int]:
    """Return the places of a person, in rows or in the trail: a hidden row hides no entry."""
    return history.places() | {
        each.merchant_id for each in await store.memberships_of(conn, person_id)
    }


def _check_address(history: History, person: Person) -> None:
    """Refuse a person whose row has another address: a link would go to somebody else."""
    if not history.is_called(person.email):
        allowed = "the address by which the person was invited, as the trail tells"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="email", received=person.email, allowed=allowed
        )


async def _found_or_made(conn: Connection, email: str, name: str, by: Who, now: datetime) -> Person:
    """Return the person with an address, locked.

    Of two places that invite one, the second waits.
    """
    for _ in range(ID_TRIES_MAX):
        person = await store.lock_by_email(conn, email)
        if person is not None:
            return person
        if not await store.is_older(conn):
            # A new installation: nothing there is older than the marks.
            await proofs.close_take_over(conn, by, now)
        await store.insert_person(
            conn, new_id(now), email, name, secrets.token_bytes(_HANDLE_BYTES), now
        )
    message = "no free id for a person"
    raise AssertionError(message)


async def _check_name(conn: Connection, merchant_id: int, person: Person) -> None:
    """Refuse a name that a colleague has: readers would confuse the two. Raises Refused."""
    ids = [each.person_id for each in await store.lock_members(conn, merchant_id)]
    others = (
        await store.people_of(conn, [each for each in ids if each != person.person_id])
    ).values()
    if not person_key(person.name) or any(
        is_same_person(person.name, each.name) for each in others
    ):
        allowed = "a name that nobody has there, with a letter or digit in it"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="name", received=person.name[:64], allowed=allowed
        )


async def reset(
    db: Database, merchant_id: int, person_id: int, by: Who, now: datetime, *, across: bool = False
) -> str:
    """Return a one-time link with which a person chooses a new password and second factor.

    The old ones stay good until then, so a malicious reset locks nobody out. across: as for
    `invite`. Raises Refused: NO_RECORDS for a person without a role there, and if it would open
    another merchant; FIELD_INVALID for a row with another address.
    """
    async with db.transaction() as conn:
        person = await store.lock(conn, person_id)
        history = await history_of(conn, by.vault, person_id)
        places = await _places(conn, history, person_id)
        if person is None or person.state == "ended" or (places != {merchant_id} and not across):
            raise refuse(RefusalCode.NO_RECORDS, field="person", received=str(person_id))
        _check_address(history, person)
        link = await make_link(conn, by.vault, person, "reset", RESET_LIFE, by.person_id)
        await trail.record(
            conn, merchant_id, by, "person.reset", person_id, now, **{LINK: hash_of(link).hex()}
        )
    return link


async def change_role(
    conn: Connection, merchant_id: int, person_id: int, role: Role, by: Who, now: datetime
) -> None:
    """Give a person another role at a merchant; `approvals.change_role` also ends their requests.

    Raises Refused: NO_RECORDS, FIELD_INVALID, STATE_FORBIDS if nobody would be left to change the
    people.
    """
    if role not in rules.roles_for(merchant_id):
        allowed = ", ".join(rules.roles_for(merchant_id))
        raise refuse(RefusalCode.FIELD_INVALID, field="role", received=role, allowed=allowed)
    await _check_person(conn, by.vault, person_id)
    before = await _role_to_change(conn, by.vault, merchant_id, person_id, role)
    await store.update_role(conn, merchant_id, person_id, role)
    await trail.record(
        conn, merchant_id, by, "person.change_role", person_id, now, before=before, after=role
    )


async def remove(
    conn: Connection, merchant_id: int, person_id: int, by: Who, now: datetime
) -> None:
    """Remove a person's role at a merchant; `approvals.remove_person` also ends their requests.

    Raises Refused: NO_RECORDS, STATE_FORBIDS if nobody would be left to change the people.
    """
    await _check_person(conn, by.vault, person_id)
    before = await _role_to_change(conn, by.vault, merchant_id, person_id, None)
    await store.delete_membership(conn, merchant_id, person_id)
    await trail.record(
        conn, merchant_id, by, "person.remove", person_id, now, before=before, after="none"
    )


async def end(
    conn: Connection,
    merchant_id: int,
    person_id: int,
    by: Who,
    now: datetime,
    *,
    across: bool = False,
) -> None:
    """End a person who left for good; `approvals.end_person` also ends their requests.

    All their roles, sessions, links and keys end, and nobody can invite them again. merchant_id:
    the place of the act. across: as for `invite`. Raises Refused: NO_RECORDS for a person without a
    role there, or with one elsewhere; STATE_FORBIDS if nobody would be left to change the people of
    a place.
    """
    person = await store.lock(conn, person_id)
    history = await history_of(conn, by.vault, person_id)
    places = await _places(conn, history, person_id)
    if person is None or person.state == "ended" or (places != {merchant_id} and not across):
        raise refuse(RefusalCode.NO_RECORDS, field="person", received=str(person_id))
    for place in sorted(places):
        await remove(conn, place, person_id, by, now)
    await store.end(conn, person_id, now)
    await link_store.withdraw(conn, person_id)
    await passkeys.delete_all(conn, person_id)
    # A new generation, so that a restored row has an older password.
    detail: dict[str, object] = {"after": "none", GENERATION: history.generation() + 1}
    for place in sorted({*places, merchant_id}):
        await trail.record(conn, place, by, "person.end", person_id, now, **detail)


async def _check_person(conn: Connection, vault: Vault, person_id: int) -> None:
    """Refuse an act on a row with another address. Raises Refused (FIELD_INVALID)."""
    person = await store.select(conn, person_id)
    if person is not None:
        _check_address(await history_of(conn, vault, person_id), person)


async def _role_to_change(
    conn: Connection, vault: Vault, merchant_id: int, person_id: int, after: Role | None
) -> Role:
    members = await store.lock_members(conn, merchant_id)
    role = (await history_of(conn, vault, person_id)).roles().get(merchant_id)
    # A hidden row is no removal: it would count again when it is put back.
    before = next((member.role for member in members if member.person_id == person_id), role)
    if before is None:
        raise refuse(RefusalCode.NO_RECORDS, field="person", received=str(person_id))
    if rules.leaves_nobody(await proofs.given(conn, vault, members), person_id, after):
        allowed = "another person who may change the people"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="person", received="the last owner", allowed=allowed
        )
    return before


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices of a person with a one-time link."""

    password: str
    totp_secret: str
    step: int


async def fault_of(password: str, person: Person) -> PasswordFault | None:
    """Return why a person cannot choose a password, or None."""
    return rules.password_fault(password, (person.name, person.email), common())


async def accept(
    db: Database,
    vault: Vault,
    passwords: Passwords,
    link: str,
    chosen: Chosen,
    now: datetime,
    network: str = "",
) -> tuple[Person, list[str]] | None:
    """Use a one-time link: store its person's choices, and return the person and recovery codes.

    The codes are shown this once. None if the link was used, withdrawn or is over. The caller must
    end every session of the person.
    """
    hashed = await passwords.hashed(chosen.password)
    async with db.transaction() as conn:
        link_row = await find_link(conn, vault, link)
        # The person first, as in an invitation, which withdraws links.
        person = await store.lock(conn, link_row["person_id"]) if link_row else None
        row = await link_store.use(conn, hash_of(link), world_now())
        if row is None or person is None or person.state == "ended":
            return None
        sealed = seal_totp(vault, person.person_id, chosen.totp_secret)
        generation = (await history_of(conn, vault, person.person_id)).generation() + 1
        mark = proofs.secrets_mark(vault, person.person_id, hashed, sealed, generation)
        kept = Secrets(hashed, sealed, chosen.step, mark, generation)
        await store.activate(conn, person.person_id, kept, now)
        # A person who asks for a reset may have lost the device with the passkeys.
        await passkeys.delete_all(conn, person.person_id)
        codes = await new_codes(conn, vault, person.person_id)
        who = Who(person.person_id, person.name, vault, network)
        act = f"person.{_ACCEPTED[row['purpose']]}"
        detail = {
            GENERATION: generation,
            LINK: hash_of(link).hex(),
            MADE_BY: link_row["made_by"] if link_row else COMMAND_LINE,
        }
        await proofs.record_setting(conn, who, act, person.person_id, now, **detail)
        active = await store.select(conn, person.person_id)
    return (active, codes) if active else None


_ACCEPTED = {"invitation": "accept", "reset": "renew", "demo": "accept"}


async def reseal(db: Database, vault: Vault) -> int:
    """Seal and mark all rows with the newest key; return how many had an older one."""
    count, last = 0, 0
    while rows := await store.sealed_after(db, last, 100):
        for row in rows:
            last = row["person_id"]
            if not vault.is_sealed_with_newest(row["sealed_totp"]):
                anew = seal_totp(vault, last, open_totp(vault, last, row["sealed_totp"]))
                mark = proofs.mark_anew(vault, row, anew)
                count += await store.reseal(db, row, anew, mark)
    return count + await proofs.remark(db, vault)
