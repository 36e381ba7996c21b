"""The simulated bank network as an application: `uvicorn --factory simbank.app:build`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

import msgspec
from litestar import Litestar, Request, Response

from simbank import acquirer, jobs, logs, network, pages, store, traces
from simbank.aggregator import refunds as aggregator_refunds
from simbank.aggregator import routes as aggregator
from simbank.bank import Bank, RrnSource
from simbank.businesses import routes as businesses
from simbank.callback_sender import CallbackSender
from simbank.cards import routes as cards
from simbank.cash import routes as cash
from simbank.clock import actions as clock
from simbank.completions import routes as completions
from simbank.database import AWAY, open_database
from simbank.disputes import routes as disputes
from simbank.fault_injection import FaultInjector, FaultSettings
from simbank.late_successes import routes as late_successes
from simbank.mandates import routes as mandates
from simbank.payees.store import Payees
from simbank.payouts import routes as payouts
from simbank.people import routes as people
from simbank.redirects import routes as redirects
from simbank.refunds import routes as refunds
from simbank.scheduler import Scheduler
from simbank.settings import Settings, load_settings
from simbank.statements import routes as statements
from simbank.terminals import routes as terminals
from simbank.tokens import routes as tokens
from simbank.transfers import routes as transfers

_PARTS = (
    acquirer,
    aggregator,
    aggregator_refunds,
    completions,
    refunds,
    disputes,
    redirects,
    mandates,
    tokens,
    businesses,
    cards,
    people,
    terminals,
    transfers,
    cash,
    payouts,
    statements,
    late_successes,
    network,
    pages,
)
_BODY_BYTES_MAX = 64 * 1024


def build(settings: Settings | None = None) -> Litestar:
    """Return the application; settings default to the environment's. Raises SettingsError.

    One process only: it counts the injected faults in memory. The database could serve several.
    """
    chosen = settings or load_settings()
    logs.configure()

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        async with open_bank(chosen) as bank:
            app.state.bank = bank
            yield

    return Litestar(
        route_handlers=[route for part in _PARTS for route in part.ROUTES],
        lifespan=[running],
        middleware=traces.middleware(),
        exception_handlers=dict.fromkeys(AWAY, _books_away),
        request_max_body_size=_BODY_BYTES_MAX,
        openapi_config=None,
        logging_config=None,
    )


@asynccontextmanager
async def open_bank(settings: Settings) -> AsyncIterator[Bank]:
    """Open the bank, and close it in order: scheduler, work under way, database."""
    db = await open_database(settings.database_url, pool_size=settings.pool_size)
    if settings.apart_s is None:
        await clock.read(db)
    else:
        clock.live_apart(timedelta(seconds=settings.apart_s))
    await businesses.seed(db)
    await people.seed(db, settings.acquirer_key)
    await cards.seed(db, clock.now())
    setting = await store.read_faults(db)
    faults = FaultInjector(
        msgspec.json.decode(setting, type=FaultSettings) if setting else FaultSettings()
    )
    scheduler = Scheduler()
    callback_sender = CallbackSender(
        db, settings.callback_url, settings.acquirer_key, faults, scheduler
    )
    bank = Bank(settings, db, faults, scheduler, callback_sender, RrnSource(db), Payees(db))
    round_ = asyncio.create_task(jobs.forever(bank))
    try:
        yield bank
    finally:
        round_.cancel()
        with suppress(asyncio.CancelledError):
            await round_
        await callback_sender.close()
        await db.close()


def _books_away(_request: Request[Any, Any, Any], _problem: Exception) -> Response[dict[str, str]]:
    """Answer 503, so that a lost database is not taken for a declined payment."""
    return Response({"error": "the books are not reachable"}, status_code=503)
