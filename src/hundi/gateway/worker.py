"""The worker process: deliveries, inquiries, ends of sessions, and the gateway's schedules."""

import asyncio
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from asyncpg import PostgresError

from hundi.api.addresses import CONSENT_PAGE, WHERE_PAGE
from hundi.api.context import GatewayContext
from hundi.api.merchant import ipn
from hundi.api.partner import news
from hundi.doctor.certificates import actions as certificates
from hundi.doctor.certificates.rules import ASK_EVERY
from hundi.doctor.context import DoctorContext, Looker
from hundi.gateway.bootstrap import open_gateway
from hundi.infra import demo_past, logs, reports
from hundi.infra.background.due import ALWAYS, DueLoop, WorkSpan
from hundi.infra.background.schedules.jobs import Schedules
from hundi.infra.demo_clock.actions import CHANNEL as CLOCK_MOVED
from hundi.infra.demo_clock.actions import WAKE
from hundi.infra.http.client import OutboundClient, client_for_others
from hundi.infra.monitoring import traces
from hundi.infra.monitoring.machine import started
from hundi.infra.postgres.database import UNREACHABLE
from hundi.infra.processes import exempt_loaded_objects_from_gc
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.ids import partner_of_recipient
from hundi.letters import actions as letter_actions
from hundi.letters import jobs as letters
from hundi.letters.actions import Carrier, LetterContext
from hundi.letters.mail.actions import open_relay
from hundi.letters.mobile.actions import ConsentPages, carriers_of, open_http
from hundi.letters.rules import LetterChannel, LetterKind, quiet_hours_of
from hundi.merchants.access import actions as access
from hundi.merchants.idempotency import actions as idempotency
from hundi.money.bank_accounts import jobs as bank_accounts
from hundi.money.chain import actions as chain
from hundi.money.ledger import actions as ledger
from hundi.money.payouts import actions as payout_actions
from hundi.money.payouts import jobs as payouts
from hundi.money.payouts.actions import PayoutContext
from hundi.money.payouts.balances import actions as balances
from hundi.money.payouts.balances.rules import READ_EVERY
from hundi.money.reconciliation.fetching import jobs as fetching
from hundi.money.reconciliation.uploads import actions as uploads
from hundi.money.reports.files import jobs as report_files
from hundi.money.reports.schedules import jobs as report_schedules
from hundi.money.settlements import actions as settlements
from hundi.notifications import jobs as notifications
from hundi.notifications.actions import Posts
from hundi.notifications.endpoints import actions as endpoints
from hundi.notifications.endpoints import store as endpoint_store
from hundi.notifications.endpoints.jobs import (
    EndpointRecipient,
    EndpointRecipients,
    endpoint_deliveries,
)
from hundi.notifications.rules import Recipient
from hundi.page import jobs as page
from hundi.partners.directory import actions as partners
from hundi.partners.identity import actions as identity
from hundi.partners.offers import actions as offers
from hundi.payments.attempts import jobs as attempts
from hundi.payments.captures import jobs as captures
from hundi.payments.direct_shares import jobs as direct_shares
from hundi.payments.disputes import actions as disputing
from hundi.payments.disputes import jobs as disputes
from hundi.payments.links import jobs as links
from hundi.payments.links.reminders import jobs as link_reminders
from hundi.payments.links.sending.actions import overtaken
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import jobs as orders
from hundi.payments.orders.telling import actions as order_letters
from hundi.payments.payers import actions as payers
from hundi.payments.payers import jobs as payer_jobs
from hundi.payments.payers.actions import PayerContext
from hundi.payments.refunds import jobs as refunds
from hundi.payments.risk import actions as risk
from hundi.payments.saved_cards import actions as saved_cards
from hundi.payments.search import actions as search
from hundi.payments.subscriptions import jobs as subscriptions
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.standings import jobs as standing_jobs
from hundi.payments.tallies import actions as tallies
from hundi.staff.people.telling import actions as telling
from hundi.status import actions as status
from hundi.status.jobs import StatusWatch

_PAST_LOOK_S = 0.2
_LOOK_EVERY = timedelta(seconds=15)
"""Between two looks of a schedule at what is new of all merchants."""
_RESTS_ON_CLUSTER = 4
"""On a cluster, a look asks every piece of a table: so many times fewer looks find nothing."""
Carriers = Mapping[LetterChannel, Carrier]
_log = structlog.get_logger(__name__)


def run() -> None:
    """Work until SIGTERM or SIGINT, then finish the work under way."""
    settings = load_settings()
    logs.configure(settings.log_level)
    try:
        import uvloop  # noqa: PLC0415 (comes with the server; without it the worker is only a little slower)
    except ImportError:
        asyncio.run(work(settings))
    else:
        uvloop.run(work(settings))


