"""Reports: ask for one as a file, schedules of them, and the parties of invoices."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.ids import reference
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.files import actions as files
from hundi.money.reports.files import store as file_store
from hundi.money.reports.files.rules import (
    ALL_MERCHANTS,
    KINDS,
    ReportFile,
    ReportFormat,
    ReportKind,
    ReportRequest,
)
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices.rules import ADDRESS_LENGTH_MAX, NAME_LENGTH_MAX, Party
from hundi.money.reports.schedules import actions as schedules
from hundi.money.reports.schedules import store as schedule_store
from hundi.money.reports.schedules.rules import DAY_MAX, PEOPLE_MAX, ReportSchedule
from hundi.money.settlements.finding import store as settlements
from hundi.staff.people import store as people
from hundi.staff.people.rules import OPERATOR, Permission, may
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

LISTED_MAX = 50
GROUPS = {"schedule": "Reports of each month that is over, for people of the merchant."}
_TITLES = {each.value: facts.title for each, facts in KINDS.items()}
Kind = Annotated[
    ReportKind,
    Meta(description=f"What it is about: {', '.join(ReportKind)}."),
    ParameterHints(known=_TITLES, metavar="KIND"),
]
Place = Annotated[
    int,
    Meta(
        ge=ALL_MERCHANTS,
        le=ID_MAX,
        description="The merchant's id; 0 for a report over all merchants, the operator's.",
    ),
]
Form = Annotated[ReportFormat, Meta(description="How it is written.")]


class ReportToMake(VerbParameters, frozen=True, kw_only=True):
    """A report to make."""

    merchant_id: Place
    kind: Kind
    first_day: Annotated[
        date | None, Meta(description="Its first Indian business day; not for one settlement.")
    ] = None
    last_day: Annotated[date | None, Meta(description="Its last day (default: the first).")] = None
    form: Form = ReportFormat.CSV
    settlement: Annotated[
        int, Meta(ge=0, le=ID_MAX, description="The settlement's id, for a report of one.")
    ] = 0


class ReportsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's reports."""

    merchant_id: Place


class ScheduleToSet(VerbParameters, frozen=True, kw_only=True):
    """A report of each month that is over."""

    merchant_id: Place
    kind: Kind
    day: Annotated[
        int, Meta(ge=1, le=DAY_MAX, description="On which day of the next month it is made.")
    ]
    people: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            max_length=PEOPLE_MAX,
            description="The e-mail address of somebody who gets it; repeat for several.",
        ),
        ParameterHints(by="name", option="--to", in_forms=True),
    ]
    form: Form = ReportFormat.XLSX


class NamedSchedule(VerbParameters, frozen=True, kw_only=True):
    """A schedule."""

    merchant_id: Place
    schedule: Annotated[int, Meta(ge=1, le=ID_MAX, description="The schedule's number.")]


