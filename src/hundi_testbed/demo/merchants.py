"""The demo: its merchants, its partner, `demo.json`, and the demo shop's credentials."""

import json
import os
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Any

import msgspec

from hundi.gateway import upgrades
from hundi.gateway.bootstrap import open_directory, open_keys
from hundi.infra.postgres.database import Connection, Database, open_database
from hundi.infra.secrets.private_files import write_private
from hundi.infra.secrets.vault import Vault
from hundi.infra.settings import Settings
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import utc_now
from hundi.kernel.events import WRITTEN_WHEN_WANTED, Kind
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import LETTER_KINDS, Merchant, MerchantSettings, Mode
from hundi.merchants.directory.twins import actions as twins
from hundi.merchants.directory.twins import store as twin_store
from hundi.partners.directory import actions as partners
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import Partner, PartnerSettings
from hundi.partners.pos import actions as pos
from hundi.staff.people import actions as people
from hundi.staff.people import store as people_store
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.links import actions as links
from hundi.staff.people.passwords.actions import Passwords
from hundi.staff.people.rules import OPERATOR, Role, roles_for
from hundi.staff.trail.actions import Who, at_command_line, record, recording_merchant
from hundi_testbed.demo.past import DAYS
from hundi_testbed.demo.templates import seed_demo_templates

DEMO_SHOP_PATH = "/demo-shop/"
_SHOP_FILE = "demo_shop.json"
_DEMO_MERCHANTS: tuple[tuple[str, Mode], ...] = (
    ("Asha Handlooms", "live"),
    ("Bharat Spice Bazaar", "live"),
    ("Asha Handlooms (sandbox)", "sandbox"),
)
"""At least two live ones, so that tests can try to cross the wall between them."""
_DEMO_PARTNER = "Asha Rewards"
_SAMPLES = {
    "aadhaar": "999900000016",
    "name": "Lakshmi Kaur",
    "gstin": "29JDOCB1001A1ZX",
    "entity_id": "CUST0001",
    "terminalid": "T1",
    "uniqueid": "4711",
}
"""Inputs that the simulated registers know from the beginning: a test uses each."""
_CONSOLE = "/console/"
_PEOPLE_FILE = "demo_people.json"
_DEMO_PEOPLE: tuple[tuple[str, str, Role], ...] = (
    ("Asha Iyer", "asha@demo.example", Role.OWNER),
    ("Farhan Shaikh", "finance@demo.example", Role.FINANCE),
    ("Sunita Rao", "support@demo.example", Role.SUPPORT),
    ("Dev Menon", "developer@demo.example", Role.DEVELOPER),
    ("Ritu Sen", "reader@demo.example", Role.READER),
    ("Bharat Gupta", "bharat@demo.example", Role.OWNER),
    ("Omkar Desai", "operator@demo.example", Role.OPERATOR),
    ("Nila Krishnan", "operator.finance@demo.example", Role.OPERATOR_FINANCE),
)
"""Of the first merchant, except the second owner (the second merchant's) and the operator."""
_IN_SANDBOX = (Role.OWNER, Role.DEVELOPER)
"""Roles of the first merchant's people who have them in its sandbox, too."""
_PASSWORD_BYTES = 15
_OF_SECOND = "bharat@demo.example"
_LOOPBACK = ("127.0.0.0/8", "::1/128")


def _demo_settings(settings: Settings) -> MerchantSettings:
    shop = settings.base_url + DEMO_SHOP_PATH
    return MerchantSettings(
        success_url=shop + "return",
        failure_url=shop + "return",
        notification_url=shop + "notifications",
        events=tuple(each for each in Kind if each not in WRITTEN_WHEN_WANTED),
        mcc="5651",
        channels=tuple(CHANNELS),
        letters=(*LETTER_KINDS, "receipt:sms", "refund:sms", "receipt:whatsapp"),
        pos_addresses=_LOOPBACK,
    )


async def seed_demo(
    settings: Settings, db: Database, vault: Vault, now: datetime
) -> list[Merchant]:
    """Return the demo merchants, created on the first start, with present addresses."""
    directory, by = open_directory(db, vault), at_command_line("demo", vault)
    await upgrades.take_over_demo(db, by, now)
    names = {each.name for each in await directory.everyone()}
    demo_settings = _demo_settings(settings)
    for name, mode in _DEMO_MERCHANTS:
        if name not in names:
            beside = recording_merchant(by, "merchant.add", now, name=name, mode=mode)
            await merchants.add(
                db, vault, name=name, mode=mode, settings=demo_settings, now=now, beside=beside
            )
    await _pair(db, directory, by, now)
    demo_names = [name for name, _ in _DEMO_MERCHANTS]
    for each in await directory.everyone():
        if each.name in demo_names and each.settings.success_url != demo_settings.success_url:
            settings_there = msgspec.structs.replace(
                each.settings,
                success_url=demo_settings.success_url,
                failure_url=demo_settings.failure_url,
                notification_url=demo_settings.notification_url,
            )
            beside = recording_merchant(by, "settings.change", now)
            await merchants.change_settings(
                db,
                each.merchant_id,
                lambda _, settings_there=settings_there: settings_there,
                now,
                beside,
            )
    fresh = [each for each in await directory.everyone() if each.name in demo_names]
    return sorted(fresh, key=lambda each: demo_names.index(each.name))


async def _pair(db: Database, directory: Directory, by: Who, now: datetime) -> None:
    """Make the demo's sandbox that of the first merchant, once."""
    by_name = {each.name: each.merchant_id for each in await directory.everyone()}
    live_id, sandbox_id = by_name[_DEMO_MERCHANTS[0][0]], by_name[_DEMO_MERCHANTS[2][0]]

    async def write(conn: Connection, number: int) -> None:
        await record(conn, number, by, "merchant.pair", number, now)

    if await twin_store.twin_of(db, live_id) is None:
        await twins.pair(db, live_id, sandbox_id, now, write)


