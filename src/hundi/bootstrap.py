"""Puts the parts together: the only place that knows them all."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from hundi.acquirers.registry import Registry
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.api.gateway import Gateway, PartnerServices
from hundi.api.partner.offers import Callbacks
from hundi.infra import embedded_postgres
from hundi.infra.database import Database, open_database
from hundi.infra.http_client import OutboundClient
from hundi.infra.migrate import migrate
from hundi.infra.settings import Settings
from hundi.infra.vault import Vault, open_vault
from hundi.kernel.clock import utc_now
from hundi.merchants.access.actions import Tokens
from hundi.merchants.access.sessions import PURPOSE as SESSION_PURPOSE
from hundi.merchants.access.sessions import Sessions
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import CHANNELS, Merchant, MerchantSettings, Mode, StoredKeys
from hundi.partners.directory import actions as partners
from hundi.partners.directory.actions import CallLog, CallRates, PartnerDirectory
from hundi.partners.directory.rules import Partner, PartnerSettings
from hundi.partners.gst.actions import Registrations
from hundi.partners.offers.actions import Openings
from hundi.partners.pos import actions as pos
from hundi.partners.prepaid_cards.actions import CustomerCards
from hundi.partners.registers import sandbox as simulated
from hundi.partners.registers.registers import Registers
from hundi.partners.registers.sandbox import SandboxRegisters
from hundi.payments.orders.actions import PaymentContext
from hundi.wire import cipher
from hundi.wire.merchant import privatekey

DATABASE_NAME = "hundi"
_SHOP_FILE = "demo_shop.json"
DEMO_SHOP_PATH = "/demo-shop/"
_DEMO_MERCHANTS: tuple[tuple[str, Mode], ...] = (
    ("Asha Handlooms", "live"),
    ("Bharat Spice Bazaar", "live"),
    ("Asha Handlooms (sandbox)", "sandbox"),
)
"""At least two live ones, so that tests can try to cross the wall between them."""


def key_formulas(stored: StoredKeys) -> tuple[bytes, str]:
    """Return (encryption key, privatekey) of a merchant by the protocol's formulas."""
    key = cipher.encryption_key(stored.username, stored.password)
    return key, privatekey.derive(stored.secret, stored.username, stored.password)


def open_directory(db: Database, vault: Vault) -> Directory:
    """Return the directory of merchants."""
    return Directory(db, vault, key_formulas)


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """Open the gateway's parts for one process and close them in reverse order.

    Raises what an unreachable database or an unreadable key file raises.
    """
    if settings.database_url is None:
        message = "the gateway needs HUNDI_DATABASE_URL; `hundi serve` starts the embedded database and sets it"
        raise ValueError(message)
    async with AsyncExitStack() as stack:
        vault = open_vault(settings)
        db = await open_database(
            settings.database_url,
            pool_size=settings.pool_size,
            statement_timeout_ms=settings.statement_timeout_ms,
            lock_timeout_ms=settings.lock_timeout_ms,
        )
        stack.push_async_callback(db.close)
        directory = open_directory(db, vault)
        await directory.start()
        tokens = Tokens(db, timedelta(seconds=settings.token_seconds))
        await tokens.start()
        sandbox = SandboxConnector(settings.simbank_url, settings.acquirer_key.encode())
        stack.push_async_callback(sandbox.close)
        # Without a key nothing that the bank says could be believed.
        connectors = Registry([sandbox] if settings.acquirer_key else [])
        yield Gateway(
            settings=settings,
            db=db,
            vault=vault,
            directory=directory,
            tokens=tokens,
            sessions=Sessions(vault.derive_all(SESSION_PURPOSE)),
            connectors=connectors,
            payments=PaymentContext(
                db=db,
                directory=directory,
                connectors=connectors,
                session=timedelta(seconds=settings.session_seconds),
                qr=timedelta(seconds=settings.qr_seconds),
            ),
            partners=await _partner_services(settings, db, vault, stack),
        )