class InvoicePartyToName(VerbParameters, frozen=True, kw_only=True):
    """A party of invoices: the operator or a merchant."""

    merchant: Annotated[
        int, Meta(ge=0, le=ID_MAX, description="The merchant's id (default: the operator).")
    ] = OPERATOR
    name: Annotated[
        str,
        Meta(max_length=NAME_LENGTH_MAX, description="As it is registered."),
        ParameterHints(by="name", masked=True, in_forms=True),
    ]
    address: Annotated[
        str,
        Meta(max_length=ADDRESS_LENGTH_MAX, description="In one line."),
        ParameterHints(by="name", masked=True, in_forms=True),
    ]
    state: Annotated[
        str,
        Meta(max_length=2, description="The state's GST code, such as 27."),
        ParameterHints(by="name", in_forms=True),
    ]
    gstin: Annotated[str, Meta(max_length=15, description="GSTIN, if it has one.")] = ""
    pan: Annotated[str, Meta(max_length=10, description="PAN, if it has one.")] = ""
    by: Annotated[
        str,
        Meta(description="Who says so (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""


@verb(
    "report make",
    Permission.REPORTS_MAKE,
    at="both",
    trail="report.make",
    fresh=False,
    screen="reports",
    title="Report",
    notice=("report_asked", "The report is being made. It appears below."),
    refusals={RefusalCode.NO_RECORDS: "there is no settlement {settlement}"},
)
async def make(context: VerbContext, parameters: ReportToMake) -> Result:
    """Ask for a report as a file; the worker makes it, and people fetch it at the console."""
    merchant_id = parameters.merchant_id
    await _check_place(context, merchant_id)
    request = await _request(context, parameters)
    recorded = context.recording(
        merchant_id,
        kind=request.kind,
        form=request.form,
        first_day=str(request.first_day),
        last_day=str(request.last_day),
        **({"settlement": str(request.settlement_id)} if request.settlement_id else {}),
    )
    file = await files.ask(context.db, merchant_id, request, context.told_as, context.now, recorded)
    return _told(file)


async def _check_place(context: VerbContext, merchant_id: int) -> None:
    """Raise VerbProblemError unless a merchant has this id, or it is the operator's."""
    if merchant_id != ALL_MERCHANTS:
        await context.check_merchant(merchant_id)


async def _request(context: VerbContext, parameters: ReportToMake) -> ReportRequest:
    """Return what is asked for. Raises Refused (NO_RECORDS), VerbProblemError."""
    first_day = parameters.first_day
    if parameters.settlement:
        settlement = await settlements.settlement(
            context.db, parameters.merchant_id, parameters.settlement
        )
        if settlement is None:
            received = str(parameters.settlement)
            raise refuse(RefusalCode.NO_RECORDS, field="settlement", received=received)
        first_day = settlement["day"]
    if first_day is None:
        message = "a report of days needs its first day"
        raise VerbProblemError(message)
    last_day = first_day if parameters.settlement else parameters.last_day or first_day
    return ReportRequest(
        parameters.kind, parameters.form, first_day, last_day, parameters.settlement
    )


@verb("report list", Permission.MONEY_SEE, at="both", screen="reports", title="Reports")
async def list_of(context: VerbContext, parameters: ReportsOfMerchant) -> Result:
    """List the newest reports that were asked for, with who asked and what became of each."""
    await _check_place(context, parameters.merchant_id)
    newest = await file_store.page_of(context.db, parameters.merchant_id, 0, LISTED_MAX)
    return [_told(file) for file in newest]


@verb(
    "report schedule set",
    Permission.REPORTS_MAKE,
    at="both",
    trail="report.schedule",
    fresh=False,
    screen="reports/schedules",
    title="Schedule",
    notice=("report_scheduled", "The schedule is set. Its reports appear below."),
)
async def set_schedule(context: VerbContext, parameters: ScheduleToSet) -> Result:
    """Make a report of each month that is over, on a day of the next one, for some people."""
    merchant_id = parameters.merchant_id
    await _check_place(context, merchant_id)
    person_ids = await _readers(context, merchant_id, parameters.people)
    recorded = context.recording(
        merchant_id,
        kind=parameters.kind,
        form=parameters.form,
        day=parameters.day,
        people=[str(each) for each in person_ids],
    )
    wanted = parameters.kind, parameters.form, parameters.day
    whose = merchant_id, wanted, person_ids, context.told_as, context.now
    return _scheduled(await schedules.set_schedule(context.db, *whose, recorded))


async def _readers(context: VerbContext, merchant_id: int, addresses: Sequence[str]) -> list[int]:
    """Return the people of a merchant with these addresses, who may all see its money.

    Raises VerbProblemError.
    """
    members = await people.members(context.db, merchant_id)
    readers = [each.person_id for each in members if may(each.role, Permission.MONEY_SEE)]
    known = await people.people_of(context.db, readers)
    by_address = {person.email: number for number, person in known.items()}
    wanted = list(dict.fromkeys(address.strip().lower() for address in addresses))
    unknown = [address for address in wanted if address not in by_address]
    if unknown:
        message = f"nobody here who may see money has the address {unknown[0]}"
        raise VerbProblemError(message)
    return [by_address[address] for address in wanted]


@verb(
    "report schedule list",
    Permission.MONEY_SEE,
    at="both",
    screen="reports",
    title="Schedules of reports",
)
async def list_schedules(context: VerbContext, parameters: ReportsOfMerchant) -> Result:
    """List a merchant's schedules of reports that have not ended."""
    await _check_place(context, parameters.merchant_id)
    standing = await schedule_store.standing(context.db, parameters.merchant_id)
    return [_scheduled(schedule) for schedule in standing]


@verb(
    "report schedule end",
    Permission.REPORTS_MAKE,
    at="both",
    trail="report.schedule_end",
    fresh=False,
    screen="reports/schedules/{schedule:int}/end",
    title="Ended",
    notice=("report_schedule_ended", "The schedule is ended. Its reports stay."),
    refusals={RefusalCode.NO_RECORDS: "there is no schedule {schedule}, or it has ended"},
)
async def end_schedule(context: VerbContext, parameters: NamedSchedule) -> Result:
    """End a schedule of reports; the reports that it made stay."""
    whose = parameters.merchant_id, parameters.schedule
    recorded = context.recording(*whose)
    await schedules.end_schedule(context.db, *whose, context.now, recorded)
    return {"schedule": parameters.schedule, "ended": True}


@verb(
    "report party",
    Permission.FEES_CHANGE,
    at="all",
    trail="report.party",
    page="Name a party of invoices",
    title="Named",
)
async def party(context: VerbContext, parameters: InvoicePartyToName) -> Result:
    """Name the operator or a merchant on invoices from now on."""
    if parameters.merchant:
        await context.check_merchant(parameters.merchant)
    named = Party(
        name=parameters.name,
        address=parameters.address,
        state=parameters.state,
        gstin=parameters.gstin,
        pan=parameters.pan,
    )
    by = parameters.by or context.name
    recorded = context.signing(parameters.by).recording(parameters.merchant, made="version")
    version = await invoices.name_party(
        context.db, parameters.merchant, named, by, context.now, recorded
    )
    merchant_id = str(parameters.merchant or "")
    return {"merchant_id": merchant_id, "version": version, **asdict(named)}


def _told(file: ReportFile) -> dict[str, Any]:
    return {
        "report_id": str(file.report_id),
        "kind": file.kind,
        "form": file.form,
        "first_day": file.first_day,
        "last_day": file.last_day,
        "settlement": (
            reference(file.merchant_id, file.settlement_id) if file.settlement_id else ""
        ),
        "asked_by": file.asked_by,
        "asked_at": file.asked_at,
        "state": file.state,
        "problem": file.problem,
        "size_bytes": file.size_bytes,
        "sha256": file.digest.hex(),
    }


def _scheduled(schedule: ReportSchedule) -> dict[str, Any]:
    return {
        "schedule": schedule.schedule_no,
        "kind": schedule.kind,
        "form": schedule.form,
        "day": schedule.day_of_month,
        "people": [str(each) for each in schedule.people],
        "set_by": schedule.set_by,
        "due_at": schedule.due_at,
    }


VERBS = (make, list_of, set_schedule, list_schedules, end_schedule, party)
