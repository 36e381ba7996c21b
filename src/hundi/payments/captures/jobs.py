"""The due loop's work for completions: inquiries, and voids of what was not captured in time."""

from datetime import datetime
from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, DueQuery, GuardedWork, LeasedWork
from hundi.kernel.clock import utc_now
from hundi.merchants.directory.rules import CAPTURE_WITHIN_HOURS
from hundi.payments.captures import actions, rules, store
from hundi.payments.captures.rules import Completion
from hundi.payments.orders.actions import FOLLOWED_CHANNEL, PaymentContext

PACE = Pace(poll_s=2.0, in_flight_max=50, peer_in_flight_max=40, idle_s=15.0)


def completions(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Completion]:
    """Return the loop that asks about captures and voids, and repeats lost calls."""
    db = context.db
    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))
    able = context.connectors.has
    find, act = partial(store.due, db), partial(actions.work_on, context)
    work = LeasedWork("completions", PACE, find, claim, act, due=_due, able=able)
    return DueLoop(work, hints=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(completion: Completion) -> Due:
    return Due(completion.merchant_id, completion.completion_id, completion.connector)


def uncaptured(context: PaymentContext) -> DueLoop[Due]:
    """Return the loop that voids what was not captured within its merchant's time."""

    async def find(query: DueQuery) -> list[Due]:
        return await store.uncaptured(
            context.db, query, CAPTURE_WITHIN_HOURS, rules.VOID_AGAIN_AFTER
        )

    async def act(due: Due, now: datetime) -> bool:
        return await actions.void_uncaptured(context, due.merchant_id, due.key, now)

    return DueLoop(
        GuardedWork("uncaptured", PACE, find, act),
        hints=partial(context.db.listen, FOLLOWED_CHANNEL),
    )
