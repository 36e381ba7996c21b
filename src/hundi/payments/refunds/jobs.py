"""What happens to refunds later: they are sent, asked about, and begun where money is owed back."""

import asyncio
from datetime import datetime

import structlog
from asyncpg import PostgresError

from hundi.infra.database import UNREACHABLE
from hundi.kernel.clock import utc_now
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.jobs import rest
from hundi.payments.refunds import actions, store
from hundi.payments.refunds.rules import Refund

POLL_S = 1.0
BATCH_MAX = 50
"""Refunds one worker has at banks at once."""
DEBTS_MAX = 100
DRAIN_S = 10.0
_log = structlog.get_logger(__name__)


async def work_on_due(context: PaymentContext, now: datetime) -> int:
    """Begin what is owed back, then send or ask about what is due, each on its own; return how many those were."""
    await actions.refund_what_is_owed(context, now, DEBTS_MAX)
    claimed = await store.claim(context.db, now, now + actions.LEASE, BATCH_MAX)
    await asyncio.gather(*(_work_on(context, each, now) for each in claimed))
    return len(claimed)


async def _work_on(context: PaymentContext, refund: Refund, now: datetime) -> None:
    try:
        await actions.work_on(context, refund, now)
    except Exception:  # noqa: BLE001 (logged; the lease runs out and it is taken up again)
        _log.exception("refund_failed", merchant_id=refund.merchant_id, refund_id=refund.refund_id)


async def refund_forever(context: PaymentContext, stop: asyncio.Event) -> None:
    """Work on refunds until told to stop; a silent bank holds up its own and no others."""
    under_way: set[asyncio.Task[None]] = set()
    news = asyncio.Event()
    await context.db.listen(actions.DUE_CHANNEL, lambda _: news.set())
    while not stop.is_set():
        now, free = utc_now(), BATCH_MAX - len(under_way)
        news.clear()
        try:
            begun = await actions.refund_what_is_owed(context, now, DEBTS_MAX)
            claimed = await store.claim(context.db, now, now + actions.LEASE, free) if free else []
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("refunds_not_claimed", error=type(error).__name__)
            begun, claimed = 0, []
        for each in claimed:
            task = asyncio.create_task(_work_on(context, each, now))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        if under_way and not free:
            await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED, timeout=POLL_S)
        elif not claimed and not begun:
            await _first(stop, news)
    if under_way:
        await asyncio.wait(under_way, timeout=DRAIN_S)


async def _first(stop: asyncio.Event, news: asyncio.Event) -> None:
    """Rest until there is news, it is time to look, or it is time to stop."""
    resting = {asyncio.create_task(rest(stop, POLL_S)), asyncio.create_task(news.wait())}
    _, left = await asyncio.wait(resting, return_when=asyncio.FIRST_COMPLETED)
    for each in left:
        each.cancel()
