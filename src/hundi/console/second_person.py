"""Whether a person may be the second one: not the requester, and not linked by the requester."""

from hundi.console.visits import ConsoleVisit
from hundi.staff.people.history.actions import history_of
from hundi.staff.trail import actions as trail
from hundi.staff.trail.rules import COMMAND_LINE


async def linkers(visit: ConsoleVisit) -> set[int]:
    """Return who may have made the person's link to sign in: they need another second person."""
    return (await history_of(visit.db, visit.gateway.vault, visit.person.person_id)).linkers()


async def proposers(
    visit: ConsoleVisit, merchant_id: int, act: str, about: object, **detail: str
) -> set[int]:
    """Return who did an act on one thing of a merchant last, as the trail proves.

    A row has only a name, and a command is no person. detail: further facts of the entry, where one
    thing may be proposed again.
    """
    noun = act.partition(".")[0]
    entries = await trail.proved_about(visit.db, visit.gateway.vault, merchant_id, noun, about)
    entries_of_act = [
        entry
        for entry in entries
        if entry.act == act and detail.items() <= trail.detail_of(entry).items()
    ]
    return {entry.person_id for entry in entries_of_act[-1:]} - {COMMAND_LINE}


async def is_second(visit: ConsoleVisit, requesters: set[int]) -> bool:
    """Return whether the person is none of the requesters, and invited by none of them."""
    return not requesters & ({visit.person.person_id} | await linkers(visit))
