"""Puts the parts together: the only place that knows them all."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import asyncpg

from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.memory import Memory, ShortMemory
from hundi.acquirers.registry import Registry
from hundi.api.addresses import CALLBACK
from hundi.api.admission import Admission
from hundi.api.context import GatewayContext, PartnerServices
from hundi.api.partner.offers import AffiliateCalls
from hundi.gateway.scrub.actions import SealedColumn
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.roles import url_as
from hundi.infra.errors import OperatorError
from hundi.infra.http.client import client_for_others
from hundi.infra.http.rates import Rates
from hundi.infra.http.turns import Turns
from hundi.infra.postgres.counter import check_counter
from hundi.infra.postgres.database import DISK_FULL, STARTING_S_MAX, Database, open_database
from hundi.infra.postgres.looks import NodeLostError, lost_node
from hundi.infra.postgres.migrate import check_current, check_not_older
from hundi.infra.postgres.replicas.actions import open_replica
from hundi.infra.postgres.roles import DATABASE, DatabaseRole
from hundi.infra.secrets.vault import Vault, open_vault
from hundi.infra.settings import Settings, SettingsError
from hundi.kernel.masking import Swept
from hundi.merchants.access.actions import Tokens
from hundi.merchants.access.sessions.rules import CONSENT_PURPOSE, MANDATE_PURPOSE, Sessions
from hundi.merchants.access.sessions.rules import PURPOSE as SESSION_PURPOSE
from hundi.merchants.directory import store as merchants
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.keys.rules import StoredKeys
from hundi.page import outcomes
from hundi.partners.directory.actions import CallLog, PartnerDirectory
from hundi.partners.gst.actions import Registrations
from hundi.partners.identity.consents import actions as consents
from hundi.partners.leads import actions as leads
from hundi.partners.leads.actions import LeadContext
from hundi.partners.offers.actions import Openings
from hundi.partners.prepaid_cards.actions import CustomerCards
from hundi.partners.registers import sandbox as simulated
from hundi.partners.registers.plugins import ProviderConfigurationError, open_providers
from hundi.partners.registers.routing import Registers
from hundi.partners.registers.sandbox import SandboxRegisters
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.acquirer_accounts.jobs import Follower
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.availability.actions import BankHealth
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.risk.actions import RiskControl
from hundi.payments.routing.actions import Router
from hundi.staff.sign_in.actions import SignIn
from hundi.wire import cipher
from hundi.wire.merchant import privatekey
from hundi.wire.partner.leads import without_numbers

CONSOLE_POOL_SIZE = 2
"""Connections of each process for the console: people are slow."""


def key_formulas(stored: StoredKeys) -> tuple[bytes, str]:
    """Return (encryption key, privatekey) of a merchant by the protocol's formulas."""
    key = cipher.encryption_key(stored.username, stored.password)
    return key, privatekey.derive(stored.secret, stored.username, stored.password)


def open_directory(db: Database, vault: Vault) -> Directory:
    """Return the directory of merchants."""
    return Directory(db, vault, key_formulas)


async def open_keys(settings: Settings, db: Database) -> Vault:
    """Return the vault, with keys that open the values in the database. Raises VaultError."""
    return open_vault(settings, await merchants.sealed_samples(db))


def sealed_words(db: Database, vault: Vault) -> tuple[SealedColumn, ...]:
    """Return the sealed columns with words of people, and the function that sweeps each."""
    context = LeadContext(db, vault)

    def mask_leads(is_applied: bool) -> AsyncIterator[tuple[str, Swept]]:  # noqa: FBT001 (all that a sweep is told)
        return leads.mask_kept(context, without_numbers, is_applied=is_applied)

    def mask_consents(is_applied: bool) -> AsyncIterator[tuple[str, Swept]]:  # noqa: FBT001 (as above)
        return consents.mask_kept(db, vault, is_applied=is_applied)

    return (
        SealedColumn("leads", "sealed_content", mask_leads),
        SealedColumn("identity_consents", "sealed_words", mask_consents),
    )


def open_connectors(settings: Settings, memory: Memory) -> Registry:
    """Return the configured acquirers without a call to any. Raises SettingsError."""
    try:
        return open_registry(
            settings.acquirers, lambda name: settings.base_url + CALLBACK + name, memory
        )
    except AcquirerConfigurationError as error:
        raise SettingsError(f"these settings cannot be used:\n  {error}") from error


def account_context(
    settings: Settings, db: Database, vault: Vault, memory: Memory
) -> AccountContext:
    """Return the context that stores and opens accounts at acquirers."""
    return AccountContext(
        db, vault, settings.acquirers, lambda name: settings.base_url + CALLBACK + name, memory
    )