async def _partner_services(settings: Settings, db: Database, vault: Vault, stack: AsyncExitStack) -> PartnerServices:
    directory, calls = PartnerDirectory(db, vault), CallLog(db)
    await directory.start()
    await calls.start()
    stack.push_async_callback(calls.close)
    registers = SandboxRegisters(settings.simbank_url, settings.acquirer_key.encode())
    stack.push_async_callback(registers.close)
    known = [(simulated.NAME, registers)] if settings.acquirer_key else []
    http = await stack.enter_async_context(OutboundClient())
    callbacks = Callbacks(http, calls, allow_private=settings.allow_private_callbacks)
    live: list[tuple[str, object]] = []
    if settings.upstream_url:
        # The SDK's HTTP library is a tenth of a process's start: only who has an upstream pays for it.
        from hundi.partners.registers import upstream  # noqa: PLC0415

        provider = upstream.of(settings)
        stack.push_async_callback(provider.close)
        live.append((upstream.NAME, provider))
    answering = Registers(known, live)
    return PartnerServices(
        directory=directory,
        rates=CallRates(),
        calls=calls,
        registers=answering,
        registrations=Registrations(db, answering),
        cards=CustomerCards(answering),
        openings=Openings(db, vault, callbacks.ask),
    )


def _demo_settings(settings: Settings) -> MerchantSettings:
    shop = settings.base_url + DEMO_SHOP_PATH
    return MerchantSettings(
        success_url=shop + "return",
        failure_url=shop + "return",
        notification_url=shop + "notifications",
        mcc="5651",
        channels=CHANNELS,
        pos_addresses=_LOOPBACK,
    )


async def seed_demo(settings: Settings, db: Database, vault: Vault, now: datetime) -> list[Merchant]:
    """Return the demo merchants, made on the first start; their addresses follow the gateway's on every start."""
    directory = open_directory(db, vault)
    known = {each.name for each in await directory.everyone()}
    wanted = _demo_settings(settings)
    for name, mode in _DEMO_MERCHANTS:
        if name not in known:
            await merchants.add(db, vault, name=name, mode=mode, settings=wanted, now=now)
    demo_names = [name for name, _ in _DEMO_MERCHANTS]
    for each in await directory.everyone():
        if each.name in demo_names and each.settings.success_url != wanted.success_url:
            moved = msgspec.structs.replace(
                each.settings,
                success_url=wanted.success_url,
                failure_url=wanted.failure_url,
                notification_url=wanted.notification_url,
            )
            await merchants.change_settings(db, each.merchant_id, lambda _, moved=moved: moved, now)
    fresh = [each for each in await directory.everyone() if each.name in demo_names]
    return sorted(fresh, key=lambda each: demo_names.index(each.name))


_DEMO_PARTNER = "Asha Rewards"
_SAMPLES = {
    "aadhaar": "999900000016",
    "name": "Lakshmi Kaur",
    "gstin": "29JDOCB1001A1ZX",
    "entity_id": "CUST0001",
    "terminalid": "T1",
    "uniqueid": "4711",
}
"""Inputs that the simulated registers know from the beginning: a test asks for each."""
_LOOPBACK = ("127.0.0.0/8", "::1/128")


async def seed_demo_partner(settings: Settings, db: Database, vault: Vault, now: datetime) -> Partner:
    """Return the demo's partner, made on the first start; its callback follows the shop's address on every start."""
    directory = PartnerDirectory(db, vault)
    wanted = PartnerSettings(card_programme="DEMO", offers_callback=settings.base_url + DEMO_SHOP_PATH + "offers")
    known = next((each for each in await directory.everyone() if each.name == _DEMO_PARTNER), None)
    if known is None:
        await partners.add(db, vault, name=_DEMO_PARTNER, settings=wanted, now=now)
    elif known.settings.offers_callback != wanted.offers_callback:
        url = wanted.offers_callback
        await partners.change(
            db,
            vault,
            known.affiliate,
            lambda keys: keys,
            lambda before: msgspec.structs.replace(before, offers_callback=url),
            now,
        )
    return next(each for each in await directory.everyone() if each.name == _DEMO_PARTNER)


