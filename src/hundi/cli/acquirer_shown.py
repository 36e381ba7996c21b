"""Acquirers as `hundi acquirer` prints them for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hundi.acquirers.calls.front import Trouble
from hundi.acquirers.kinds import AcquirerKind, secret_fields
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.payments import Connector, SpeaksBack
from hundi.acquirers.port.payouts import ChecksAccounts, PaysOut
from hundi.acquirers.registry import ANYBODY, Member, Registry
from hundi.api.addresses import CALLBACK
from hundi.cli.context import base_url
from hundi.infra.settings import Settings
from hundi.instruments.methods import CHANNELS
from hundi.payments.acquirer_accounts.rules import AcquirerAccount
from hundi.verbs.acquirer import account_row

ORIGINS = ("browser_origins", "redirect_origins", "checkout_origins", "direct_origins")

_OTHERWISE: Mapping[str, type] = {"payouts": PaysOut, "checks of accounts": ChecksAccounts}
"""What an account without a method of payment may be for."""
_HIDDEN = "********"


@dataclass(frozen=True, slots=True)
class InstalledAcquirers:
    """All acquirers: their connectors, and the accounts of the database."""

    settings: Settings
    registry: Registry
    accounts: Mapping[str, AcquirerAccount]
    troubles: Mapping[str, Trouble]

    def kind(self, name: str) -> str:
        """Return the name of an acquirer's kind."""
        account = self.accounts.get(name)
        return account.kind if account else self.settings.acquirers[name]["kind"]


def row_of(all_of_it: InstalledAcquirers, member: Member) -> dict[str, Any]:
    """Return the line of an acquirer in the list."""
    connector, account = member.connector, all_of_it.accounts.get(member.connector.name)
    row = account_row(account) if account else row_of_settings(all_of_it, connector)
    first = _first_for(all_of_it.registry, member)
    otherwise = [does for does, each in _OTHERWISE.items() if isinstance(connector, each)]
    can = ", ".join(member.can or otherwise) or "nothing"
    can_do = {"can": can, "first_for": ", ".join(first) or "nothing"}
    return {**row, **can_do, **trouble_shown(all_of_it, connector.name)}


def _first_for(registry: Registry, member: Member) -> list[str]:
    """Return the channels of an acquirer without a routing plan."""
    merchant_id = next(iter(member.merchants), ANYBODY)
    # A merchant's own account serves that merchant alone.
    owned = {
        each.connector.name
        for each in registry.members
        if each.merchants and merchant_id == ANYBODY
    }
    channels = []
    for code, channel in CHANNELS.items():
        ways = (
            each
            for each in registry.ways(channel.first_steps, merchant_id)
            if each.connector.name not in owned
        )
        if (first := next(ways, None)) is not None and first.connector is member.connector:
            channels.append(code)
    return channels


def row_of_settings(all_of_it: InstalledAcquirers, connector: Connector) -> dict[str, Any]:
    """Return the settings' facts about an acquirer."""
    return {
        "acquirer": connector.name,
        "kind": all_of_it.kind(connector.name),
        "money": _money(simulated=connector.simulated),
        "merchant": "every one",
        "state": "active",
        "kept_in": "settings",
    }


def trouble_shown(all_of_it: InstalledAcquirers, name: str) -> dict[str, Any]:
    """Return an acquirer's last error, with its time."""
    trouble = all_of_it.troubles.get(name)
    return {
        "last_error": trouble.error if trouble else "",
        "last_error_at": trouble.at if trouble else None,
    }


def callback_url(settings: Settings, connector: Connector) -> str:
    """Return the address of an acquirer's webhooks or callbacks, for people."""
    calls = isinstance(connector, SendsTriggers | SpeaksBack)
    return f"{base_url(settings)}{CALLBACK}{connector.name}" if calls else "nowhere: it sends none"


def fields_shown(kind: AcquirerKind[Any], fields: Mapping[str, Any]) -> str:
    """Return an acquirer's fields for people; every secret is hidden."""
    secret = secret_fields(kind)
    read = [
        f"{name}={_text(value)}" for name, value in fields.items() if name not in {*secret, "kind"}
    ]
    return ", ".join([*read, *(f"{name}={_HIDDEN}" for name in sorted(secret))])


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _money(*, simulated: bool) -> str:
    return "simulated" if simulated else "real"
