"""Later work on schedules: ask for the reports that are due."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.money.reports.schedules import actions, store

PACE = Pace(poll_s=5.0, in_flight_max=5, peer_in_flight_max=5, idle_s=60.0)


def report_schedules(db: Database, *, clock: Clock = utc_now) -> DueLoop[Due]:
    """Return the loop that asks for the reports of schedules."""

    async def act(due: Due, now: datetime) -> bool:
        return await actions.ask_due(db, due.merchant_id, due.key, now)

    return DueLoop(GuardedWork("report_schedules", PACE, partial(store.due, db), act), clock=clock)