def demo_document(settings: Settings, demo: list[Merchant], partner: Partner) -> dict[str, Any]:
    """Return the content of `demo.json`: what scripts need to use this gateway, secrets included."""
    return {
        "base_url": settings.base_url,
        "payment_page_url": settings.payment_page_url,
        "offers_url": settings.base_url,
        "simbank_url": settings.simbank_url,
        "shop_url": settings.base_url + DEMO_SHOP_PATH,
        "merchants": [_credentials(each) for each in demo],
        "partner": _partner_credentials(partner, demo[0]),
    }


def _partner_credentials(partner: Partner, merchant: Merchant) -> dict[str, Any]:
    keys = partner.keys
    return {
        "affiliate": partner.affiliate,
        "api_key": keys.api_key,
        "processor_key": keys.processor_key,
        "secret": keys.secret,
        "card_token": keys.card_token,
        "samples": _SAMPLES | {"mercid": str(merchant.merchant_id)},
    }


def _credentials(merchant: Merchant) -> dict[str, str]:
    keys, chosen = merchant.keys, merchant.settings
    return {
        "merchant_id": str(merchant.merchant_id),
        "name": merchant.name,
        "mode": merchant.mode,
        "username": keys.username,
        "password": keys.password,
        "secret": keys.secret,
        "client_id": keys.client_id,
        "client_secret": keys.client_secret,
        "webhook_key": keys.webhook_keys[0],
        "success_url": chosen.success_url,
        "failure_url": chosen.failure_url,
        "notification_url": chosen.notification_url,
    }


async def prepare_demo(settings: Settings) -> dict[str, Any]:
    """Make the demo merchants, leave the shop its credentials, and return the content of `demo.json`.

    Called before the gateway's processes start, on a migrated database.
    """
    async with await open_database(settings.database_url or "", pool_size=1) as db:
        vault, now = open_vault(settings), utc_now()
        demo, partner = await seed_demo(settings, db, vault, now), await seed_demo_partner(settings, db, vault, now)
        await pos.register(db, demo[0].merchant_id, _SAMPLES["terminalid"], "The demo shop's counter", now)
        document = demo_document(settings, demo, partner)
    write_private(settings.data_dir / _SHOP_FILE, document["merchants"][0] | {"partner": document["partner"]})
    return document


def shop_partner(settings: Settings) -> dict[str, Any]:
    """Return who the demo shop is as an affiliate, as the SDK names it."""
    given = _shop_file(settings)["partner"]
    names = ("affiliate", "api_key", "processor_key", "secret", "card_token")
    return {name: given[name] for name in names}


def _shop_file(settings: Settings) -> dict[str, Any]:
    return json.loads((settings.data_dir / _SHOP_FILE).read_text("utf-8"))


def shop_credentials(settings: Settings) -> dict[str, Any]:
    """Return what the demo shop was given, as the SDK names it."""
    given = _shop_file(settings)
    return {
        "merchant_id": given["merchant_id"],
        "username": given["username"],
        "password": given["password"],
        "api_secret": given["secret"],
        "oauth_client_id": given["client_id"],
        "oauth_client_secret": given["client_secret"],
        "webhook_keys": (given["webhook_key"],),
    }


def write_private(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file that only its owner can read, whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=1)
        file.write("\n")
    fresh.replace(path)


@dataclass(frozen=True, slots=True)
class Office:
    """What a command of the operator works with: the database and the merchants, without any connector."""

    settings: Settings
    db: Database
    vault: Vault
    directory: Directory


@asynccontextmanager
async def open_office(settings: Settings) -> AsyncIterator[Office]:
    """Open the database for one command: the configured one, the running embedded one, or one of its own."""
    with ExitStack() as server:
        url = settings.database_url or server.enter_context(embedded_postgres.reach(settings.data_dir, DATABASE_NAME))
        await migrate(url)
        async with await open_database(url, pool_size=2) as db:
            vault = open_vault(settings)
            yield Office(settings, db, vault, open_directory(db, vault))
