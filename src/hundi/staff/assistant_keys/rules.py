"""Rules of assistants' keys: what a key may be used for, and how long; pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.staff.people.rules import Permission, Role, may

LIFE_DAYS_MAX = 365
KEYS_MAX = 20
"""Keys of one place that are good at the same time."""
NAME_LENGTH_MAX = 40
SECRET_BYTES = 32
_BEGIN = "hundi_mcp"
_NUMBER = r"(0|[1-9][0-9]{0,14})"
_KEY = re.compile(rf"{_BEGIN}_{_NUMBER}_([1-9][0-9]{{14}})_([A-Za-z0-9_-]{{43}})\Z")
_NAME = re.compile(r"[a-z][a-z0-9-]*\Z")


class AssistantScope(StrEnum):
    """One thing that an assistant's key may be used for."""

    PAYMENTS_READ = "payments.read"
    """List and show payments."""
    SETTLEMENTS_READ = "settlements.read"
    """List and show settlements."""
    DISPUTES_READ = "disputes.read"
    """List and show disputes."""
    REFUSALS_READ = "refusals.read"
    """List refused requests, each with its explanation."""
    DELIVERIES_READ = "deliveries.read"
    """List and show deliveries of notifications."""
    HEALTH_READ = "health.read"
    """Show which parts of the gateway work."""
    PROPOSALS_READ = "proposals.read"
    """Show the state of a proposal."""
    REFUNDS_PROPOSE = "refunds.propose"
    """Propose a refund, which another person decides."""
    LINKS_PROPOSE = "links.propose"
    """Propose a payment link, which another person decides."""
    DELIVERIES_PROPOSE = "deliveries.propose"
    """Propose to send a notification again, which another person decides."""


PERMISSION_OF: Mapping[AssistantScope, Permission] = {
    AssistantScope.PAYMENTS_READ: Permission.PAYMENTS_SEE,
    AssistantScope.SETTLEMENTS_READ: Permission.MONEY_SEE,
    AssistantScope.DISPUTES_READ: Permission.MONEY_SEE,
    AssistantScope.REFUSALS_READ: Permission.DEVELOPERS_SEE,
    AssistantScope.DELIVERIES_READ: Permission.DEVELOPERS_SEE,
    AssistantScope.HEALTH_READ: Permission.CHANNELS_SEE,
    AssistantScope.PROPOSALS_READ: Permission.APPROVALS_SEE,
    AssistantScope.REFUNDS_PROPOSE: Permission.REFUNDS_MAKE,
    AssistantScope.LINKS_PROPOSE: Permission.LINKS_MAKE,
    AssistantScope.DELIVERIES_PROPOSE: Permission.DELIVERIES_REPLAY,
}
"""What the key's person must be allowed to do: a key never has more rights than they have."""


class KeyParts(NamedTuple):
    """The parts of a key as its holder sends it."""

    merchant_id: int
    key_id: int
    secret: str


@dataclass(frozen=True, slots=True)
class AssistantKey:
    """A stored key. merchant_id: 0 for one of the operator's people.

    ended_at: when somebody revoked it. mark: proves where it was made.
    """

    merchant_id: int
    key_id: int
    name: str
    person_id: int
    scopes: tuple[str, ...]
    secret_hash: bytes
    made_at: datetime
    ends_at: datetime
    ended_at: datetime | None = None
    mark: bytes = b""


def text_of(parts: KeyParts) -> str:
    """Return a key as its holder sends it."""
    return f"{_BEGIN}_{parts.merchant_id}_{parts.key_id}_{parts.secret}"


def parts_of(text: str) -> KeyParts | None:
    """Return the parts of a key, None for a text that is none."""
    parts = _KEY.match(text)
    return KeyParts(int(parts[1]), int(parts[2]), parts[3]) if parts else None


def is_good(key: AssistantKey, now: datetime) -> bool:
    """Return whether a key was not revoked and is not over."""
    return key.ended_at is None and now < key.ends_at


def usable_scopes(key: AssistantKey, role: Role) -> frozenset[AssistantScope]:
    """Return what a key may be used for while its person has this role."""
    return frozenset(
        scope for scope in AssistantScope if scope in key.scopes and may(role, PERMISSION_OF[scope])
    )


def checked(
    name: str, scopes: Collection[AssistantScope], days: int, role: Role
) -> tuple[AssistantScope, ...]:
    """Return the scopes for a new key, in their order.

    role: of the key's person. Raises Refused (FIELD_INVALID).
    """
    if len(name) > NAME_LENGTH_MAX or not _NAME.match(name):
        allowed = f"1 to {NAME_LENGTH_MAX} small letters, digits and hyphens, a letter first"
        raise _wrong("name", name, allowed)
    if not 1 <= days <= LIFE_DAYS_MAX:
        raise _wrong("days", str(days), f"1 to {LIFE_DAYS_MAX}")
    beyond = [scope for scope in scopes if not may(role, PERMISSION_OF[scope])]
    if beyond or not scopes:
        own = [scope for scope in AssistantScope if may(role, PERMISSION_OF[scope])]
        allowed = f"one or more of {', '.join(own)}, which the role {role} has"
        raise _wrong("scopes", " ".join(beyond), allowed)
    return tuple(scope for scope in AssistantScope if scope in scopes)


def life_of(days: int) -> timedelta:
    """Return how long a key of this many days is good."""
    return timedelta(days=days)


def _wrong(field: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)
