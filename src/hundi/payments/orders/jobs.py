"""What happens to payments later: sessions that end."""

import asyncio

import structlog
from asyncpg import PostgresError

from hundi.infra.database import UNREACHABLE
from hundi.kernel.clock import utc_now
from hundi.payments.orders import actions
from hundi.payments.orders.actions import PaymentContext

POLL_S = 5.0
BATCH_MAX = 200
_log = structlog.get_logger(__name__)


async def close_forever(context: PaymentContext, stop: asyncio.Event) -> None:
    """Close sessions that are over until told to stop."""
    while not stop.is_set():
        due = 0
        try:
            due = await actions.close_overdue(context, utc_now(), BATCH_MAX)
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("sessions_not_closed", error=type(error).__name__)
        if due < BATCH_MAX:
            await rest(stop, POLL_S)


async def rest(stop: asyncio.Event, seconds: float) -> None:
    """Sleep, but not past the word to stop."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
