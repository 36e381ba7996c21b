"""Later work on payments: ending sessions."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.payments.orders import actions, store
from hundi.payments.orders.actions import PaymentContext

PACE = Pace(poll_s=5.0, in_flight_max=24, peer_in_flight_max=24, idle_s=15.0)


def sessions(context: PaymentContext) -> DueLoop[Due]:
    """Return the loop that closes payments whose session is over."""

    async def act(due: Due, now: datetime) -> bool:
        return await actions.close(context, due.merchant_id, due.key, now)

    work = GuardedWork("sessions", PACE, partial(store.select_overdue, context.db), act)
    return DueLoop(work, hints=partial(context.db.listen, actions.FOLLOWED_CHANNEL))
