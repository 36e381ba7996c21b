"""The list of the people of a place."""

from dataclasses import dataclass

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.staff.people import store
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import Person, Role


@dataclass(frozen=True, slots=True)
class StaffMember:
    """A person who works at a place.

    is_given: the trail proves their role; else it counts for nothing.
    """

    person: Person
    role: Role
    is_given: bool


async def members(db: Database, vault: Vault, merchant_id: int) -> list[StaffMember]:
    """Return the people of a merchant, or of the operator (0)."""
    memberships = await store.members(db, merchant_id)
    people = await store.people_of(db, [row.person_id for row in memberships])
    proved_ids = {row.person_id for row in await proofs.given(db, vault, memberships)}
    return [
        StaffMember(people[row.person_id], row.role, row.person_id in proved_ids)
        for row in memberships
    ]
