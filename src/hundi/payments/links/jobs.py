"""Later work on payment links: count paid orders and refund surpluses."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.kernel.clock import utc_now
from hundi.payments.links import actions, store
from hundi.payments.orders.actions import PaymentContext

PACE = Pace(poll_s=1.0, in_flight_max=20, peer_in_flight_max=20, idle_s=15.0)


def links(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Due]:
    """Return the loop that follows the orders under payment links."""

    async def act(due: Due, now: datetime) -> bool:
        return await actions.settle(context, due.merchant_id, due.key, now)

    work = GuardedWork("payment_links", PACE, partial(store.due, context.db), act)
    return DueLoop(work, hints=partial(context.db.listen, actions.DUE_CHANNEL), clock=clock)