@asynccontextmanager
async def open_every_connector(
    settings: Settings, db: Database, vault: Vault, memory: Memory, *, follow: bool = False
) -> AsyncIterator[Registry]:
    """Open the acquirers of the settings and of stored accounts, and close them in the end.

    memory: of all of them. follow: apply an operator's later changes. Raises SettingsError.
    """
    async with AsyncExitStack() as stack:
        connectors = open_connectors(settings, memory)
        stack.push_async_callback(connectors.close)
        follower = Follower(account_context(settings, db, vault, memory), connectors)
        stack.push_async_callback(follower.close)
        if follow:
            await follower.listen()
        try:
            await follower.start()
        except AcquirerConfigurationError as error:
            raise SettingsError(f"these settings cannot be used:\n  {error}") from error
        if follow:
            await stack.enter_async_context(following(follower.follow()))
        yield connectors


@asynccontextmanager
async def open_gateway(
    settings: Settings, *, database: Database | None = None, connectors: Registry | None = None
) -> AsyncIterator[GatewayContext]:
    """Open the gateway's parts for one process and close them in reverse order.

    database, connectors: used instead of those of the settings, and closed too; for a simulation.
    Raises OperatorError: the database cannot be used, a right or the key file is missing.
    """
    async with AsyncExitStack() as stack:
        try:
            opened = await _open_parts(settings, database, connectors, stack)
        except asyncpg.InsufficientPrivilegeError as error:
            message = (
                f"the database's role lacks a right that this part needs ({error}): run `hundi"
                " migrate` with the owner's address, which grants every right, or give this part"
                " the address of its own role (docs/operations.md#roles)"
            )
            raise OperatorError(message) from error
        yield opened


async def _open_parts(
    settings: Settings,
    database: Database | None,
    connectors: Registry | None,
    stack: AsyncExitStack,
) -> GatewayContext:
    db = database or await open_configured_database(settings)
    stack.push_async_callback(db.close)
    vault = await open_keys(settings, db)
    await stack.enter_async_context(following(vault.follow()))
    if settings.demo:
        await demo_clock.follow(db)
    directory = open_directory(db, vault)
    await directory.start()
    tokens = Tokens(db, timedelta(seconds=settings.token_seconds))
    await tokens.start()
    risk = RiskControl(db, vault)
    await risk.start()
    router = Router(db)
    await router.start()
    console_db = await _open_console_database(settings, stack)
    # No other role may read or change how people sign in: the role that serves requests sees
    # nothing of it.
    sign_in = SignIn(console_db or db, vault)
    stack.callback(sign_in.close)
    if connectors is None:
        opening = open_every_connector(settings, db, vault, KeptWords(db), follow=True)
        connectors = await stack.enter_async_context(opening)
    else:
        stack.push_async_callback(connectors.close)
    return GatewayContext(
        settings=settings,
        db=db,
        vault=vault,
        directory=directory,
        tokens=tokens,
        sessions=Sessions(partial(vault.derive_all, SESSION_PURPOSE)),
        mandate_links=Sessions(partial(vault.derive_all, MANDATE_PURPOSE)),
        consent_links=Sessions(partial(vault.derive_all, CONSENT_PURPOSE)),
        connectors=connectors,
        payments=PaymentContext(
            db=db,
            directory=directory,
            connectors=connectors,
            risk=risk,
            session=timedelta(seconds=settings.session_seconds),
            qr=timedelta(seconds=settings.qr_seconds),
            router=router,
        ),
        partners=await _partner_services(settings, db, vault, stack),
        bank_health=BankHealth(db),
        admission=Admission(Turns(settings.requests_at_once), settings.requests_a_minute),
        sign_in=sign_in,
        accounts=account_context(settings, db, vault, ShortMemory()),
        customer_words=outcomes.said_to_customers,
        console_db=console_db,
    )


async def _open_console_database(settings: Settings, stack: AsyncExitStack) -> Database | None:
    """Open the database with the console's rights, if it has a role of its own (decision 55)."""
    url = settings.console_database_url
    return (
        await stack.enter_async_context(await _opened(settings, url, CONSOLE_POOL_SIZE))
        if url
        else None
    )


async def open_configured_database(settings: Settings, pool_size: int = 0) -> Database:
    """Open the database of the settings; wait while it recovers.

    pool_size: 0 for the setting. Raises OperatorError if its schema is missing or older than this
    code, or if its server's counter is behind the books.
    """
    if settings.database_url is None:
        message = (
            "the gateway needs HUNDI_DATABASE_URL; `hundi serve` starts the embedded database and"
            " sets it"
        )
        raise SettingsError(message)
    db = await _opened(settings, settings.database_url, pool_size)
    try:
        await check_not_older(db)
        await check_counter(db)
    except BaseException:
        await db.close()
        raise
    return db


