"""The status as JSON, in the words that readers of status pages know (decision 0075)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from hundi.api.status.view import StatusView
from hundi.kernel.clock import INDIA
from hundi.status.announcements.rules import AnnouncementKind, StatusAnnouncement
from hundi.status.history.rules import first_day
from hundi.status.rules import OWN_NAMES, ComponentState, StatusComponent

Indicator = Literal["none", "minor", "major", "critical", "maintenance"]
_INDICATORS: dict[ComponentState, Indicator] = {
    ComponentState.UNKNOWN: "none",
    ComponentState.OPERATIONAL: "none",
    ComponentState.MAINTENANCE: "maintenance",
    ComponentState.DEGRADED: "minor",
    ComponentState.PARTIAL: "major",
    ComponentState.OUTAGE: "critical",
}


class PageFacts(msgspec.Struct, frozen=True):
    """The page. updated_at: when all components were last looked at; null for never."""

    name: str
    url: str
    time_zone: str
    updated_at: str | None


class StatusFacts(msgspec.Struct, frozen=True):
    """The worst of all components, and the sentence for people."""

    indicator: Indicator
    description: str


class ComponentFacts(msgspec.Struct, frozen=True):
    """A component. days: its worst state of each day from first_day; availability: in percent."""

    id: str
    name: str
    group: str
    status: ComponentState
    availability: float | None
    days: Sequence[ComponentState]


class AnnouncementFacts(msgspec.Struct, frozen=True):
    """An incident or maintenance. components: their ids. end_at: null while an incident goes on."""

    id: str
    name: str
    status: str
    components: Sequence[str]
    start_at: str
    end_at: str | None


class ImpactFacts(msgspec.Struct, frozen=True):
    """A component's time in a state. end_at: null while it goes on."""

    component_id: str
    component_status: ComponentState
    start_at: str
    end_at: str | None


class StatusDocument(msgspec.Struct, frozen=True):
    """The whole document."""

    page: PageFacts
    status: StatusFacts
    database_silent_since: str | None
    first_day: str
    components: Sequence[ComponentFacts]
    incidents: Sequence[AnnouncementFacts]
    scheduled_maintenances: Sequence[AnnouncementFacts]
    component_impacts: Sequence[ImpactFacts]


def document_json(view: StatusView, name: str, url: str) -> bytes:
    """Return the status as JSON. name: of the page."""
    components = [each.component for each in view.components]
    document = StatusDocument(
        PageFacts(name, url, "Asia/Kolkata", _moment(view.looked_at)),
        StatusFacts(_INDICATORS[view.verdict.state], view.verdict.headline),
        _moment(view.silent_since),
        first_day(view.made_at).isoformat(),
        [
            ComponentFacts(
                each.component.public_id,
                each.component.name,
                each.component.group,
                each.state,
                percent(each.available),
                [day.worst for day in each.days],
            )
            for each in view.components
        ],
        _announced(view, AnnouncementKind.INCIDENT, components),
        _announced(view, AnnouncementKind.MAINTENANCE, components),
        [
            ImpactFacts(
                each.component.public_id,
                each.state,
                _text(each.began_at),
                _moment(each.ended_at),
            )
            for each in view.changes
        ],
    )
    return msgspec.json.encode(document)


def percent(share: float | None) -> float | None:
    """Return a share in percent with two decimals, never rounded up."""
    return None if share is None else int(share * 10_000) / 100


def _announced(
    view: StatusView, kind: AnnouncementKind, components: Sequence[StatusComponent]
) -> list[AnnouncementFacts]:
    return [
        AnnouncementFacts(
            str(each.announcement_id),
            each.sentence,
            standing_of(each, view.made_at),
            concerned(each, components),
            _text(each.begins_at),
            _moment(each.ends_at),
        )
        for each in view.announcements
        if each.kind is kind
    ]


def concerned(announcement: StatusAnnouncement, components: Sequence[StatusComponent]) -> list[str]:
    """Return the ids of the components that an announcement is about."""
    return [each.public_id for each in components if announcement.concerns(each.key, OWN_NAMES)]


def standing_of(announcement: StatusAnnouncement, now: datetime) -> str:
    """Return how an announcement stands, in the words of status pages."""
    is_incident = announcement.kind is AnnouncementKind.INCIDENT
    if announcement.is_over(now):
        return "resolved" if is_incident else "completed"
    if announcement.goes_on(now):
        return "identified" if is_incident else "in_progress"
    return "scheduled"


def _text(moment: datetime) -> str:
    return moment.astimezone(INDIA).isoformat(timespec="seconds")


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else _text(moment)
