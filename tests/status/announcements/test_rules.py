"""What an announcement does to the states of components, and when."""

from datetime import UTC, datetime, timedelta

from hundi.status.announcements.rules import (
    EVERYTHING,
    AnnouncementKind,
    StatusAnnouncement,
    with_announcements,
)
from hundi.status.rules import OWN_NAMES, ComponentState

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
S = ComponentState
K = AnnouncementKind
STATES = {"payments": S.OPERATIONAL, "notifications": S.OUTAGE, "acquirer:coop": S.OPERATIONAL}


def announced(*said: StatusAnnouncement) -> tuple[ComponentState, ...]:
    return tuple(with_announcements(STATES, said, OWN_NAMES, NOW).values())


def said(
    kind: AnnouncementKind,
    component: str = EVERYTHING,
    begins: timedelta = -HOUR,
    ends: timedelta | None = HOUR,
) -> StatusAnnouncement:
    ends_at = NOW + ends if ends is not None else None
    return StatusAnnouncement(1, kind, component, "Tea.", NOW + begins, ends_at)


def test_maintenance_is_the_state_of_its_components_while_it_goes_on() -> None:
    assert announced(said(K.MAINTENANCE)) == (S.MAINTENANCE, S.MAINTENANCE, S.OPERATIONAL)
    only_bank = announced(said(K.MAINTENANCE, "acquirer:coop"))
    assert only_bank == (S.OPERATIONAL, S.OUTAGE, S.MAINTENANCE)


def test_an_incident_degrades_at_least_until_it_is_ended() -> None:
    assert announced(said(K.INCIDENT, ends=None)) == (S.DEGRADED, S.OUTAGE, S.OPERATIONAL)
    assert announced(said(K.INCIDENT, ends=timedelta())) == tuple(STATES.values())


def test_what_has_not_begun_or_is_over_does_nothing() -> None:
    later, over = said(K.MAINTENANCE, begins=HOUR, ends=2 * HOUR), said(K.MAINTENANCE, ends=-HOUR)
    assert announced(later, over) == tuple(STATES.values())
    assert (over.was_withdrawn, over.is_over(NOW), later.goes_on(NOW)) == (True, True, False)


def test_maintenance_hides_an_incident_of_its_component() -> None:
    both = said(K.MAINTENANCE, "payments"), said(K.INCIDENT, "payments", ends=None)
    assert (
        announced(*both) == announced(*reversed(both)) == (S.MAINTENANCE, S.OUTAGE, S.OPERATIONAL)
    )
