"""Rules of announcements: what is announced, when it goes on, and what it does to a state; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hundi.status.rules import SEVERITY, ComponentState

EVERYTHING = ""
"""The component of an announcement about all of the gateway's own components."""
SENTENCE_LENGTH_MAX = 200


class AnnouncementKind(StrEnum):
    """What an operator announces."""

    INCIDENT = "incident"
    """Something does not work; it goes on until it is ended."""
    MAINTENANCE = "maintenance"
    """Work that was planned, from a time to a time."""


@dataclass(frozen=True, slots=True)
class StatusAnnouncement:
    """One announcement.

    component: a component's key, or EVERYTHING. begins_at, ends_at: UTC; ends_at is None for an
    incident that goes on.
    """

    announcement_id: int
    kind: AnnouncementKind
    component: str
    sentence: str
    begins_at: datetime
    ends_at: datetime | None

    @property
    def was_withdrawn(self) -> bool:
        """Return whether it was ended before it began."""
        return self.ends_at == self.begins_at

    def goes_on(self, now: datetime) -> bool:
        """Return whether it has begun and not ended."""
        return self.begins_at <= now and not self.is_over(now)

    def is_over(self, now: datetime) -> bool:
        """Return whether it has ended."""
        return self.ends_at is not None and self.ends_at <= now

    def concerns(self, component: str, own: Iterable[str]) -> bool:
        """Return whether it is about a component. own: the gateway's own components."""
        return self.component == component or (self.component == EVERYTHING and component in own)


def with_announcements(
    states: Mapping[str, ComponentState],
    announcements: Iterable[StatusAnnouncement],
    own: Iterable[str],
    now: datetime,
) -> dict[str, ComponentState]:
    """Return the states of components with what is announced about them.

    During maintenance a component is in maintenance, whatever was measured. During an incident it
    is degraded at least.
    """
    announced = dict(states)
    for each in (each for each in announcements if each.goes_on(now)):
        for component in (key for key in states if each.concerns(key, own)):
            if each.kind is AnnouncementKind.MAINTENANCE:
                announced[component] = ComponentState.MAINTENANCE
            elif announced[component] is not ComponentState.MAINTENANCE:
                announced[component] = max(
                    announced[component], ComponentState.DEGRADED, key=SEVERITY.__getitem__
                )
    return announced
