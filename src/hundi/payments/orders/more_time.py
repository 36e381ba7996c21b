"""More time for a customer: one press puts off the end of a session, so many times."""

from dataclasses import replace
from datetime import datetime

from hundi.kernel.states import Actor, EventKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext, write
from hundi.payments.orders.rules import PaymentView, Step

TIMES_MAX = 20
"""How often one payment is given more time: decision 43 says why."""


async def extend(context: PaymentContext, merchant: Merchant, found: PaymentView, now: datetime) -> PaymentView:
    """Let an open session end one whole session from now.

    It stays as it is where it has ended, or had that too often.
    """
    payment = found.payment
    given = await store.count_events(context.db, payment.merchant_id, payment.payment_id, EventKind.EXTENDED)
    if given >= TIMES_MAX:
        return found

    def decide(current: PaymentView) -> Step | None:
        ends = now + context.session
        if current.payment.state is not PaymentState.OPEN or not now < current.payment.expires_at < ends:
            return None
        return Step(EventKind.EXTENDED, Actor.CUSTOMER, replace(current.payment, expires_at=ends))

    return await write(context, merchant, found, decide, now)
