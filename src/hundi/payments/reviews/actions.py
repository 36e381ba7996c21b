"""The actions of reviews: release a held payment, or reject it."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import Actor, AttemptState, PaymentState
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.captures import actions as captures
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import FOLLOWED_CHANNEL, write_locked
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds.actions import DUE_CHANNEL as REFUNDS_DUE
from hundi.payments.reviews import rules, store
from hundi.payments.reviews.rules import Decision, Reviewed


async def decide(
    db: Database,
    merchant_id: int,
    payment_id: int,
    reviewed: Reviewed,
    now: datetime,
    beside: Beside | None = None,
) -> PaymentView:
    """Release a held payment or reject it, and record who said why; return the payment.

    A rejection begins here and the worker completes it: a refund of what was paid, a void of what
    was authorised. beside: what is written with it. Raises Refused: NO_RECORDS, STATE_FORBIDS,
    FIELD_INVALID.
    """
    async with db.transaction() as conn:
        locked = await payments.lock_view(conn, merchant_id, payment_id)
        success = locked.success if locked else None
        if locked is None:
            raise refuse(RefusalCode.NO_RECORDS)
        refusal = rules.refusal_of(locked.payment, reviewed.reason)
        if refusal is not None:
            raise Refused(refusal)
        if success is None:
            message = f"payment {payment_id} is under review and no attempt succeeded"
            raise AssertionError(message)
        if await captures.is_ending(conn, merchant_id, payment_id):
            raise Refused(wrong_state("payment", "rejected", PaymentState.UNDER_REVIEW))
        step = (
            rules.after_release if reviewed.decision is Decision.RELEASED else rules.after_rejection
        )
        after = await write_locked(conn, locked, step(locked, success, now), now)
        await store.insert_decision(conn, after.payment, reviewed, now)
        if reviewed.decision is Decision.REJECTED and success.state is AttemptState.AUTHORISED:
            after = await captures.begin_void(conn, after, Actor.OPERATOR, now)
        if beside is not None:
            await beside(conn, payment_id)
    db.wake(DELIVERIES_DUE, str(merchant_id))
    db.wake(REFUNDS_DUE)
    db.wake(captures.DUE_CHANNEL)
    db.wake(FOLLOWED_CHANNEL)
    return after
