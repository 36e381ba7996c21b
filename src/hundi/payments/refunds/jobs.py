"""Later work on refunds: send them, ask about them, and begin those that are owed."""

from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, DueQuery, LeasedWork
from hundi.kernel.clock import utc_now
from hundi.payments.orders.actions import FOLLOWED_CHANNEL, PaymentContext
from hundi.payments.refunds import actions, store
from hundi.payments.refunds.rules import Refund

PACE = Pace(poll_s=1.0, in_flight_max=50, peer_in_flight_max=40, idle_s=15.0)
OWED_MAX = 100
"""Refunds owed that one poll begins."""


def refunds(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Refund]:
    """Return the loop that begins the refunds owed, sends refunds and asks about them."""
    db = context.db

    async def find(query: DueQuery) -> list[Due]:
        await actions.refund_what_is_owed(context, query.now, OWED_MAX, work.span)
        return await store.due(db, query)

    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))
    able = context.connectors.has
    work = LeasedWork(
        "refunds", PACE, find, claim, partial(actions.work_on, context), due=_due, able=able
    )
    return DueLoop(
        work,
        listen=partial(db.listen, actions.DUE_CHANNEL),
        hints=partial(db.listen, FOLLOWED_CHANNEL),
        clock=clock,
    )


def _due(refund: Refund) -> Due:
    return Due(refund.merchant_id, refund.refund_id, refund.connector)
