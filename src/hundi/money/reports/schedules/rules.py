"""Schedules of reports: what a schedule may ask for, and when it is due; pure."""

from dataclasses import dataclass
from datetime import date, datetime, time

from hundi.kernel.clock import INDIA, ist
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.money.reports.files.rules import (
    KINDS,
    ReportFormat,
    ReportKind,
    ReportRequest,
    kind_refusal,
    month_before,
)

DAY_MAX = 28
"""The last day of a month that every month has."""
PEOPLE_MAX = 20
SCHEDULES_MAX = 20
"""The most schedules of a merchant that have not ended."""
AT = time(6)
"""When a report is due on its day, in India: after the night's settlements."""
_DECEMBER = 12


@dataclass(frozen=True, slots=True)
class ReportSchedule:
    """A report of each month that is over. people: who gets it, by their ids.

    due_at: when the next one is asked for; None once it has ended.
    """

    merchant_id: int
    schedule_no: int
    kind: ReportKind
    form: ReportFormat
    day_of_month: int
    people: tuple[int, ...]
    set_by: str
    set_at: datetime
    due_at: datetime | None
    ended_at: datetime | None

    def request_on(self, day: date) -> ReportRequest:
        """Return the report that it asks for on a day: of the month before."""
        span = month_before(day)
        return ReportRequest(self.kind, self.form, span.first, span.last)


def schedule_refusal(
    merchant_id: int, kind: ReportKind, form: ReportFormat, standing: int
) -> Refusal | None:
    """Return why a schedule cannot be set, or None. standing: how many have not ended."""
    facts = KINDS[kind]
    if refusal := kind_refusal(kind, merchant_id):
        return refusal
    if form not in facts.forms:
        allowed = f"{' '.join(facts.forms)} for a report of this kind"
        return Refusal(RefusalCode.FIELD_INVALID, field="form", received=form, allowed=allowed)
    if standing >= SCHEDULES_MAX:
        return Refusal(
            RefusalCode.FIELD_INVALID,
            field="schedule",
            received=str(standing + 1),
            allowed=f"{SCHEDULES_MAX} schedules; end one",
        )
    return None


def next_due(day_of_month: int, after: datetime) -> datetime:
    """Return the first moment after another at which a schedule of a day of the month is due."""
    today = ist(after).date()
    due = _at(today.replace(day=day_of_month))
    return due if due > after else _at(_next_month(today).replace(day=day_of_month))


def _next_month(day: date) -> date:
    first = day.replace(day=1)
    if first.month == _DECEMBER:
        return first.replace(year=first.year + 1, month=1)
    return first.replace(month=first.month + 1)


def _at(day: date) -> datetime:
    return datetime.combine(day, AT, INDIA)
