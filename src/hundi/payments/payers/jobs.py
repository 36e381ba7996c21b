"""Later work on payers' questions: look for the payment."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.kernel.clock import utc_now
from hundi.payments.payers import actions, store
from hundi.payments.payers.actions import PayerContext

PACE = Pace(poll_s=1.0, in_flight_max=4, peer_in_flight_max=4, idle_s=15.0)


def payer_requests(context: PayerContext, *, clock: Clock = utc_now) -> DueLoop[Due]:
    """Return the loop that looks for the payments that payers ask about."""
    db = context.payments.db

    async def act(due: Due, now: datetime) -> bool:
        return await actions.answer(context, due.key, now)

    work = GuardedWork("payer_requests", PACE, partial(store.due, db), act)
    return DueLoop(work, listen=partial(db.listen, actions.DUE_CHANNEL), clock=clock)
