"""The bank calendar: the days on which banks settle, for each centre."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import business_day
from hundi.kernel.refusals import RefusalCode
from hundi.money.calendar import actions, store
from hundi.money.calendar.actions import YEAR_MAX, YEAR_MIN
from hundi.money.calendar.rules import CENTRES, NATIONAL, BankDay, is_centre
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

AFTER_MAX = 250
KNOWN_CENTRES = {each: "IN: every centre" if each == NATIONAL else each for each in CENTRES}
Centre = Annotated[
    str,
    Meta(description="A state or territory such as MH; IN is for every centre.", max_length=10),
    ParameterHints(known=KNOWN_CENTRES),
]
By = Annotated[
    str,
    Meta(description="Who writes it (default: the user of this machine)."),
    ParameterHints(signs=True),
]


class CalendarYear(VerbParameters, frozen=True, kw_only=True):
    """The holidays of a year."""

    centre: Centre = NATIONAL
    year: (
        Annotated[
            int,
            Meta(ge=YEAR_MIN, le=YEAR_MAX, description="The year (default: the current one)."),
        ]
        | None
    ) = None


class NewBankDay(VerbParameters, frozen=True, kw_only=True):
    """A holiday, or a day on which banks work after all."""

    day: Annotated[date, Meta(description="The day, YYYY-MM-DD.")]
    name: Annotated[
        str, Meta(description="The day's name.", max_length=100), ParameterHints(masked=True)
    ]
    centre: Centre = NATIONAL
    working: Annotated[
        bool,
        Meta(description="Banks work on this day, against the rule."),
        ParameterHints(option="--working"),
    ] = False
    by: By = ""


class NamedBankDay(VerbParameters, frozen=True, kw_only=True):
    """A day on the list of a centre."""

    day: Annotated[date, Meta(description="The day, YYYY-MM-DD.")]
    centre: Centre = NATIONAL


class CalendarSeed(VerbParameters, frozen=True, kw_only=True):
    """The year whose holidays are written from a library."""

    year: Annotated[int, Meta(description="The year.")]
    centre: Centre = NATIONAL
    by: By = ""


class WorkingDaysAfter(VerbParameters, frozen=True, kw_only=True):
    """A day, and the number of working days to count from it."""

    day: Annotated[date, Meta(description="The day, YYYY-MM-DD.")]
    working_days: Annotated[int, Meta(ge=0, le=AFTER_MAX, description="How many working days.")]
    centre: Centre = NATIONAL


@verb("calendar list", Permission.MONEY_SEE, at="all", title="Bank days")
async def list_of(context: VerbContext, parameters: CalendarYear) -> Result:
    """List the holidays of a centre in a year, with those of every centre.

    Weekends are not listed.
    """
    _check_centre(parameters.centre)
    year = parameters.year or business_day(context.now).year
    rows = await store.select_year(context.db, parameters.centre, year)
    return [_shown(row["centre"], BankDay(row["day"], row["working"], row["name"])) for row in rows]


@verb(
    "calendar add",
    Permission.RECONCILIATION_WORK,
    at="all",
    trail="calendar.add",
    title="Written",
)
async def add(context: VerbContext, parameters: NewBankDay) -> Result:
    """Write a holiday of a centre, or with --working a day on which its banks work."""
    written = BankDay(parameters.day, parameters.working, parameters.name)
    about = f"{parameters.centre} {parameters.day}"
    recorded = context.recording(OPERATOR, about, name=parameters.name, working=parameters.working)
    by = parameters.by or context.name
    await actions.write_day(context.db, parameters.centre, written, by, context.now, recorded)
    return _shown(parameters.centre, written)


@verb(
    "calendar remove",
    Permission.RECONCILIATION_WORK,
    at="all",
    trail="calendar.remove",
    title="Removed",
    refusals={RefusalCode.NO_RECORDS: "{day} is not on the list of {centre}"},
)
async def remove(context: VerbContext, parameters: NamedBankDay) -> Result:
    """Remove a day from a centre's list: its banks then work on it, unless it is a weekend."""
    recorded = context.recording(OPERATOR, f"{parameters.centre} {parameters.day}")
    removed = await actions.remove_day(context.db, parameters.centre, parameters.day, recorded)
    return _shown(parameters.centre, removed)


@verb(
    "calendar seed",
    Permission.RECONCILIATION_WORK,
    at="all",
    trail="calendar.seed",
    page="Write the bank days of a year",
    title="Seeded",
)
async def seed(context: VerbContext, parameters: CalendarSeed) -> Result:
    """Write a centre's holidays of a year from a library, unless the year has some already."""
    by = parameters.by or context.name
    recorded = context.recording(OPERATOR, f"{parameters.centre} {parameters.year}")
    whose = parameters.centre, parameters.year, by, context.now
    written = await actions.seed(context.db, *whose, recorded)
    return {"centre": parameters.centre, "year": parameters.year, "written": written}


@verb("calendar after", Permission.MONEY_SEE, at="all", page="Count working days")
async def after(context: VerbContext, parameters: WorkingDaysAfter) -> Result:
    """Show the day that is a number of working days after another."""
    _check_centre(parameters.centre)
    calendar = await store.calendar_of(context.db, parameters.centre)
    return {
        "centre": parameters.centre,
        "day": calendar.after(parameters.day, parameters.working_days).isoformat(),
    }


def _check_centre(centre: str) -> None:
    if not is_centre(centre):
        message = f"there is no centre {centre!r}: {' '.join(CENTRES)}"
        raise VerbProblemError(message)


def _shown(centre: str, day: BankDay) -> dict[str, Any]:
    return {"centre": centre, "day": day.day.isoformat(), "working": day.working, "name": day.name}


VERBS = (list_of, add, remove, seed, after)