async def work(settings: Settings) -> None:
    """Run every kind of background work side by side."""
    stop = asyncio.Event()
    others = client_for_others(allow_private=settings.allow_private_callbacks)
    started("worker")
    traces.start(settings.traces_to, "worker")
    async with open_gateway(settings) as gateway, others as http, open_http() as providers:
        # Until here no work is under way, and a signal ends the process at once.
        for word in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(word, stop.set)
        exempt_loaded_objects_from_gc()
        _log.info("worker_started")
        reports.report(reports.READY)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_say_alive(stop))
            carriers = carriers_for(gateway, providers)
            await _beside_the_past(gateway, http, carriers, stop)
            loops = due_loops(gateway, http, carriers)
            for loop in loops:
                tasks.create_task(loop.forever(stop))
            tasks.create_task(schedules(gateway).forever(stop))
            if settings.status_page:
                watch = StatusWatch(gateway.db, gateway.connectors, _rests(gateway))
                tasks.create_task(watch.forever(stop))
            if settings.demo:
                await _look_when_the_clock_moves(gateway, loops)
                tasks.create_task(_settle_when_the_clock_moves(gateway, stop))
    reports.report(reports.STOPPING)
    _log.info("worker_stopped")
    await traces.stop()


async def _say_alive(stop: asyncio.Event) -> None:
    """Tell whoever started this process regularly that it works, until it is stopped."""
    while not stop.is_set():
        reports.report(reports.ALIVE)
        with suppress(TimeoutError):
            async with asyncio.timeout(reports.BEAT_S):
                await stop.wait()


def carriers_for(gateway: GatewayContext, providers: OutboundClient) -> Carriers:
    """Return what takes letters to people, as the settings name it."""
    pages = ConsentPages(gateway.db, CONSENT_PAGE, gateway.consent_links.seal)
    relay = open_relay(gateway.settings, pages, WHERE_PAGE)
    by_mail = {} if relay is None else {LetterChannel.MAIL: relay}
    return by_mail | carriers_of(gateway.settings, gateway.db, providers, pages)


async def _beside_the_past(
    gateway: GatewayContext, http: Posts, carriers: Carriers, stop: asyncio.Event
) -> None:
    """While a demo's past is made, work on rows that began in the present.

    No schedule runs by today's clock meanwhile.
    """
    since = demo_past.present_since()
    if since is None:
        return
    over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for loop in due_loops(gateway, http, carriers, WorkSpan(since=since)):
            tasks.create_task(loop.forever(over))
        while demo_past.present_since() is not None and not stop.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAST_LOOK_S):
                    await stop.wait()
        over.set()


def due_loops(
    gateway: GatewayContext,
    http: Posts,
    carriers: Carriers | None = None,
    span: WorkSpan = ALWAYS,
) -> Sequence[DueLoop[Any]]:
    """Return the loops for everything that falls due.

    http: reaches merchants' servers. carriers: take letters to people. span: rows outside it are
    another worker's.
    """
    quiet = quiet_hours_of(gateway.settings.quiet_hours)
    paying, paying_out = gateway.payments, _paying_out(gateway)
    loops = (
        notifications.deliveries(gateway.db, _recipients(gateway), http),
        endpoint_deliveries(gateway.db, _endpoints(gateway), http),
        attempts.inquiries(paying),
        orders.sessions(paying),
        refunds.refunds(paying),
        captures.completions(paying),
        captures.uncaptured(paying),
        subscriptions.subscriptions(paying),
        debit_jobs.debits(paying),
        standing_jobs.standings(paying),
        bank_accounts.checks(gateway.db, gateway.vault, gateway.connectors),
        payouts.payouts(paying_out),
        direct_shares.direct_shares(paying, gateway.vault),
        disputes.disputes(paying, gateway.vault),
        links.links(paying),
        letters.letters(
            LetterContext(
                gateway.db,
                carriers or {},
                quiet,
                partial(overtaken, gateway.db),
                partial(telling.may_have, gateway.db),
                {LetterKind.PAYER_CODE: partial(payers.at_sending, gateway.db, gateway.vault)},
            )
        ),
        payer_jobs.payer_requests(PayerContext(paying, gateway.vault, frozenset(carriers or ()))),
        report_files.report_files(gateway.db),
        report_schedules.report_schedules(gateway.db),
        link_reminders.reminders(gateway.db),
        *(
            [fetching.reports(gateway.db, gateway.connectors)]
            if gateway.settings.fetch_reports and span is ALWAYS
            else ()
        ),
    )
    for loop in loops:
        loop.keep_to(span)
        if gateway.db.is_spread:
            loop.rest_longer(_RESTS_ON_CLUSTER)
    return loops


def _rests(gateway: GatewayContext) -> int:
    """Return how many times longer looks without work may be apart."""
    return _RESTS_ON_CLUSTER if gateway.db.is_spread else 1


def _paying_out(gateway: GatewayContext) -> PayoutContext:
    return PayoutContext(gateway.db, gateway.vault, gateway.connectors)


def _recipients(gateway: GatewayContext) -> notifications.Recipients:
    async def recipient(number: int) -> Recipient | None:
        if affiliate := partner_of_recipient(number):
            partner = await gateway.partners.directory.get(affiliate)
            return news.recipient_of(partner) if partner else None
        merchant = await gateway.directory.get(number)
        return ipn.recipient_of(merchant) if merchant else None

    return recipient


