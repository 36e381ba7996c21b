"""A merchant's integration: return addresses, domains, replies, notifications, and a test of them.

Each page is a form of its own that changes its own settings. A test takes what its form has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar import Response

from hundi.api.merchant import trials
from hundi.console.guard import ConsoleRoute
from hundi.console.names import EVENT_NAMES
from hundi.console.payment_acts import merchant_of
from hundi.console.visits import ConsoleVisit
from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import client_for_others
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.merchants.directory import actions
from hundi.merchants.directory.clients.rules import CLIENTS, READ_BY_CLIENTS, for_client
from hundi.merchants.directory.rules import KIT_VERSIONS, MerchantSettings, check_settings
from hundi.staff.people.rules import Permission
from hundi.staff.trail import actions as trail
from hundi.verbs import webhook_trials

_URLS = ("success_url", "failure_url", "notification_url")
_CHOICES: Mapping[str, Mapping[str, str]] = {
    "notification_form": {
        "json-encrypted": "JSON, sealed (recommended)",
        "json": "JSON in plain",
        "form": "Form fields in capitals, for older kits",
        "standard": "Events of the plain interface (Standard Webhooks)",
    },
    "notification_types": {
        "numbers": "Numbers",
        "text": "Text, for clients that call string functions on them",
    },
    "secure_hash": {
        "specification": "As specified",
        "without-payer": "Without the payer's UPI address",
        "payment-status": "With transaction_payment_status in place of the number",
    },
    "reply_format": {
        "both": "Sealed and plain",
        "encrypted": "Sealed alone",
        "plain": "Plain alone",
    },
}
_WORDS = {
    "url": "notification_url",
    "success_url": "success_url",
    "failure_url": "failure_url",
    "domain": "domains",
    "event": "events",
    "left_out": "left_out",
    "kit_version": "kit_versions",
}
"""The field of a form by the name that a refusal gives it, where it differs."""


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """A page of settings. path: its own. changes: the settings that its form has."""

    path: str
    title: str
    template: str
    changes: tuple[str, ...]


RETURNS = SettingsPage(
    "integration",
    "Integration",
    "integration.html",
    ("success_url", "failure_url", "domains", "reply_format"),
)
NOTIFIED = SettingsPage(
    "integration/notifications",
    "Notifications",
    "integration_notifications.html",
    ("notification_url", *READ_BY_CLIENTS),
)
_BY_HAND = {"redirect_delivers", "left_out", "events", "kit_versions"}
assert {*_BY_HAND, *_CHOICES} >= set(READ_BY_CLIENTS)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show return addresses, domains and replies."""
    return _shown(visit, RETURNS, merchant_of(visit).settings)


async def show_notifications(visit: ConsoleVisit) -> Response[Any]:
    """Show the notification address, and what the merchant's server reads."""
    return _shown(visit, NOTIFIED, merchant_of(visit).settings)


def _shown(
    visit: ConsoleVisit,
    page: SettingsPage,
    settings: MerchantSettings,
    *,
    faults: Mapping[str, str] | None = None,
    tested: Mapping[str, Any] | None = None,
    status_code: int = 200,
) -> Response[Any]:
    """Return a page. faults: by the field they are of. settings: with what was typed."""
    return visit.page(
        page.template,
        page.title,
        status_code,
        settings=settings,
        choices=_CHOICES,
        kinds={name: kind.seen for name, kind in CLIENTS.items()},
        events=EVENT_NAMES,
        safe=SAFE,
        kit_versions=KIT_VERSIONS,
        faults=faults or {},
        tested=tested,
        typed=dict(visit.form) if page.changes[0] in visit.form else {},
    )


async def change(visit: ConsoleVisit) -> Response[Any]:
    """Save return addresses, domains and replies."""
    return await _changed(visit, RETURNS)


async def change_notifications(visit: ConsoleVisit) -> Response[Any]:
    """Save how the merchant's server is notified, after checking that its address may be called."""
    return await _changed(visit, NOTIFIED)


async def _changed(visit: ConsoleVisit, page: SettingsPage) -> Response[Any]:
    before = merchant_of(visit).settings
    try:
        settings = _wanted(before, visit.form, page)
        if settings.notification_url != before.notification_url and settings.notification_url:
            await check_reach(visit, settings.notification_url)
        await save(visit, before, settings, page.changes)
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        return _shown(visit, page, before, faults=fault_of(refused.refusal), status_code=409)
    except AddressRefusedError as refused:
        faults = {"notification_url": f"{refused}."}
        return _shown(visit, page, before, faults=faults, status_code=409)
    return visit.see(page.path, "settings_kept")


async def save(
    visit: ConsoleVisit,
    before: MerchantSettings,
    settings: MerchantSettings,
    among: tuple[str, ...],
) -> None:
    """Save those of some settings that differ, with their entry in the trail. Raises Refused."""
    names = [name for name in among if getattr(settings, name) != getattr(before, name)]
    if not names:
        return
    hosts = {
        name: urlsplit(getattr(settings, name)).netloc or "none" for name in names if name in _URLS
    }
    await actions.change_settings(
        visit.db,
        visit.merchant_id,
        lambda now: msgspec.structs.replace(
            now, **{name: getattr(settings, name) for name in names}
        ),
        visit.now,
        trail.recording_merchant(visit.who, "settings.change", visit.now, **hosts),
    )


