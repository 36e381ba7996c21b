"""What the status page says, from what is known: states, one verdict, days and changes; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.kernel.records import replace
from hundi.status.actions import StatusPicture
from hundi.status.announcements.rules import StatusAnnouncement, with_announcements
from hundi.status.history.rules import HistoryDay, available, begin_of, days_of, first_day
from hundi.status.rules import (
    BY_WORKER,
    GAP,
    OWN,
    OWN_NAMES,
    SEVERITY,
    ComponentGroup,
    ComponentSpell,
    ComponentState,
    StatusComponent,
)

CHANGES_MAX = 100
"""The most changes that are told, newest first."""
WORDS: Mapping[ComponentState, str] = {
    ComponentState.UNKNOWN: "Not seen yet",
    ComponentState.OPERATIONAL: "Operational",
    ComponentState.MAINTENANCE: "Maintenance",
    ComponentState.DEGRADED: "Degraded",
    ComponentState.PARTIAL: "Partial outage",
    ComponentState.OUTAGE: "Outage",
}
_FINE = (ComponentState.UNKNOWN, ComponentState.OPERATIONAL)
_VERIFY = "Ask verify before you repeat a payment whose answer you did not get."


@dataclass(frozen=True, slots=True)
class ComponentView:
    """One component with its past."""

    component: StatusComponent
    state: ComponentState
    days: Sequence[HistoryDay]
    available: float | None


@dataclass(frozen=True, slots=True)
class ComponentChange:
    """A component's time in a state other than operational. ended_at: None while it goes on."""

    component: StatusComponent
    state: ComponentState
    began_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class StatusVerdict:
    """The answer to "is it us, the gateway or the bank?". state: the worst of all components."""

    state: ComponentState
    headline: str
    advice: str


@dataclass(frozen=True, slots=True)
class StatusView:
    """Everything that the page says.

    looked_at: when a worker last looked; None for never. silent_since: since when the database has
    not answered; None: it answers. is_stale: no worker looks any more.
    """

    made_at: datetime
    looked_at: datetime | None
    silent_since: datetime | None
    is_stale: bool
    verdict: StatusVerdict
    components: Sequence[ComponentView]
    announcements: Sequence[StatusAnnouncement]
    changes: Sequence[ComponentChange]


def view_of(
    picture: StatusPicture,
    components: Sequence[StatusComponent],
    now: datetime,
    silent_since: datetime | None,
) -> StatusView:
    """Return what the page says. silent_since: since when the database has not answered."""
    looked_at = picture.looked_at
    is_stale = silent_since is None and looked_at is not None and now - looked_at > GAP
    states = _states(picture, components, now, silent_since, is_stale=is_stale)
    spells: dict[str, list[ComponentSpell]] = {each.key: [] for each in components}
    for spell in picture.spells:
        spells.setdefault(spell.component, []).append(spell)
    views: list[ComponentView] = []
    for each in components:
        days = days_of(spells[each.key], looked_at or now, now)
        views.append(ComponentView(each, states[each.key], days, available(days)))
    return StatusView(
        now,
        looked_at,
        silent_since,
        is_stale,
        _verdict(views, silent_since),
        views,
        [each for each in picture.announcements if not each.was_withdrawn],
        _changes(picture.spells, components, now),
    )


def _states(
    picture: StatusPicture,
    components: Sequence[StatusComponent],
    now: datetime,
    silent_since: datetime | None,
    *,
    is_stale: bool,
) -> dict[str, ComponentState]:
    """Return the present state of each component.

    Without a database nothing of ours works. Without a worker nothing is sent or settled. Of
    acquirers and methods the last known state counts.
    """
    seen = {each.component: each.state for each in picture.spells if each.ended_at is None}
    states = {each.key: seen.get(each.key, ComponentState.UNKNOWN) for each in components}
    states = with_announcements(states, picture.announcements, OWN_NAMES, now)
    if silent_since is not None or is_stale:
        stands_still = OWN if silent_since is not None else BY_WORKER
        states |= {each.key: ComponentState.OUTAGE for each in stands_still}
    return states


def _verdict(views: Sequence[ComponentView], silent_since: datetime | None) -> StatusVerdict:
    worst = max((each.state for each in views), key=SEVERITY.__getitem__)
    troubled = [each for each in views if each.state not in _FINE]
    ours = [each for each in troubled if each.component.group is ComponentGroup.GATEWAY]
    if silent_since is not None:
        return StatusVerdict(
            worst, "The gateway's database does not answer", f"It is us. {_VERIFY}"
        )
    if troubled and all(each.state is ComponentState.MAINTENANCE for each in troubled):
        return StatusVerdict(worst, f"Maintenance: {_names(troubled)}", _VERIFY)
    if ours:
        return StatusVerdict(
            worst,
            f"The gateway has trouble: {_names(ours)}",
            f"It is us, and not your shop. {_VERIFY}",
        )
    if troubled:
        acquirers = [each for each in troubled if each.component.group is ComponentGroup.ACQUIRER]
        return StatusVerdict(
            worst,
            f"The gateway works; there is trouble at {_names(acquirers or troubled)}",
            "It is a bank or an acquirer, and neither your shop nor the gateway. Other ways to pay"
            f" go on. {_VERIFY}",
        )
    if worst is ComponentState.UNKNOWN:
        return StatusVerdict(worst, "Nothing was seen yet", "Look again in a minute.")
    return StatusVerdict(
        worst,
        "Everything works",
        "If your calls fail now, look at your side first: every refusal has a code and names its"
        " field.",
    )


def _names(views: Sequence[ComponentView]) -> str:
    names = [each.component.name for each in views]
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _changes(
    spells: Sequence[ComponentSpell], components: Sequence[StatusComponent], now: datetime
) -> list[ComponentChange]:
    """Return the times of trouble and maintenance in the days that are shown, newest first."""
    there = {each.key: each for each in components}
    since = begin_of(first_day(now))
    troubles = [
        ComponentChange(there[each.component], each.state, each.began_at, each.ended_at)
        for each in spells
        if each.component in there
        and each.state not in _FINE
        and (each.ended_at is None or (each.ended_at > since and each.ended_at > each.began_at))
    ]
    return _joined(troubles)[:CHANGES_MAX]


def _joined(changes: Sequence[ComponentChange]) -> list[ComponentChange]:
    """Join a component's times in one state that follow each other without a gap."""
    joined: list[ComponentChange] = []
    latest: dict[str, int] = {}
    for change in changes:
        key = change.component.key
        later = joined[latest[key]] if key in latest else None
        if later and later.state is change.state and later.began_at == change.ended_at:
            joined[latest[key]] = replace(later, began_at=change.began_at)
        else:
            latest[key] = len(joined)
            joined.append(change)
    return joined