async def demo_shops(directory: Directory) -> list[Merchant]:
    """Return the live demo merchants in their order."""
    by_name = {each.name: each for each in await directory.everyone()}
    return [by_name[name] for name, mode in _DEMO_MERCHANTS if mode == "live"]


async def seed_demo_partner(
    settings: Settings, db: Database, vault: Vault, now: datetime
) -> Partner:
    """Return the demo's partner, created on the first start, with the shop's present address."""
    directory, by = PartnerDirectory(db, vault), at_command_line("demo", vault)
    partner_settings = PartnerSettings(
        card_programme="DEMO", offers_callback=settings.base_url + DEMO_SHOP_PATH + "offers"
    )
    partner = next(
        (each for each in await directory.everyone() if each.name == _DEMO_PARTNER), None
    )
    if partner is None:
        await partners.add(db, by, name=_DEMO_PARTNER, settings=partner_settings, now=now)
    elif partner.settings.offers_callback != partner_settings.offers_callback:
        url = partner_settings.offers_callback
        await partners.change(
            db,
            by,
            partner.affiliate,
            lambda keys: keys,
            lambda before: msgspec.structs.replace(before, offers_callback=url),
            now,
        )
    return next(each for each in await directory.everyone() if each.name == _DEMO_PARTNER)


async def seed_demo_people(
    settings: Settings, db: Database, vault: Vault, demo: list[Merchant]
) -> dict[str, Any]:
    """Return the console's part of `demo.json`: its people, and a link that signs one in."""
    now, by = utc_now(), at_command_line("demo", vault)
    path = settings.data_dir / _PEOPLE_FILE
    users: list[dict[str, str]] = json.loads(path.read_text("utf-8")) if path.exists() else []
    addresses = {each["email"] for each in users}
    passwords = Passwords()
    for name, email, role in _DEMO_PEOPLE:
        if email in addresses or await people_store.select_by_email(db, email):
            continue
        place = (
            demo[email == _OF_SECOND].merchant_id
            if role in roles_for(demo[0].merchant_id)
            else OPERATOR
        )
        password, secret = token_urlsafe(_PASSWORD_BYTES), factors.new_totp_secret()
        invited = await people.invite(db, place, email, name, role, by, now)
        chosen = people.Chosen(password, secret, step=0)
        await people.accept(db, vault, passwords, invited.link, chosen, now)
        if place == demo[0].merchant_id and role in _IN_SANDBOX:
            await people.invite(db, demo[2].merchant_id, email, name, role, by, now, across=True)
        users.append(
            {
                "email": email,
                "password": password,
                "totp_secret": secret,
                "role": role,
                "name": name,
            }
        )
    passwords.close()
    write_private(path, json.dumps(users, indent=1))
    url = settings.base_url + _CONSOLE
    async with db.transaction() as conn:
        first = await people_store.select_by_email(conn, _DEMO_PEOPLE[0][1])
        link = (
            await links.make_link(conn, vault, first, "demo", people.DEMO_LINK_LIFE)
            if first
            else ""
        )
    return {"url": url, "signed_in_url": f"{url}demo/{link}", "users": users}


def demo_document(settings: Settings, demo: list[Merchant], partner: Partner) -> dict[str, Any]:
    """Return the content of `demo.json`: all that scripts need, secrets included."""
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
        "webhook_key": keys.webhook_key,
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


async def prepare(settings: Settings) -> dict[str, Any]:
    """Create the demo merchants, give the shop its credentials, and return `demo.json`.

    Called before the gateway's processes start, on a migrated database. Merchants with a history
    exist since the day before it begins.
    """
    days = int(os.environ.get(DAYS, "0"))
    past = timedelta(days=days + 1 if days else 0)
    async with await open_database(settings.database_url or "", pool_size=1) as db:
        vault, now = await open_keys(settings, db), utc_now()
        demo, partner = (
            await seed_demo(settings, db, vault, now - past),
            await seed_demo_partner(settings, db, vault, now),
        )
        await pos.register(
            db,
            demo[0].merchant_id,
            _SAMPLES["terminalid"],
            "The demo shop's counter",
            now,
            manager=partner.affiliate,
        )
        await seed_demo_templates(db, now)
        document = demo_document(settings, demo, partner)
        document["console"] = await seed_demo_people(settings, db, vault, demo)
    shop = document["merchants"][0] | {"partner": document["partner"]}
    write_private(settings.data_dir / _SHOP_FILE, json.dumps(shop, indent=1))
    return document


def shop_partner(settings: Settings) -> dict[str, Any]:
    """Return the demo shop's affiliate identity for the SDK."""
    facts = _shop_file(settings)["partner"]
    names = ("affiliate", "api_key", "processor_key", "secret", "card_token")
    return {name: facts[name] for name in names}


def _shop_file(settings: Settings) -> dict[str, Any]:
    return json.loads((settings.data_dir / _SHOP_FILE).read_text("utf-8"))


def shop_credentials(settings: Settings) -> dict[str, Any]:
    """Return the demo shop's credentials for the SDK."""
    facts = _shop_file(settings)
    return {
        "merchant_id": facts["merchant_id"],
        "username": facts["username"],
        "password": facts["password"],
        "api_secret": facts["secret"],
        "oauth_client_id": facts["client_id"],
        "oauth_client_secret": facts["client_secret"],
        "webhook_keys": (facts["webhook_key"],),
    }
