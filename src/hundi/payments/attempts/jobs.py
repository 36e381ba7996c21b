"""Inquiries: ask the bank about open attempts, on the connector's schedule."""

from datetime import datetime
from functools import partial

import structlog

from hundi.acquirers.port.payments import FIRST_GAP_S_MIN
from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.monitoring import traces
from hundi.kernel.clock import utc_now
from hundi.payments.attempts import actions
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.inquiries.actions import DUE_CHANNEL
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import Attempt

# A person may be waiting: the schedule's first gaps are seconds, so half a second more is not
# noticed. A new attempt needs no wake-up: a poll sees it before its first inquiry is due, even by
# another process's clock.
PACE = Pace(poll_s=0.5, in_flight_max=50, peer_in_flight_max=40, idle_s=FIRST_GAP_S_MIN - 1.0)
_log = structlog.get_logger(__name__)


def inquiries(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Attempt]:
    """Return the loop that asks about attempts."""
    db = context.db
    claim = Claim(
        actions.INQUIRY_LEASE,
        partial(store.claim_inquiries, db),
        partial(store.put_back_inquiry, db),
    )
    able = context.connectors.has
    find, act = partial(store.select_inquiries, db), partial(_inquire, context)
    work = LeasedWork("inquiries", PACE, find, claim, act, due=_due, able=able)
    return DueLoop(work, hints=partial(db.listen, DUE_CHANNEL), clock=clock)


def _due(attempt: Attempt) -> Due:
    return Due(attempt.merchant_id, attempt.attempt_id, attempt.connector)


async def _inquire(context: PaymentContext, attempt: Attempt, now: datetime) -> bool:
    traces.note(attempt.merchant_id, attempt.payment_id)
    merchant = await context.directory.get(attempt.merchant_id)
    if merchant is None:
        _log.error("inquiry_without_merchant", merchant_id=attempt.merchant_id)
        return True
    return await answers.inquire(context, merchant, attempt, now)
