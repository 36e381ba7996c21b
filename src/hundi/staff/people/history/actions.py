"""What the trail proves about a person: address, roles, and the current password setting.

The gateway works with the tables of people; the trail proves them. Without the key nobody can write
an entry with a valid mark. So a row that the trail does not prove counts for nothing, and neither
does an older row that was put back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hundi.infra.postgres.database import Queries
from hundi.infra.secrets.vault import Vault
from hundi.staff.people.rules import Role
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import EMAIL, CheckedEntry, detail_of
from hundi.staff.trail.rules import Entry

GENERATION = "generation"
"""Detail of an entry: the number of the password setting; a person's first is 1."""
LINK, MADE_BY = "link", "made_by"
"""Details of an entry: the hash of a made or used one-time link, and the used one's maker."""
CREDENTIAL = "credential"
"""Detail of an entry: the hash of the passkey that was added or removed."""
_ROLE_AFTER = {
    "person.invite": "role",
    "person.change_role": "after",
    "person.remove": "after",
    "person.end": "after",
    "person.take_over": "after",
}
"""The acts that change a role, and the detail with the new role."""
_LINKING = frozenset({"person.invite", "person.reset"})
_JOINING = frozenset({"person.accept", "person.renew"})
_ROLES = frozenset(role.value for role in Role)


@dataclass(frozen=True, slots=True)
class History:
    """A person's entries in the trails of all places, oldest first at each place."""

    entries: tuple[CheckedEntry, ...] = ()

    def generation(self) -> int:
        """Return the number of their newest password setting, 0 if it is older than the marks."""
        return max(map(_generation, self._proved()), default=0)

    def roles(self) -> dict[int, Role]:
        """Return their roles by place."""
        return {
            place: Role(role)
            for place, role in self._last_roles(self._proved()).items()
            if role in _ROLES
        }

    def known_places(self) -> set[int]:
        """Return the places at which the trail proves their role, or that they have none."""
        return set(self._last_roles(self._proved()))

    def places(self) -> set[int]:
        """Return the places to which they may belong.

        Unproved ones count, because they only forbid.
        """
        roles = self._last_roles(checked.entry for checked in self.entries)
        return {place for place, role in roles.items() if role in _ROLES} | set(self.roles())

    def has_joined(self) -> bool:
        """Return whether they may have chosen a password."""
        entries = [checked.entry for checked in self.entries]
        return any(entry.act in _JOINING or _generation(entry) for entry in entries)

    def is_called(self, email: str) -> bool:
        """Return whether they were invited with this address."""
        addresses = {
            detail_of(entry)[EMAIL] for entry in self._proved() if EMAIL in detail_of(entry)
        }
        return not addresses or addresses == {email}

    def allows_link(self, link_hash: str) -> bool:
        """Return whether a one-time link is the newest one made for them, and was not used."""
        links = [detail_of(entry).get(LINK) for entry in self._proved() if entry.act in _LINKING]
        used = {detail_of(entry).get(LINK) for entry in self._proved() if entry.act in _JOINING}
        return link_hash in links and link_hash not in used and not self._is_withdrawn(link_hash)

    def has_passkey(self, credential: str) -> bool:
        """Return whether a passkey was added and neither removed nor replaced since."""
        added = [
            entry
            for entry in self._proved()
            if entry.act == "person.add_passkey" and detail_of(entry).get(CREDENTIAL) == credential
        ]
        ends = [
            entry
            for entry in self._proved()
            if entry.act in _JOINING | {"person.end"}
            or (
                entry.act == "person.remove_passkey"
                and detail_of(entry).get(CREDENTIAL) == credential
            )
        ]
        return bool(added) and not any(_is_after(entry, added[-1]) for entry in ends)

    def linkers(self) -> set[int]:
        """Return the possible makers of the link by which they last chose password and factor.

        0 is the command line. One person, if the trail proves it; before the marks everybody who
        made one.
        """
        joined = [
            entry
            for entry in self._proved()
            if entry.act in _JOINING and MADE_BY in detail_of(entry)
        ]
        if joined:
            return {int(detail_of(max(joined, key=_generation))[MADE_BY])}
        return {
            checked.entry.person_id for checked in self.entries if checked.entry.act in _LINKING
        }

    def _proved(self) -> list[Entry]:
        return [checked.entry for checked in self.entries if checked.is_proved]

    def _is_withdrawn(self, link_hash: str) -> bool:
        """Return whether a later act withdrew a link: another link, another place, or the end."""
        linking = [entry for entry in self._proved() if entry.act in _LINKING | {"person.end"}]
        (making, *_) = [entry for entry in linking if detail_of(entry).get(LINK) == link_hash]
        return any(entry is not making and _is_after(entry, making) for entry in linking)

    @staticmethod
    def _last_roles(entries: Iterable[Entry]) -> dict[int, str]:
        roles: dict[int, str] = {}
        for entry in entries:
            name = _ROLE_AFTER.get(entry.act)
            if name:
                role = detail_of(entry).get(name)
                roles[entry.merchant_id] = role if isinstance(role, str) else ""
        return roles


def _is_after(entry: Entry, other: Entry) -> bool:
    """Return whether an entry came after another: by number in one trail, by time in two."""
    if entry.merchant_id == other.merchant_id:
        return entry.entry_no > other.entry_no
    return entry.at > other.at


def _generation(entry: Entry) -> int:
    number = detail_of(entry).get(GENERATION, 0)
    return number if isinstance(number, int) else 0


async def history_of(source: Queries, vault: Vault, person_id: int) -> History:
    """Return what the trail proves about a person."""
    return (await histories_of(source, vault, (person_id,)))[person_id]


async def histories_of(
    source: Queries, vault: Vault, person_ids: Iterable[int], merchant_id: int | None = None
) -> Mapping[int, History]:
    """Return what the trail proves about people, by their ids.

    merchant_id: only the trail of this place, which has all about roles there; None for all places.
    """
    ids = list(person_ids)
    entries = await trail.about_people(source, vault, ids, merchant_id)
    return {person_id: History(tuple(entries.get(str(person_id), ()))) for person_id in ids}
