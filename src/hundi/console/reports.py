"""Reports: made for any days, the list of those that were made, and schedules of them."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from litestar import Response

from hundi.console.downloads import Download, leave
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import PAGE_ROWS, id_of, named
from hundi.console.report_forms import FORMS
from hundi.console.verb_forms import do, form_of, refused
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day, ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.files import store as files
from hundi.money.reports.files.rules import (
    KEPT,
    KINDS,
    FileState,
    ReportFile,
    ReportFormat,
    ReportKind,
    kinds_of,
    month_before,
)
from hundi.money.reports.invoices.rules import month_of
from hundi.money.reports.schedules import store as schedules
from hundi.money.reports.schedules.rules import DAY_MAX, ReportSchedule
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission, Person, may
from hundi.verbs.context import VerbProblemError
from hundi.verbs.report import end_schedule, make, set_schedule

_LOOKS, _LOOK_S = 40, 0.1
"""How often a form looks for its report, and the seconds between two looks.

So a small one is fetched by the same click.
"""
_TONES = {
    FileState.WAITING: "waiting",
    FileState.MADE: "done",
    FileState.FAILED: "failed",
    FileState.EXPIRED: "",
}
_STATES = {
    FileState.WAITING: "Being made",
    FileState.MADE: "Ready",
    FileState.FAILED: "Not made",
    FileState.EXPIRED: "Not kept any more",
}
_MEDIA = {
    ReportFormat.CSV: "text/csv",
    ReportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ReportFormat.PDF: "application/pdf",
}
_KIB, _MIB = 1024, 1024 * 1024


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the form, the reports that were made, newest first, and the schedules."""
    before = id_of(visit.query.get("before", "")) or 0
    newest = await files.page_of(visit.db, visit.merchant_id, before, PAGE_ROWS + 1)
    standing = await schedules.standing(visit.db, visit.merchant_id)
    readers = await _readers(visit)
    span = month_before(business_day(visit.now))
    names = {each.person_id: each.name for each in readers}
    kinds = kinds_of(visit.merchant_id)
    return visit.page(
        "reports.html",
        "Reports",
        rows=[_row(each) for each in newest[:PAGE_ROWS]],
        older=newest[PAGE_ROWS - 1].report_id if len(newest) > PAGE_ROWS else 0,
        waits=any(each.state is FileState.WAITING for each in newest[:PAGE_ROWS]),
        is_newest=not before,
        kinds=[(each, KINDS[each].title, KINDS[each].words) for each in kinds],
        forms=list(FORMS.items()),
        first_day=span.first,
        last_day=span.last,
        today=business_day(visit.now),
        kept_days=KEPT // timedelta(days=1),
        schedules=[_schedule(each, names) for each in standing],
        readers=readers,
        day_max=DAY_MAX,
        may_make=visit.may(Permission.REPORTS_MAKE),
    )


async def _readers(visit: ConsoleVisit) -> list[Person]:
    """Return the people of the merchant who may see its money."""
    members = await people.members(visit.db, visit.merchant_id)
    readers = [each.person_id for each in members if may(each.role, Permission.MONEY_SEE)]
    known = await people.people_of(visit.db, readers)
    return [known[each] for each in readers if each in known and known[each].state != "ended"]


def _row(file: ReportFile) -> dict[str, Any]:
    return {
        "id": file.report_id,
        "title": file.title,
        "about": _days(file),
        "form": FORMS[file.form],
        "state": _STATES[file.state],
        "tone": _TONES[file.state],
        "is_made": file.state is FileState.MADE,
        "problem": file.problem,
        "size": _size(file.size_bytes) if file.size_bytes else "",
        "by": f"Schedule {file.schedule_no}" if file.schedule_no else file.asked_by,
        "at": file.asked_at,
        "again": {
            "kind": file.kind,
            "form": file.form,
            "first_day": file.first_day,
            "last_day": file.last_day,
            "settlement": file.settlement_id,
        },
    }


