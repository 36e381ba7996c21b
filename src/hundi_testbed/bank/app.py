"""The simulated bank network as an application.

`uvicorn --factory hundi_testbed.bank.app:build` serves it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

import msgspec
from litestar import Litestar, Request, Response

from hundi_testbed.bank import acquirer, jobs, logs, network, pages, store, traces
from hundi_testbed.bank.aggregator import refunds as aggregator_refunds
from hundi_testbed.bank.aggregator import routes as aggregator
from hundi_testbed.bank.bank import BankContext, RrnSource
from hundi_testbed.bank.businesses import routes as businesses
from hundi_testbed.bank.callback_sender import CallbackSender
from hundi_testbed.bank.cards import routes as cards
from hundi_testbed.bank.cash import routes as cash
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.completions import routes as completions
from hundi_testbed.bank.database import AWAY, open_database
from hundi_testbed.bank.disputes import routes as disputes
from hundi_testbed.bank.fault_injection import FaultInjector, FaultSettings
from hundi_testbed.bank.late_successes import routes as late_successes
from hundi_testbed.bank.mailbox import routes as mailbox
from hundi_testbed.bank.mailbox.actions import receiving
from hundi_testbed.bank.mandates import routes as mandates
from hundi_testbed.bank.payees.store import Payees
from hundi_testbed.bank.payouts import routes as payouts
from hundi_testbed.bank.people import routes as people
from hundi_testbed.bank.providers import routes as providers
from hundi_testbed.bank.redirects import routes as redirects
from hundi_testbed.bank.refunds import routes as refunds
from hundi_testbed.bank.scheduler import Scheduler
from hundi_testbed.bank.settings import BankSettings, load_settings
from hundi_testbed.bank.statements import routes as statements
from hundi_testbed.bank.terminals import routes as terminals
from hundi_testbed.bank.tokens import routes as tokens
from hundi_testbed.bank.transfers import routes as transfers

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
    mailbox,
    providers,
    network,
    pages,
)
_BODY_BYTES_MAX = 64 * 1024


def build(settings: BankSettings | None = None) -> Litestar:
    """Return the application; settings default to the environment's. Raises BankSettingsError.

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
async def open_bank(settings: BankSettings) -> AsyncIterator[BankContext]:
    """Open the bank; close it in order: scheduler, running work, database."""
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
    bank = BankContext(settings, db, faults, scheduler, callback_sender, RrnSource(db), Payees(db))
    round_ = asyncio.create_task(jobs.forever(bank))
    try:
        async with receiving(bank.mailbox, settings.mail_socket):
            yield bank
    finally:
        round_.cancel()
        with suppress(asyncio.CancelledError):
            await round_
        await callback_sender.close()
        await db.close()


def _books_away(_request: Request[Any, Any, Any], _problem: Exception) -> Response[dict[str, str]]:
    """Answer 503, so that nobody takes a lost database for a declined payment."""
    return Response({"error": "the books are not reachable"}, status_code=503)
