"""What happens to authorisations later: endings are asked about, and what nobody captured in time is given back."""

import asyncio
from datetime import datetime

import structlog
from asyncpg import PostgresError

from hundi.infra.database import UNREACHABLE
from hundi.kernel.clock import utc_now
from hundi.payments.captures import actions, store
from hundi.payments.captures.rules import Completion
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.jobs import rest

POLL_S = 2.0
BATCH_MAX = 20
"""Endings one worker asks about at once."""
OVERDUE_MAX = 20
_log = structlog.get_logger(__name__)


async def work_on_due(context: PaymentContext, now: datetime) -> int:
    """Ask about what is due and void what is overdue, all side by side; return how many endings were worked on."""
    claimed = await store.claim(context.db, now, now + actions.LEASE, BATCH_MAX)
    asked = asyncio.gather(*(_work_on(context, each, now) for each in claimed))
    voided, _ = await asyncio.gather(actions.void_uncaptured(context, now, OVERDUE_MAX), asked)
    return len(claimed) + voided


async def _work_on(context: PaymentContext, completion: Completion, now: datetime) -> None:
    try:
        await actions.work_on(context, completion, now)
    except Exception:  # noqa: BLE001 (logged; the lease runs out and it is taken up again)
        _log.exception("completion_failed", merchant_id=completion.merchant_id, payment_id=completion.payment_id)


async def complete_forever(context: PaymentContext, stop: asyncio.Event) -> None:
    """Work on endings until told to stop."""
    while not stop.is_set():
        worked = 0
        try:
            worked = await work_on_due(context, utc_now())
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("completions_not_claimed", error=type(error).__name__)
        if not worked:
            await rest(stop, POLL_S)
