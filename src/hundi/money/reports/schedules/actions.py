"""The actions of schedules: set one, end one, ask for the report that is due."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.reports.files import actions as files
from hundi.money.reports.files import store as file_store
from hundi.money.reports.files.rules import ReportFormat, ReportKind
from hundi.money.reports.schedules import store
from hundi.money.reports.schedules.rules import ReportSchedule, next_due, schedule_refusal


async def set_schedule(
    db: Database,
    merchant_id: int,
    wanted: tuple[ReportKind, ReportFormat, int],
    people: Sequence[int],
    set_by: str,
    now: datetime,
    recorded: Beside,
) -> ReportSchedule:
    """Ask for a report of each month that is over, from the next one on.

    wanted: kind, form, day of the month. people: who gets it. recorded: the entry in the trail.
    Raises Refused (FIELD_INVALID, STATE_FORBIDS).
    """
    kind, form, day_of_month = wanted
    async with db.transaction() as conn:
        number, standing = await store.next_no(conn, merchant_id)
        refusal = schedule_refusal(merchant_id, kind, form, standing)
        if refusal is not None:
            raise Refused(refusal)
        schedule = ReportSchedule(
            merchant_id, number, kind, form, day_of_month, tuple(people), set_by, now,
            next_due(day_of_month, now), None,
        )  # fmt: skip
        if not await store.insert(conn, schedule):
            raise refuse(RefusalCode.STATE_FORBIDS, allowed="one schedule at a time: try again")
        await recorded(conn, number)
    return schedule


async def end_schedule(
    db: Database, merchant_id: int, schedule_no: int, now: datetime, recorded: Beside
) -> None:
    """End a schedule; the reports that it asked for stay. Raises Refused (NO_RECORDS)."""
    async with db.transaction() as conn:
        if not await store.end(conn, merchant_id, schedule_no, now):
            raise refuse(RefusalCode.NO_RECORDS, field="schedule", received=str(schedule_no))
        await recorded(conn, schedule_no)


async def ask_due(db: Database, merchant_id: int, schedule_no: int, now: datetime) -> bool:
    """Ask for the report of a schedule that is due, once; return False if none is due any more.

    Periods that passed without a worker become one report, of the newest month.
    """
    async with db.transaction() as conn:
        schedule = await store.lock_due(conn, merchant_id, schedule_no, now)
        if schedule is None:
            return False
        request = schedule.request_on(ist(now).date())
        file = files.new_file(merchant_id, request, schedule.set_by, now, schedule_no)
        await file_store.insert(conn, file)
        await store.move(conn, schedule, next_due(schedule.day_of_month, now))
    db.wake(files.DUE_CHANNEL)
    return True
