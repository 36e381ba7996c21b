"""The actions of the status page: look at all components, read what was seen, delete old rows."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.acquirers.registry import Member, Registry
from hundi.infra.monitoring import store as monitoring
from hundi.infra.postgres.database import Database
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import utc_now
from hundi.payments.availability.actions import is_answering
from hundi.payments.routing import actions as routing
from hundi.payments.routing.health.rules import Outcomes
from hundi.status import rules, store
from hundi.status.acquirer_names import store as acquirer_names
from hundi.status.acquirer_names.rules import public_acquirers
from hundi.status.announcements import store as announcements
from hundi.status.announcements.rules import StatusAnnouncement, with_announcements
from hundi.status.rules import (
    OWN,
    OWN_NAMES,
    WATCH,
    ComponentGroup,
    ComponentSpell,
    ComponentState,
    StatusComponent,
    key_of,
)

SPELLS_MAX = 10_000
"""The most spells that are read for the page, newest first."""
ANNOUNCEMENTS_MAX = 200
"""The most announcements that are read, latest first."""


@dataclass(frozen=True, slots=True)
class StatusPicture:
    """What is known of all components.

    read_at: when it was read (UTC). looked_at: when a worker last looked; None for never. spells,
    announcements: newest first.
    """

    read_at: datetime
    looked_at: datetime | None
    spells: Sequence[ComponentSpell]
    announcements: Sequence[StatusAnnouncement]
    names: Mapping[str, str]


def shared(connectors: Registry) -> list[Member]:
    """Return the operator's acquirers that take new payments; none that is a merchant's own."""
    return [each for each in connectors.members if each.takes_new and not each.merchants]


def components(connectors: Registry, names: Mapping[str, str]) -> list[StatusComponent]:
    """Return the components that stand on the page, in its order.

    names: the public names of acquirers that an operator chose.
    """
    members = shared(connectors)
    able = {method for each in members for method in each.can}
    methods = [
        StatusComponent(
            key_of(ComponentGroup.METHOD, code),
            f"method-{code}",
            channel.name,
            channel.description,
            ComponentGroup.METHOD,
        )
        for code, channel in CHANNELS.items()
        if any(method.name in able for method in channel.methods)
    ]
    accounts = ((each.connector.name, each.brand) for each in members)
    acquirers = [
        StatusComponent(
            key_of(ComponentGroup.ACQUIRER, each.account),
            each.public_id,
            each.name,
            "",
            ComponentGroup.ACQUIRER,
        )
        for each in public_acquirers(accounts, names)
    ]
    return [*OWN, *methods, *acquirers]


async def look(
    db: Database, connectors: Registry, now: datetime, *, was_lost: bool = False
) -> None:
    """Look at all components, and write each whose state is another one.

    Several workers may look; one writes. now: by the world's clock. was_lost: since its last look
    this worker could not reach the database. Raises the errors of an unreachable database.
    """
    announced = await announcements.since(db, now, ANNOUNCEMENTS_MAX)
    states = with_announcements(await _measured(db, connectors), announced, OWN_NAMES, now)
    async with db.transaction() as conn:
        counts, looked_at = await store.claim(conn, now, WATCH / 2)
        if not counts:
            return
        going_on = await store.going_on(conn)
        changes = rules.changes(going_on, looked_at, states, now, was_lost=was_lost)
        for component, moment in changes.ended.items():
            await store.end(conn, component, moment)
        for spell in changes.written:
            await store.write(conn, spell)


async def _measured(db: Database, connectors: Registry) -> dict[str, ComponentState]:
    """Return the state of each component as it is measured, by its key."""
    members = shared(connectors)
    silent = {
        each.connector.name
        for each in members
        if not await is_answering(connectors, each.connector)
    }
    outcomes = await routing.outcomes_of_methods(db, utc_now())
    states = rules.own_states(
        dict(await monitoring.select_overdue_s(db, utc_now())), await store.late_s(db)
    )
    by_channel: dict[str, dict[str, list[Outcomes]]] = defaultdict(lambda: defaultdict(list))
    for member in members:
        name = member.connector.name
        parts = [outcomes.get((name, method), Outcomes(0, 0)) for method in member.can]
        states[key_of(ComponentGroup.ACQUIRER, name)] = rules.state_of(
            parts, len(parts) if name in silent else 0
        )
        for code, channel in CHANNELS.items():
            takes = [each.name for each in channel.methods if each.name in member.can]
            by_channel[code][name] += [outcomes.get((name, each), Outcomes(0, 0)) for each in takes]
    for code, by_acquirer in by_channel.items():
        able = {name: parts for name, parts in by_acquirer.items() if parts}
        if able:
            states[key_of(ComponentGroup.METHOD, code)] = rules.state_of(
                [_together(parts) for parts in able.values()], len(silent & able.keys())
            )
    return states


def _together(parts: Iterable[Outcomes]) -> Outcomes:
    parts = list(parts)
    return Outcomes(sum(each.ended for each in parts), sum(each.troubled for each in parts))


async def read(db: Database, now: datetime) -> StatusPicture:
    """Read what is known of all components. Raises the errors of an unreachable database."""
    begin = now - rules.KEPT
    return StatusPicture(
        now,
        await store.looked_at(db),
        await store.since(db, begin, SPELLS_MAX),
        await announcements.since(db, begin, ANNOUNCEMENTS_MAX),
        await acquirer_names.select_all(db),
    )


async def sweep(db: Database, now: datetime) -> None:
    """Delete what ended so long ago that it is not shown any more. now: by the world's clock."""
    await store.delete_old(db, now - rules.KEPT)
    await announcements.delete_old(db, now - rules.KEPT)
