"""Extend a payment session, a limited number of times."""

from datetime import datetime

from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind, PaymentState
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext, write_locked
from hundi.payments.orders.rules import PaymentView, Step

TIMES_MAX = 20
"""Extensions of one payment: decision 43 says why."""


async def extend(context: PaymentContext, view: PaymentView, now: datetime) -> PaymentView:
    """Extend an open session to one whole session from now.

    Nothing changes if it has ended or was extended TIMES_MAX times.
    """
    payment = view.payment
    context.recent.forget(view)
    async with context.db.transaction() as conn:
        # Counted under the payment's lock; otherwise simultaneous presses would exceed the limit.
        locked = await store.lock_view(conn, payment.merchant_id, payment.payment_id)
        if locked is None:
            return view
        current, ends = locked.payment, now + context.session
        if current.state is not PaymentState.OPEN or not now < current.expires_at < ends:
            return locked
        if (
            await store.count_events(
                conn, current.merchant_id, current.payment_id, EventKind.EXTENDED
            )
            >= TIMES_MAX
        ):
            return locked
        step = Step(EventKind.EXTENDED, Actor.CUSTOMER, replace(current, expires_at=ends))
        return await write_locked(conn, locked, step, now)
