"""What the trail tells about a person: address, roles, and which setting of the password counts.

The tables of people are what the gateway works with; the trail proves them. Who can write rows, and has no key, writes
no entry whose mark holds, so a row that the trail does not tell counts for nothing, an older row put back among them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hundi.infra.postgres.database import Queries
from hundi.infra.secrets.vault import Vault
from hundi.staff.people.rules import Role
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Told

GENERATION = "generation"
"""Detail of an entry: the how manieth setting of a person's password it tells of."""
_ROLE_AFTER = {
    "person.invite": "role",
    "person.change_role": "after",
    "person.remove": "after",
    "person.take_over": "after",
}
"""The acts that give or take a role, and the detail that names what the person is from then on."""
_LINKING, _JOINING = {"person.invite", "person.reset"}, {"person.accept", "person.renew"}


@dataclass(frozen=True, slots=True)
class History:
    """A person's entries in the trails of all places, oldest first at each place."""

    told: tuple[Told, ...] = ()

    def generation(self) -> int:
        """Return the newest setting of their password, 0 for one that is older than the marks."""
        return max((_detail(each).get(GENERATION, 0) for each in self.told if each.is_proved), default=0)

    def roles(self) -> dict[int, Role]:
        """Return their roles by place."""
        return {place: Role(role) for place, role in self._last_roles(proved=True).items() if role in set(Role)}

    def places(self) -> set[int]:
        """Return where they may belong: what nobody proved counts, too, as it only ever forbids."""
        return {place for place, role in self._last_roles(proved=False).items() if role in set(Role)} | {*self.roles()}

    def has_joined(self) -> bool:
        """Return whether they may have chosen a password."""
        return any(each.entry.act in _JOINING or GENERATION in _detail(each) for each in self.told)

    def is_called(self, email: str) -> bool:
        """Return whether an address is the one by which they were invited."""
        known = {_detail(each)["email"] for each in self.told if each.is_proved and "email" in _detail(each)}
        return not known or known == {email}

    def linkers(self) -> set[int]:
        """Return who may have made the link by which they chose password and factor last; 0: the command line.

        One person, where the trail proves it; before the marks whoever made any.
        """
        proved = sorted((each.entry for each in self.told if each.is_proved), key=lambda each: each.at)
        joined = [place for place, each in enumerate(proved) if each.act in _JOINING]
        made = [each.person_id for each in proved[: max(joined, default=0)] if each.act in _LINKING]
        return {made[-1]} if made else {each.entry.person_id for each in self.told if each.entry.act in _LINKING}

    def _last_roles(self, *, proved: bool) -> dict[int, str]:
        found: dict[int, str] = {}
        for each in self.told:
            name = _ROLE_AFTER.get(each.entry.act)
            if name and (each.is_proved or not proved):
                found[each.entry.merchant_id] = _detail(each).get(name, "")
        return found


async def history_of(source: Queries, vault: Vault, person_id: int) -> History:
    """Return what the trail tells about a person."""
    return (await histories_of(source, vault, (person_id,)))[person_id]


async def histories_of(source: Queries, vault: Vault, person_ids: Iterable[int]) -> Mapping[int, History]:
    """Return what the trail tells about people, by their ids."""
    wanted = list(person_ids)
    told = await trail.about_people(source, vault, wanted)
    return {each: History(tuple(told.get(str(each), ()))) for each in wanted}


def _detail(told: Told) -> Mapping[str, Any]:
    return msgspec.json.decode(told.entry.detail)
