"""A merchant's integration: addresses, domains, formats, channels, and a test notification."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar import Response

from hundi.api.merchant import trials
from hundi.console.guard import ConsoleRoute, message
from hundi.console.visits import ConsoleVisit
from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import client_for_others
from hundi.instruments.methods import CHANNELS
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.directory import actions
from hundi.merchants.directory.clients.rules import CLIENTS, READ_BY_CLIENTS, for_client
from hundi.merchants.directory.rules import (
    KIT_VERSIONS,
    Merchant,
    MerchantSettings,
)
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


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the settings."""
    return _shown(visit, _merchant(visit).settings)


def _shown(
    visit: ConsoleVisit,
    settings: MerchantSettings,
    *,
    fault: str = "",
    tested: Mapping[str, Any] | None = None,
    status_code: int = 200,
) -> Response[Any]:
    return visit.page(
        "integration.html",
        "Integration settings",
        status_code,
        settings=settings,
        choices=_CHOICES,
        kinds={name: kind.seen for name, kind in CLIENTS.items()},
        events=tuple(Kind),
        safe=SAFE,
        kit_versions=KIT_VERSIONS,
        channels=[(code, channel.name) for code, channel in CHANNELS.items()],
        fault=fault,
        tested=tested,
        typed=dict(visit.form) if fault else {},
    )


async def change(visit: ConsoleVisit) -> Response[Any]:
    """Save the settings after checking that their address may be called."""
    before = _merchant(visit).settings
    try:
        settings = _wanted(before, visit.form)
        if settings.notification_url != before.notification_url and settings.notification_url:
            await _check_reach(visit, settings.notification_url)
        names = [name for name in _CHANGED if getattr(settings, name) != getattr(before, name)]
        if not names:
            return visit.see("integration", "settings_kept")
        hosts = {
            name: urlsplit(getattr(settings, name)).netloc or "none"
            for name in names
            if name in _URLS
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
    except Refused as refused:
        refusal = refused.refusal
        if refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        words = f"{refusal.field}: {refusal.received!r} cannot be used. Allowed: {refusal.allowed}."
        return _shown(visit, before, fault=words, status_code=409)
    except AddressRefusedError as refused:
        return _shown(visit, before, fault=f"notification_url: {refused}.", status_code=409)
    return visit.see("integration", "settings_kept")


_CHANGED = (*_URLS, "domains", "channels", *dict.fromkeys((*READ_BY_CLIENTS, *_CHOICES)))
"""The settings that this page changes."""


def _wanted(before: MerchantSettings, form: Mapping[str, str]) -> MerchantSettings:
    """Return the settings of a form. Raises Refused (FIELD_INVALID) for an unknown choice."""
    chosen: dict[str, Any] = {name: form.get(name, "").strip() for name in _URLS}
    chosen |= {
        "domains": tuple(form.get("domains", "").split()),
        "channels": tuple(form.get("channels", "").replace("_", " ").replace(",", " ").split()),
        "events": _events(before, form),
        "redirect_delivers": form.get("redirect_delivers") == "1",
        "left_out": tuple(form.get("left_out", "").replace(",", " ").split()),
        "kit_versions": tuple(each for each in KIT_VERSIONS if form.get(f"kit_{each}") == "1"),
    }
    chosen |= {name: form[name] for name, values in _CHOICES.items() if form.get(name) in values}
    settings = msgspec.structs.replace(before, **chosen)
    kind = form.get("client", "")
    return for_client(settings, kind) if kind in CLIENTS else settings


def _events(before: MerchantSettings, form: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the events of a form; the old ones, unless others were ticked."""
    ticked = tuple(each for each in Kind if form.get(f"event_{each}") == "1")
    return before.events if set(ticked) == set(before.told) else ticked


async def _check_reach(visit: ConsoleVisit, url: str) -> None:
    """Raise AddressRefusedError unless the gateway may call an address."""
    async with client_for_others(allow_private=_allows_private(visit)) as http:
        await http.check_address(url)


def _allows_private(visit: ConsoleVisit) -> bool:
    settings = visit.gateway.settings
    return settings.allow_private_callbacks or settings.demo


async def test(visit: ConsoleVisit) -> Response[Any]:
    """Send a signed test notification, and show the server's answer."""
    merchant = _merchant(visit)
    if not merchant.settings.notification_url:
        return _shown(
            visit, merchant.settings, fault="There is no notification address yet.", status_code=409
        )
    private = _allows_private(visit)
    try:
        tried = await webhook_trials.send(
            visit.db, merchant, trials.TEST_EVENT, visit.who, visit.now, allow_private=private
        )
    except Refused:
        words = f"{webhook_trials.TRIALS_A_MINUTE} a minute are sent at most."
        return message(visit, "Too many tests", words, 429)
    return _shown(visit, merchant.settings, tested=_told(tried))


def _told(tried: webhook_trials.SentTrial) -> Mapping[str, Any]:
    """Return what the page shows of a trial."""
    sent, outcome = tried.sent, tried.called.outcome
    told = {
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
        return told
    fault, _, reason = outcome.problem.partition(": ")
    words = (
        f"The address was refused: {reason}."
        if fault == "address refused"
        else f"No answer came ({reason}) within {outcome.latency_ms} ms."
    )
    return told | {"problem": words}


def _merchant(visit: ConsoleVisit) -> Merchant:
    assert visit.place is not None
    assert visit.place.merchant is not None
    return visit.place.merchant


_BY_HAND = {"redirect_delivers", "left_out", "events", "kit_versions"}
assert {*_BY_HAND, *_CHOICES} >= set(READ_BY_CLIENTS)

ROUTES = (
    ConsoleRoute("GET", "integration", show, Permission.SETTINGS_CHANGE),
    ConsoleRoute("POST", "integration", change, Permission.SETTINGS_CHANGE, fresh=True),
    ConsoleRoute("POST", "integration/test", test, Permission.SETTINGS_CHANGE),
)