def _days(file: ReportFile) -> str:
    """Return in words what a report is of: a settlement, a month, or days."""
    first, last = file.first_day, file.last_day
    if file.settlement_id:
        return f"{file.settlement_id}, {first:%-d %b %Y}"
    if file.span == month_of(first.replace(day=1)):
        return f"{first:%B %Y}"
    return f"{first:%-d %b %Y}" if first == last else f"{first:%-d %b %Y} to {last:%-d %b %Y}"


def _size(size_bytes: int) -> str:
    if size_bytes < _MIB:
        return f"{max(1, size_bytes // _KIB)} kB"
    return f"{size_bytes / _MIB:.1f} MB"


def _schedule(schedule: ReportSchedule, names: Mapping[int, str]) -> dict[str, Any]:
    assert schedule.due_at is not None, "it has not ended"
    return {
        "number": schedule.schedule_no,
        "title": KINDS[schedule.kind].title,
        "form": FORMS[schedule.form],
        "day": schedule.day_of_month,
        "next": f"{ist(schedule.due_at):%-d %b %Y}",
        "people": [names.get(each, "somebody who left") for each in schedule.people],
        "set_by": schedule.set_by,
    }


async def ask(visit: ConsoleVisit) -> Response[Any]:
    """Ask for a report; a small one is made meanwhile, and leaves at once."""
    try:
        asked = await do(visit, make, _of_place(visit, _asked_for(visit.form)))
    except VerbProblemError as problem:
        return refused(visit, problem)
    number = int(asked["report_id"])
    file = await _found(visit, number)
    for _ in range(_LOOKS):
        if file.state is not FileState.WAITING:
            break
        await asyncio.sleep(_LOOK_S)
        file = await _found(visit, number)
    if file.state is FileState.MADE:
        return visit.see(f"reports/{number}/file")
    return visit.see("reports", make.notice[0] if file.state is FileState.WAITING else "")


def _of_place(visit: ConsoleVisit, form: Mapping[str, str]) -> Mapping[str, str]:
    """Return a form with its place: the operator's reports are over all merchants."""
    return {**form, "merchant_id": str(visit.merchant_id)}


def _asked_for(form: Mapping[str, str]) -> Mapping[str, str]:
    """Return what is asked for; a report that has one form alone, such as an invoice, has that."""
    kind = form.get("kind", "")
    forms = KINDS[ReportKind(kind)].forms if kind in set(ReportKind) else ()
    return {**form, "form": forms[0]} if len(forms) == 1 else form


async def _found(visit: ConsoleVisit, number: int) -> ReportFile:
    file = await files.select(visit.db, visit.merchant_id, number)
    assert file is not None, "no report is removed from the list"
    return file


async def fetch(visit: ConsoleVisit) -> Response[Any]:
    """Return the file of a report, as a download that the browser does not run."""
    file = await named(visit, "report", files.select)
    if file.state is not FileState.MADE:
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="report",
            received=_STATES[file.state].lower(),
            allowed="one that is kept: make it again",
        )
    content = files.parts(visit.db, file)
    download = Download(file.name, _MEDIA[file.form], content, file.size_bytes)
    about = file.report_id
    return await leave(visit, download, "report.fetch", about, kind=file.kind, form=file.form)


async def _people_chosen(visit: ConsoleVisit) -> Mapping[str, str]:
    """Return the form of a schedule, with everybody who is ticked."""
    ticked = (await visit.request.form()).getall("people", [])
    form = _of_place(visit, visit.form)
    return {**form, "people": " ".join(each for each in ticked if isinstance(each, str))}


async def _ended(visit: ConsoleVisit) -> Mapping[str, str]:
    return _of_place(visit, visit.form)


ROUTES = (
    ConsoleRoute("GET", "reports", show, Permission.MONEY_SEE, at="both"),
    ConsoleRoute("POST", "reports", ask, Permission.REPORTS_MAKE, at="both"),
    ConsoleRoute("GET", "reports/{report_id:int}/file", fetch, Permission.REPORTS_MAKE, at="both"),
    form_of(set_schedule, set_schedule.screen, "reports", _people_chosen),
    form_of(end_schedule, end_schedule.screen, "reports", _ended),
)
