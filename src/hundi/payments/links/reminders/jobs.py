"""Later work on reminders: see which have fallen due."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.payments.links.reminders import actions, store

PACE = Pace(poll_s=5.0, in_flight_max=20, peer_in_flight_max=20, idle_s=60.0)


def reminders(db: Database, *, clock: Clock = utc_now) -> DueLoop[Due]:
    """Return the loop that sees which reminders of payment links have fallen due."""

    async def act(due: Due, now: datetime) -> bool:
        return await actions.fall_due(db, due.merchant_id, due.key, now)

    work = GuardedWork("payment_link_reminders", PACE, partial(store.due, db), act)
    return DueLoop(work, clock=clock)