def fault_of(refusal: Refusal) -> dict[str, str]:
    """Return the words of a refused setting, by the field of a form."""
    field = _WORDS.get(refusal.field, refusal.field)
    return {field: f"{refusal.received!r} cannot be used. Allowed: {refusal.allowed}."}


def _wanted(
    before: MerchantSettings, form: Mapping[str, str], page: SettingsPage
) -> MerchantSettings:
    """Return the settings of a page's form; settings of other pages stay. Raises Refused."""
    chosen: dict[str, Any] = {name: form.get(name, "").strip() for name in _URLS}
    chosen |= {
        "domains": tuple(form.get("domains", "").split()),
        "events": _events(before, form),
        "redirect_delivers": form.get("redirect_delivers") == "1",
        "left_out": tuple(form.get("left_out", "").replace(",", " ").split()),
        "kit_versions": tuple(each for each in KIT_VERSIONS if form.get(f"kit_{each}") == "1"),
    }
    chosen |= {name: form[name] for name, values in _CHOICES.items() if form.get(name) in values}
    of_page = {name: value for name, value in chosen.items() if name in page.changes}
    settings = msgspec.structs.replace(before, **of_page)
    kind = form.get("client", "")
    if page is NOTIFIED and kind in CLIENTS:
        settings = for_client(settings, kind)
    check_settings(settings)
    return settings


def _events(before: MerchantSettings, form: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the events of a form; the old ones, unless others were ticked."""
    ticked = tuple(each for each in Kind if form.get(f"event_{each}") == "1")
    return before.events if set(ticked) == set(before.told) else ticked


async def check_reach(visit: ConsoleVisit, url: str) -> None:
    """Raise AddressRefusedError unless the gateway may call an address."""
    async with client_for_others(allow_private=allows_private(visit)) as http:
        await http.check_address(url)


def allows_private(visit: ConsoleVisit) -> bool:
    """Return whether notifications may go to private addresses here."""
    settings = visit.gateway.settings
    return settings.allow_private_callbacks or settings.demo


async def test(visit: ConsoleVisit) -> Response[Any]:
    """Send a signed test notification as the form says, and show the server's answer.

    Nothing of the form is saved.
    """
    merchant = merchant_of(visit)
    kept = merchant.settings
    try:
        settings = _wanted(kept, visit.form, NOTIFIED) if "notification_url" in visit.form else kept
        if not settings.notification_url:
            faults = {"notification_url": "Type the address that is to get the test."}
            return _shown(visit, NOTIFIED, kept, faults=faults, status_code=409)
        tried = await webhook_trials.send(
            visit.db,
            replace(merchant, settings=settings),
            trials.TEST_EVENT,
            visit.who,
            visit.now,
            allow_private=allows_private(visit),
        )
    except Refused as refused:
        if refused.refusal.code is RefusalCode.TOO_MANY_REQUESTS:
            words = f"{webhook_trials.TRIALS_A_MINUTE} tests a minute are sent at most; wait one."
            return _shown(visit, NOTIFIED, kept, faults={"": words}, status_code=429)
        if refused.refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        return _shown(visit, NOTIFIED, kept, faults=fault_of(refused.refusal), status_code=409)
    differs = any(getattr(settings, name) != getattr(kept, name) for name in NOTIFIED.changes)
    return _shown(visit, NOTIFIED, settings, tested={**told(tried), "unsaved": differs})


def told(tried: webhook_trials.SentTrial) -> dict[str, Any]:
    """Return what a page shows of a trial."""
    sent, outcome = tried.sent, tried.called.outcome
    answer = {
        "url": outcome.url,
        "headers": sent.headers,
        "body": sent.body.decode(),
        "plain": sent.plain,
        "status": outcome.status,
        "ms": outcome.latency_ms,
        "answer": outcome.answer,
        "right": outcome.delivered,
    }
    if outcome.status is not None:
        return answer
    fault, _, reason = outcome.problem.partition(": ")
    words = (
        f"The address was refused: {reason}."
        if fault == "address refused"
        else f"No answer came ({reason}) within {outcome.latency_ms} ms."
    )
    return answer | {"problem": words}


_CHANGE = Permission.SETTINGS_CHANGE
ROUTES = (
    ConsoleRoute("GET", RETURNS.path, show, _CHANGE),
    ConsoleRoute("POST", RETURNS.path, change, _CHANGE, fresh=True),
    ConsoleRoute("GET", NOTIFIED.path, show_notifications, _CHANGE),
    ConsoleRoute("POST", NOTIFIED.path, change_notifications, _CHANGE, fresh=True),
    ConsoleRoute("POST", "integration/test", test, _CHANGE),
)
