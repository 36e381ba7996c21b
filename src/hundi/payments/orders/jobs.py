"""What happens to payments later: sessions that end."""

from collections.abc import Collection
from datetime import datetime

from hundi.infra.background.due import DueLoop, Pace
from hundi.infra.background.due_rows import Due, GuardedWork
from hundi.payments.orders import actions, store
from hundi.payments.orders.actions import PaymentContext

PACE = Pace(poll_s=5.0, in_flight_max=24, peer_in_flight_max=24)


def sessions(context: PaymentContext) -> DueLoop[Due]:
    """Return the loop that closes sessions that are over."""

    async def find(now: datetime, without: Collection[str], limit: int) -> list[Due]:  # noqa: ARG001 (nobody is called)
        return await store.select_overdue(context.db, now, limit)

    async def act(due: Due, now: datetime) -> bool:
        return await actions.close(context, due.merchant_id, due.key, now)

    return DueLoop(GuardedWork("sessions", PACE, find, act))
