"""The public status page: announcements of the operator, and the names of acquirers."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import INDIA, for_people, world_now
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.status.acquirer_names import actions as acquirer_names
from hundi.status.acquirer_names import store as names
from hundi.status.acquirer_names.rules import HIDDEN, NAME_LENGTH_MAX
from hundi.status.actions import ANNOUNCEMENTS_MAX
from hundi.status.announcements import actions, store
from hundi.status.announcements.rules import (
    EVERYTHING,
    SENTENCE_LENGTH_MAX,
    AnnouncementKind,
    StatusAnnouncement,
)
from hundi.status.history.rules import DAYS
from hundi.status.rules import OWN_NAMES, ComponentGroup, key_of
from hundi.verbs.acquirer import Name
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

NOUN = "status"
MINUTES_MAX = 7 * 24 * 60
"""The longest maintenance: a week."""
_MOMENT = "%Y-%m-%d %H:%M"
_SHOWN = "the page says so within 30 seconds"
Sentence = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=SENTENCE_LENGTH_MAX,
        description="One sentence that everybody may read.",
    ),
    ParameterHints(masked=True),
]
Component = Annotated[
    str,
    Meta(
        description=(
            f"What it is about: {', '.join(OWN_NAMES)}, or an acquirer's name (default: all of the"
            " gateway)."
        ),
        max_length=32,
    ),
]


class NewIncident(VerbParameters, frozen=True, kw_only=True):
    """An incident that goes on now."""

    sentence: Sentence
    component: Component = EVERYTHING


class NewMaintenance(VerbParameters, frozen=True, kw_only=True):
    """Maintenance that is planned."""

    sentence: Sentence
    begins: Annotated[
        str,
        Meta(description="When it begins, Indian time, such as 2026-11-30 02:00.", max_length=16),
        ParameterHints(by="name"),
    ]
    minutes: Annotated[
        int,
        Meta(ge=1, le=MINUTES_MAX, description="How many minutes it is planned to take."),
        ParameterHints(by="name"),
    ]
    component: Component = EVERYTHING


class NumberedAnnouncement(VerbParameters, frozen=True, kw_only=True):
    """One announcement."""

    announcement_id: Annotated[
        int, Meta(ge=1, le=ID_MAX, description="The announcement's number, as the list has it.")
    ]


class AcquirerToName(VerbParameters, frozen=True, kw_only=True):
    """An acquirer's name on the page."""

    acquirer: Name
    public_name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=NAME_LENGTH_MAX,
            description="What everybody may call it, such as Cards by Axis Bank.",
        ),
        ParameterHints(masked=True),
    ]


class AcquirerToHide(VerbParameters, frozen=True, kw_only=True):
    """An acquirer that does not stand on the page."""

    acquirer: Name


@verb("status list", Permission.CHANNELS_SEE, at="all", title="Announcements")
async def list_of(context: VerbContext, _: NoParameters) -> Result:
    """List the announcements that the status page shows, the latest first."""
    since = world_now() - timedelta(days=DAYS)
    rows = await store.since(context.db, since, ANNOUNCEMENTS_MAX)
    return [announcement_row(each) for each in rows]


@verb(
    "status incident",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.incident",
    page="Announce an incident",
    title=f"Announced: {_SHOWN}",
)
async def incident(context: VerbContext, parameters: NewIncident) -> Result:
    """Announce that something does not work, until `hundi status end`.

    Its component is degraded on the page at least.
    """
    return await _announced(context, AnnouncementKind.INCIDENT, parameters, world_now())


@verb(
    "status maintenance",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.maintenance",
    page="Announce maintenance",
    title=f"Announced: {_SHOWN}",
)
async def maintenance(context: VerbContext, parameters: NewMaintenance) -> Result:
    """Announce maintenance, from a time to a time.

    Meanwhile its component is in maintenance on the page, and no outage.
    """
    begins_at = _moment(parameters.begins)
    now = world_now()
    ends_at = begins_at + timedelta(minutes=parameters.minutes)
    if ends_at <= now:
        message = f"begins: it would be over, it is {now.astimezone(INDIA):{_MOMENT}} in India"
        raise VerbProblemError(message)
    return await _announced(context, AnnouncementKind.MAINTENANCE, parameters, begins_at, ends_at)


