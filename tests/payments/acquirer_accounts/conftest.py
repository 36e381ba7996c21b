"""Accounts at the simulated bank in a test's own database; nobody calls it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.acquirers.kinds import open_registry
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.payments.acquirer_accounts import actions
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.acquirer_accounts.jobs import Follower
from hundi.payments.acquirer_accounts.rules import EVERYBODY, AcquirerAccount
from hundi.staff.trail.actions import at_command_line

VAULT = Vault({"k1": bytes(32)})

NOW = datetime(2026, 11, 23, 6, 30, tzinfo=UTC)
WHO = at_command_line("omkar", VAULT)
SECRET = "a-key-of-sixteen-letters"
OF_SETTINGS = {"sandbox": {"kind": "sandbox", "url": "http://127.0.0.1:9", "key": "k" * 16}}
FIELDS: Mapping[str, Any] = {
    "url": "http://127.0.0.1:8",
    "key": SECRET,
    "methods": ["card", "netbanking"],
}
RAZORPAY: Mapping[str, Any] = {
    "key_id": "rzp_test_one",
    "key_secret": "first secret",
    "webhook_secret": "first webhook secret",
    "mode": "test",
}


def callback_url(name: str) -> str:
    """Return where webhooks come in."""
    return f"https://pay.example.in/callbacks/{name}"


@pytest.fixture
def vault() -> Vault:
    """Keys of this test."""
    return Vault({"first": b"1" * 32})


@pytest.fixture
def context(db: Database, vault: Vault) -> AccountContext:
    """What accounts are kept in: the simulated bank is in the settings."""
    return AccountContext(db, vault, OF_SETTINGS, callback_url, ShortMemory())


@pytest.fixture
def registry() -> Registry:
    """The connectors of a process, of the settings so far."""
    return open_registry(OF_SETTINGS, callback_url, ShortMemory())


@pytest.fixture
def follower(context: AccountContext, registry: Registry) -> Follower:
    """What keeps them as the accounts say."""
    return Follower(context, registry)


async def added(
    context: AccountContext,
    name: str = "north",
    kind: str = "sandbox",
    serves: int = EVERYBODY,
    fields: Mapping[str, Any] = FIELDS,
) -> AcquirerAccount:
    """Add an account."""
    return await actions.add(context, name, kind, serves, fields, WHO, NOW)
