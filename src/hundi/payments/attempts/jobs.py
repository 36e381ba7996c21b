"""What happens to attempts later: the bank is asked about every outcome that is open, on the connector's schedule."""

import asyncio
from datetime import datetime

import structlog
from asyncpg import PostgresError

from hundi.infra.database import UNREACHABLE
from hundi.kernel.clock import utc_now
from hundi.payments.attempts import actions
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.jobs import rest
from hundi.payments.orders.rules import Attempt

POLL_S = 0.5
"""A person may be waiting: with the schedule's first gaps of seconds, half a second more is not felt."""
BATCH_MAX = 50
"""Questions one worker has under way."""
DRAIN_S = 10.0
"""When told to stop: how long questions under way may take; the lease gives the rest to another worker."""
_log = structlog.get_logger(__name__)


async def inquire_due(context: PaymentContext, now: datetime) -> int:
    """Ask about the attempts that are due, each on its own, and return how many those were."""
    claimed = await store.claim_inquiries(context.db, now, now + actions.INQUIRY_LEASE, BATCH_MAX)
    await asyncio.gather(*(_inquire(context, each, now) for each in claimed))
    return len(claimed)


async def _inquire(context: PaymentContext, attempt: Attempt, now: datetime) -> None:
    try:
        merchant = await context.directory.get(attempt.merchant_id)
        if merchant is None:
            _log.error("inquiry_without_merchant", merchant_id=attempt.merchant_id)
            return
        await actions.inquire(context, merchant, attempt, now)
    except Exception:  # noqa: BLE001 (logged; see below)
        # The lease runs out and the attempt is asked about again; one that cannot be handled must not stop the others.
        _log.exception("inquiry_failed", merchant_id=attempt.merchant_id, attempt_id=attempt.attempt_id)


async def inquire_forever(context: PaymentContext, stop: asyncio.Event) -> None:
    """Ask until told to stop; a silent bank holds up its own questions and no others."""
    under_way: set[asyncio.Task[None]] = set()
    while not stop.is_set():
        now, free = utc_now(), BATCH_MAX - len(under_way)
        try:
            claimed = await store.claim_inquiries(context.db, now, now + actions.INQUIRY_LEASE, free) if free else []
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("inquiries_not_claimed", error=type(error).__name__)
            claimed = []
        for each in claimed:
            task = asyncio.create_task(_inquire(context, each, now))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        if not claimed or not free:
            await rest(stop, POLL_S)
    if under_way:
        await asyncio.wait(under_way, timeout=DRAIN_S)