@verb(
    "status end",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.end",
    page="End an announcement",
    title=f"Ended: {_SHOWN}",
    refusals={RefusalCode.NO_RECORDS: "no announcement {announcement_id} is left to end"},
)
async def end(context: VerbContext, parameters: NumberedAnnouncement) -> Result:
    """End an incident or maintenance now; what has not begun is withdrawn."""
    number = parameters.announcement_id
    ended = await actions.end(context.db, number, world_now(), context.recording(OPERATOR, number))
    return announcement_row(ended)


@verb(
    "status name",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.name",
    page="Name an acquirer on the status page",
    title=f"Named: {_SHOWN}",
)
async def name(context: VerbContext, parameters: AcquirerToName) -> Result:
    """Choose the name of an acquirer on the status page; without one it is its brand's."""
    return await _named(context, parameters.acquirer, parameters.public_name)


@verb(
    "status hide",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.hide",
    page="Hide an acquirer on the status page",
    title=f"Hidden: {_SHOWN}",
)
async def hide(context: VerbContext, parameters: AcquirerToHide) -> Result:
    """Take an acquirer off the status page; `hundi status name` brings it back."""
    return await _named(context, parameters.acquirer, HIDDEN)


@verb("status names", Permission.CHANNELS_SEE, at="all", page="List public names of acquirers")
async def names_of(context: VerbContext, _: NoParameters) -> Result:
    """List the acquirers that an operator named for the status page; the others have a brand."""
    rows = await names.select_all(context.db)
    return [_name_row(acquirer, public_name) for acquirer, public_name in rows.items()]


async def _key(context: VerbContext, component: str) -> str:
    """Return the stored key of a component: one of ours, or an acquirer by its name."""
    if component in {EVERYTHING, *OWN_NAMES}:
        return component
    await _check_acquirer(context, component)
    return key_of(ComponentGroup.ACQUIRER, component)


async def _check_acquirer(context: VerbContext, name: str) -> None:
    known = [each.name for each in await context.acquirers()]
    if name not in known:
        message = f"there is no acquirer {name}: {', '.join(known) or 'there is none'}"
        raise VerbProblemError(message)


async def _announced(
    context: VerbContext,
    kind: AnnouncementKind,
    parameters: NewIncident | NewMaintenance,
    begins_at: datetime,
    ends_at: datetime | None = None,
) -> Result:
    component, sentence = await _key(context, parameters.component), parameters.sentence
    number = new_id(world_now())
    made = StatusAnnouncement(number, kind, component, sentence, begins_at, ends_at)
    recorded = context.recording(OPERATOR, made.announcement_id, sentence=made.sentence)
    await actions.announce(context.db, made, recorded)
    return announcement_row(made)


async def _named(context: VerbContext, acquirer: str, public_name: str) -> Result:
    await _check_acquirer(context, acquirer)
    recorded = context.recording(OPERATOR, acquirer, public_name=public_name)
    await acquirer_names.choose(context.db, acquirer, public_name, recorded)
    return _name_row(acquirer, public_name)


def _moment(text: str) -> datetime:
    """Return a moment that is written in Indian time."""
    try:
        return datetime.strptime(text, _MOMENT).replace(tzinfo=INDIA)
    except ValueError:
        message = f"begins: {text!r} is no moment such as 2026-11-30 02:00"
        raise VerbProblemError(message) from None


def announcement_row(announcement: StatusAnnouncement) -> dict[str, Any]:
    """Return an announcement as operators see it."""
    return {
        "announcement": str(announcement.announcement_id),
        "kind": announcement.kind,
        "component": announcement.component or "all of the gateway",
        "sentence": announcement.sentence,
        "begins": for_people(announcement.begins_at),
        "ends": for_people(announcement.ends_at) if announcement.ends_at else "",
    }


def _name_row(acquirer: str, public_name: str) -> dict[str, Any]:
    return {"acquirer": acquirer, "public_name": public_name or "(hidden)"}


VERBS = (list_of, incident, maintenance, end, names_of, name, hide)
