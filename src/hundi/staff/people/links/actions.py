"""One-time links: made, found, and checked for their maker."""

import secrets
from datetime import timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Queries
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.people import store as people
from hundi.staff.people.factors.actions import hash_of
from hundi.staff.people.history.actions import History, history_of
from hundi.staff.people.links import store
from hundi.staff.people.links.store import OneTimeLink
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import OPERATOR, Person
from hundi.staff.trail.rules import COMMAND_LINE

LINK_BYTES = 32

_LINK_PURPOSE = "staff-link"


async def check_linkers(conn: Connection, vault: Vault, history: History, person: Person) -> None:
    """Refuse a role with the operator for a person who signed in by another's link.

    The maker may have used it.
    """
    if not history.has_joined():
        return
    own = {
        member.person_id
        for member in await proofs.given(conn, vault, await people.members(conn, OPERATOR))
    }
    if not history.linkers() <= own | {COMMAND_LINE}:
        allowed = "somebody whose link to sign in the operator made: make them a new one first"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="email", received=person.email, allowed=allowed
        )


async def make_link(
    conn: Connection,
    vault: Vault,
    person: Person,
    purpose: str,
    life: timedelta,
    made_by: int = COMMAND_LINE,
) -> str:
    """Return the random part of a new one-time link; the person's older ones end.

    It lives by the world's clock, which a demo's clock does not move. made_by: who could use it
    instead of the person.
    """
    link = secrets.token_urlsafe(LINK_BYTES)
    now = world_now()
    ends_at = now + life
    mark = mark_of(vault, _LINK_PURPOSE, hash_of(link), person.person_id, purpose, made_by, ends_at)
    await store.withdraw(conn, person.person_id)
    await store.insert(
        conn,
        OneTimeLink(
            hash_of(link),
            person.person_id,
            purpose,
            made_at=now,
            ends_at=ends_at,
            made_by=made_by,
            mark=mark,
        ),
    )
    return link


async def find_link(source: Queries, vault: Vault, link: str) -> Record | None:
    """Return person_id, purpose and made_by of a valid one-time link; None if not made here.

    Somebody who can write rows could write a link, but has no key to mark it; a used or withdrawn
    link that is put back is not the newest in the trail.
    """
    row = await store.select_good(source, hash_of(link), world_now())
    if row is None:
        return None
    fields = (hash_of(link), row["person_id"], row["purpose"], row["made_by"], row["ends_at"])
    if not holds(vault, _LINK_PURPOSE, row["mark"], *fields):
        return None
    history = await history_of(source, vault, row["person_id"])
    return row if row["purpose"] == "demo" or history.allows_link(hash_of(link).hex()) else None
