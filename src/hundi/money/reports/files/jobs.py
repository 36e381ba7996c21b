"""Later work on reports: make those that are asked for, remove those that were kept long enough."""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.clock import utc_now
from hundi.letters import actions as letters
from hundi.letters.rules import ATTACHMENT_BYTES_MAX, Attachment
from hundi.money.reports.files import actions, store
from hundi.money.reports.files.actions import BesideFile
from hundi.money.reports.files.rules import LEASE, TRIES_MAX, FileState, ReportFile
from hundi.money.reports.schedules import store as schedules
from hundi.staff.people.telling import actions as telling

PACE = Pace(poll_s=1.0, in_flight_max=2, peer_in_flight_max=2, idle_s=30.0)
_TRIED = "It could not be made. The operator's log says why; ask for it again later."
_log = get_logger(__name__)


def report_files(db: Database, *, clock: Clock = utc_now) -> DueLoop[ReportFile]:
    """Return the loop that makes and removes the files of reports."""
    work = LeasedWork(
        "report_files",
        PACE,
        partial(store.due, db),
        Claim(LEASE, partial(store.claim, db), partial(store.release, db)),
        partial(_act, db),
        due=lambda file: Due(file.merchant_id, file.report_id),
        able=lambda _: True,
    )
    return DueLoop(work, hints=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


async def _mailing(now: datetime, file: ReportFile, path: Path) -> BesideFile:
    """Read a schedule's report, and return what writes it to its people.

    One too large for a mail waits on their page.
    """
    is_mailed = file.schedule_no and file.size_bytes <= ATTACHMENT_BYTES_MAX
    content = await asyncio.to_thread(path.read_bytes) if is_mailed else None

    async def write(conn: Connection, kept: ReportFile) -> None:
        schedule = await schedules.select(conn, kept.merchant_id, kept.schedule_no)
        if schedule is not None and content is not None:
            report = kept.title, Attachment(kept.name, content)
            cause = f"report:{kept.report_id}"
            await telling.send_report(conn, kept.merchant_id, schedule.people, cause, report, now)

    return write


async def _act(db: Database, file: ReportFile, now: datetime) -> bool:
    """Make a file, or remove one; return True: the claim is used."""
    if file.state is FileState.MADE:
        await actions.remove(db, file)
    elif file.tries > TRIES_MAX:
        await actions.fail(db, file, _TRIED)
    else:
        state = await actions.make(db, file, now, partial(_mailing, now))
        db.wake(letters.DUE_CHANNEL)
        _log.info(
            "report_ended", merchant_id=file.merchant_id, report_id=file.report_id, state=state
        )
    return True