async def _opened(settings: Settings, url: str, pool_size: int) -> Database:
    return await open_database(
        url,
        pool_size=pool_size or settings.pool_size,
        statement_timeout_ms=settings.statement_timeout_ms,
        lock_timeout_ms=settings.lock_timeout_ms,
        starting_s_max=STARTING_S_MAX,
    )


@asynccontextmanager
async def following(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run some work during the block, such as reading the keys again after a rotation."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _partner_services(
    settings: Settings, db: Database, vault: Vault, stack: AsyncExitStack
) -> PartnerServices:
    directory, calls = PartnerDirectory(db, vault), CallLog(db)
    await directory.start()
    await calls.start()
    stack.push_async_callback(calls.close)
    registers = SandboxRegisters(settings.simbank_url, settings.acquirer_key.encode())
    stack.push_async_callback(registers.close)
    providers = [(simulated.NAME, registers)] if settings.acquirer_key else []
    http = await stack.enter_async_context(
        client_for_others(allow_private=settings.allow_private_callbacks)
    )
    callbacks = AffiliateCalls(http, calls)
    live: list[tuple[str, object]] = []
    try:
        plugged = open_providers(settings.providers)
    except ProviderConfigurationError as error:
        raise SettingsError(str(error)) from error
    for name, each in plugged:
        stack.push_async_callback(each.close)
        live.append((name, each))
    if settings.upstream_url:
        # The SDK's HTTP library is a tenth of a process's start, so only gateways with an upstream
        # load it.
        from hundi.partners.registers import upstream  # noqa: PLC0415

        provider = upstream.of(settings)
        stack.push_async_callback(provider.close)
        live.append((upstream.NAME, provider))
    answering = Registers(providers, live)
    return PartnerServices(
        directory=directory,
        rates=Rates(),
        calls=calls,
        registers=answering,
        registrations=Registrations(db, answering),
        cards=CustomerCards(answering),
        openings=Openings(db, vault, callbacks.ask),
    )


@dataclass(frozen=True, slots=True)
class OperatorContext:
    """The context of an operator's command: the database and the merchants, without connectors."""

    settings: Settings
    db: Database
    vault: Vault
    directory: Directory


@asynccontextmanager
async def open_operator_database(
    settings: Settings, role: DatabaseRole = DatabaseRole.OPERATOR
) -> AsyncIterator[Database]:
    """Open the database for a command: the configured, the running embedded, or a new one.

    role: whose rights the command has in the embedded database. No key is needed: the books have no
    secret, so an auditor needs no keys. No command changes the schema on its way, even of the
    embedded database, because processes of another version may run on it; `hundi migrate` and the
    start of `hundi serve` do. Raises OperatorError if the schema is not the newest.
    """
    with ExitStack() as server:
        url = settings.database_url
        if url is None:
            owner = server.enter_context(embedded_postgres.reach(settings.data_dir, DATABASE))
            url = url_as(settings.data_dir, owner, role)
        await check_current(url)
        async with await open_database(url, pool_size=2) as db:
            try:
                await demo_clock.read(db)
                yield db
            except asyncpg.InsufficientPrivilegeError as error:
                message = (
                    f"this command needs another role of the database: {error}"
                    " (docs/operations.md#roles)"
                )
                raise OperatorError(message) from error
            except asyncpg.DiskFullError as error:
                raise OperatorError(DISK_FULL) from error
            except NodeLostError as lost:
                message = (
                    f"{lost_node(lost)} cannot be reached, and what it has is needed for this"
                    " (docs/citus.md)"
                )
                raise OperatorError(message) from lost


@asynccontextmanager
async def open_reading_database(
    settings: Settings, role: DatabaseRole = DatabaseRole.OPERATOR
) -> AsyncIterator[Database]:
    """Open the database for a command that only reads: a replica that is up to date, if any."""
    async with open_operator_database(settings, role) as primary:
        url = settings.read_database_url
        replica = await open_replica(url, primary, settings.read_lag_seconds) if url else None
        if replica is None:
            yield primary
            return
        async with replica:
            yield replica


@asynccontextmanager
async def open_operator_context(
    settings: Settings, *, reading: bool = False
) -> AsyncIterator[OperatorContext]:
    """Open the database and the keys for one command. Raises VaultError.

    reading: it changes nothing.
    """
    async with (open_reading_database if reading else open_operator_database)(settings) as db:
        vault = await open_keys(settings, db)
        yield OperatorContext(settings, db, vault, open_directory(db, vault))
