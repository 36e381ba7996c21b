"""The status page as HTML: no script, one stylesheet, times in India's zone and in UTC."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hundi.api.status.document import percent, standing_of
from hundi.api.status.view import WORDS, ComponentView, StatusView
from hundi.infra.look.files import load
from hundi.infra.look.headers import page_headers
from hundi.infra.look.icons import DONE, all_drawn
from hundi.kernel.clock import for_people, ist
from hundi.status.announcements.rules import EVERYTHING, StatusAnnouncement
from hundi.status.history.rules import DAYS, HistoryDay
from hundi.status.rules import ComponentGroup, ComponentState

STATIC_PATH = "/status/static"
ASSETS = load(Path(__file__).parent / "static", STATIC_PATH)
HEADERS = page_headers()
ICONS: Mapping[ComponentState, str] = {
    ComponentState.UNKNOWN: "info",
    ComponentState.OPERATIONAL: "done",
    ComponentState.MAINTENANCE: "waiting",
    ComponentState.DEGRADED: "waiting",
    ComponentState.PARTIAL: "refused",
    ComponentState.OUTAGE: "refused",
}
GROUPS: Mapping[ComponentGroup, tuple[str, str]] = {
    ComponentGroup.GATEWAY: ("The gateway", "Trouble here is ours."),
    ComponentGroup.ACQUIRER: (
        "Banks and acquirers",
        "Trouble here is theirs. The gateway goes on, and so do other ways to pay.",
    ),
    ComponentGroup.METHOD: ("Ways to pay", "Each by all acquirers that take it."),
}
MEANINGS: Mapping[ComponentState, str] = {
    ComponentState.OPERATIONAL: "Nothing is known against it.",
    ComponentState.DEGRADED: "Work is late, or 3 of 10 payments and more fail by nobody's fault.",
    ComponentState.PARTIAL: "One of its ways or acquirers does not work, others do.",
    ComponentState.OUTAGE: "It does not answer, or 7 of 10 payments and more fail.",
    ComponentState.MAINTENANCE: "The operator works on it, as announced.",
    ComponentState.UNKNOWN: "Nobody looked at that time.",
}
_STEP, _WIDTH, _HEIGHT = 4, 3, 28
"""Of a day's bar, in units of the drawing."""
_HOUR_S, _MINUTE_S = 3_600, 60


@dataclass(frozen=True, slots=True)
class DayBars:
    """The drawing of a component's days.

    paths: by state, all its days as one line of SVG. told: the days with trouble, each with its
    place and its words. words: all of it, for who does not see it.
    """

    paths: Sequence[tuple[ComponentState, str]]
    told: Sequence[tuple[int, str]]
    words: str


def bars_of(component: ComponentView) -> DayBars:
    """Return the drawing of a component's days."""
    by_state: dict[ComponentState, list[str]] = {}
    told: list[tuple[int, str]] = []
    for place, day in enumerate(component.days):
        x = place * _STEP
        by_state.setdefault(day.worst, []).append(f"M{x} 0h{_WIDTH}v{_HEIGHT}h-{_WIDTH}z")
        if words := "; ".join(_troubles(day)):
            told.append((x, f"{short_day(day.day)}: {words}"))
    paths = [(state, "".join(shapes)) for state, shapes in by_state.items()]
    summary = f"Past {DAYS} days: " + (". ".join(words for _, words in told) or "no trouble seen")
    return DayBars(paths, told, summary)


def _troubles(day: HistoryDay) -> Iterator[str]:
    for state, seconds in day.seconds.items():
        if state is not ComponentState.OPERATIONAL:
            yield f"{WORDS[state].lower()} for {span(timedelta(seconds=seconds))}"


def short_day(day: date) -> str:
    """Return a day as `28 Nov 2026`."""
    return f"{day.day} {day:%b %Y}"


def span(length: timedelta) -> str:
    """Return a length of time in words, such as `1 hour 20 minutes`."""
    seconds = int(length.total_seconds())
    if seconds < _MINUTE_S:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    hours, minutes = seconds // _HOUR_S, seconds % _HOUR_S // _MINUTE_S
    parts = [
        f"{number} {unit}{'' if number == 1 else 's'}"
        for number, unit in ((hours, "hour"), (minutes, "minute"))
        if number
    ]
    return " ".join(parts)


def moment(at: datetime, began_at: datetime | None = None) -> Markup:
    """Return a moment in India's time and in UTC, as HTML.

    began_at: of the time that ends with it; on the same day it needs no date again.
    """
    utc = at.astimezone(UTC)
    is_same_day = utc.date() == ist(at).date()
    shown = f"{utc:%H:%M}" if is_same_day else f"{utc.day} {utc:%b, %H:%M}"
    is_begun_there = began_at is not None and ist(began_at).date() == ist(at).date()
    return Markup('<time datetime="{}">{} <small>({} UTC)</small></time>').format(
        f"{utc:%Y-%m-%dT%H:%M:%SZ}",
        f"{ist(at):%H:%M} IST" if is_begun_there else for_people(at),
        shown,
    )


def availability(share: float | None) -> str:
    """Return an available share in words."""
    value = percent(share)
    return "" if value is None else f"{value:.2f} % available"


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_ENVIRONMENT.globals.update(
    assets=ASSETS, icons=all_drawn({"done": DONE}), icon_of=ICONS, words=WORDS, meanings=MEANINGS
)
_ENVIRONMENT.filters.update(
    moment=moment, span=span, bars=bars_of, short_day=short_day, availability=availability
)


def page_html(view: StatusView, name: str) -> bytes:
    """Return the page. name: of the gateway, for its title."""
    groups = [
        (
            title,
            lead,
            group is ComponentGroup.METHOD,
            [each for each in view.components if each.component.group is group],
        )
        for group, (title, lead) in GROUPS.items()
    ]
    values = {
        "view": view,
        "name": name,
        "groups": [each for each in groups if each[-1]],
        "now": [each for each in view.announcements if not each.is_over(view.made_at)],
        "past": [each for each in view.announcements if each.is_over(view.made_at)],
        "standing": lambda each: _standing(each, view.made_at),
        "about": lambda each: _about(each, view),
        "legend": MEANINGS,
    }
    return _ENVIRONMENT.get_template("status.html").render(values).encode()


def _standing(announcement: StatusAnnouncement, now: datetime) -> str:
    return standing_of(announcement, now).replace("_", " ")


def _about(announcement: StatusAnnouncement, view: StatusView) -> str:
    """Return what an announcement is about; an acquirer that is hidden has no name here."""
    if announcement.component == EVERYTHING:
        return "All of the gateway"
    names = (
        each.component.name
        for each in view.components
        if each.component.key == announcement.component
    )
    return next(names, "A bank or acquirer")