def _endpoints(gateway: GatewayContext) -> EndpointRecipients:
    async def recipient(merchant_id: int, endpoint_no: int) -> EndpointRecipient | None:
        merchant = await gateway.directory.get(merchant_id)
        endpoint = await endpoint_store.select(gateway.db, gateway.vault, merchant_id, endpoint_no)
        return ipn.endpoint_recipient_of(merchant, endpoint) if merchant and endpoint else None

    return recipient


async def _look_when_the_clock_moves(
    gateway: GatewayContext, loops: Sequence[DueLoop[Any]]
) -> None:
    """Have every loop look at once when a demo's clock is moved: anything may be due then."""

    def look(_payload: str) -> None:
        for loop in loops:
            loop.look_soon()

    await gateway.db.listen(CLOCK_MOVED, look)


async def _settle_when_the_clock_moves(gateway: GatewayContext, stop: asyncio.Event) -> None:
    """Settle in a demo as soon as its clock is moved.

    Its days are shorter than a schedule's period.
    """
    move = asyncio.Event()
    await gateway.db.listen(CLOCK_MOVED, lambda payload: None if payload == WAKE else move.set())
    while not stop.is_set():
        waits = [asyncio.create_task(each.wait()) for each in (move, stop)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()
        if move.is_set() and not stop.is_set():
            move.clear()
            try:
                await settlements.run(gateway.db, utc_now())
            except* (PostgresError, *UNREACHABLE) as errors:
                _log.warning(
                    "settlements_wait", errors=[type(each).__name__ for each in errors.exceptions]
                )


async def _read_balances(gateway: GatewayContext, now: datetime) -> None:
    """Ask the providers of payouts for their balances; what waited for one is due then."""
    if await balances.read(gateway.db, gateway.connectors, now):
        gateway.db.wake(payout_actions.DUE_CHANNEL)


async def _look_at_certificates(gateway: GatewayContext, _: datetime) -> None:
    """Look whether a certificate ends: Home tells it, and nobody has to run the doctor."""
    settings, connectors = gateway.settings, tuple(gateway.connectors.all())
    context = DoctorContext(Looker.CONSOLE, settings, db=gateway.db, connectors=connectors)
    await certificates.look(context, gateway.db)


async def _sweep_letters(gateway: GatewayContext, now: datetime) -> None:
    await letter_actions.sweep(gateway.db, now)
    await order_letters.sweep(gateway.db, now)
    await payers.sweep(gateway.db, now)


def schedules(gateway: GatewayContext) -> Schedules:
    """Return everything that runs once a period on one of the workers."""

    async def sweep(now: datetime) -> None:
        await access.sweep(gateway.db, world_now())
        await idempotency.sweep(gateway.db, now)
        await upi.sweep(gateway.db, now)
        await partners.sweep(gateway.db, now)
        await offers.sweep(gateway.db, now)
        await identity.sweep(gateway.db, now)
        await risk.sweep(gateway.db, now)
        await _sweep_letters(gateway, now)
        await saved_cards.sweep(gateway.payments, now)
        await status.sweep(gateway.db, world_now())
        await endpoints.sweep(gateway.db, now)

    async def settle(_: datetime) -> None:
        # A demo's clock may have been moved since the run was planned.
        await settlements.run(gateway.db, utc_now())

    async def prepare(now: datetime) -> None:
        await payout_actions.prepare(_paying_out(gateway), now)

    async def inspect(now: datetime) -> None:
        origins = page.origins_of(gateway.directory, gateway.connectors)
        await page.report(
            gateway.db, gateway.sessions, origins, gateway.settings.payment_page_url, now
        )

    async def index(_: datetime) -> None:
        await search.follow(gateway.db, gateway.vault)

    importing = partial(uploads.import_asked, gateway.db, gateway.vault)
    sealing = partial(chain.seal, gateway.db, gateway.vault)
    rolling = partial(ledger.roll_checkpoints, gateway.db)
    planned, look_every = Schedules(gateway.db), _LOOK_EVERY * _rests(gateway)
    planned.add("sweep_counts_and_tokens", timedelta(minutes=10), sweep)
    planned.add("roll_checkpoints", timedelta(minutes=5), rolling)
    planned.add("inspect_payment_page", timedelta(hours=1), inspect)
    planned.add("settle_merchants", timedelta(minutes=5), settle)
    planned.add("prepare_payouts", look_every, prepare)
    planned.add("import_statements", timedelta(seconds=5), importing)
    planned.add("read_payout_balances", READ_EVERY, partial(_read_balances, gateway))
    planned.add("seal_books", timedelta(minutes=5), sealing)
    planned.add("index_for_search", look_every, index)
    planned.add("tell_people", timedelta(minutes=1), partial(telling.look, gateway.db))
    planned.add("count_hours", look_every, partial(tallies.follow, gateway.db))
    planned.add("sum_days", timedelta(minutes=10), partial(tallies.sum_days, gateway.db))
    planned.add(
        "look_for_disputes", timedelta(minutes=10), partial(disputing.look, gateway.payments)
    )
    planned.add("look_at_certificates", ASK_EVERY, partial(_look_at_certificates, gateway))
    return planned
