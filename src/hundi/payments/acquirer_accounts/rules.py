"""Rules of acquirer accounts and of what their secrets are sealed for; pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec

EVERYBODY = 0
"""The merchant id of an account that serves every merchant."""
KNOWN_AFTER = timedelta(seconds=10)
"""Time from adding an account to its first payment.

Every process can make inquiries with it by then.
"""
WEBHOOK_GRACE = timedelta(hours=24)
"""How long webhooks signed with the secrets before a rotation stay valid.

Acquirers repeat webhooks that long.
"""
BEFORE_MAX = 16
"""The most rotations of an account within WEBHOOK_GRACE: each keeps the fields before it."""
PURPOSE = "acquirer-account"
PURPOSE_BEFORE = "acquirer-account-before"


class AcquirerAccountState(StrEnum):
    """Whether an account takes new payments."""

    ACTIVE = "active"
    """It takes new payments."""
    DISABLED = "disabled"
    """It takes none; inquiries, refunds and callbacks for its earlier payments go on."""


@dataclass(frozen=True, slots=True)
class AcquirerAccount:
    """One account at an acquirer, as it is stored.

    name: stored with every attempt, so it never changes. serves: the one merchant whose payments it
    takes, or EVERYBODY. simulated: no real money moves; this never changes. fields: the fields that
    are not secret, with `methods`. sealed_secrets: the secret ones. sealed_before: all fields
    before each rotation within WEBHOOK_GRACE, as `FieldsBefore`; before_until: when the last of
    them expires. added_at, changed_at: UTC.
    """

    name: str
    kind: str
    serves: int
    simulated: bool
    fields: Mapping[str, Any]
    sealed_secrets: bytes
    sealed_before: bytes | None
    before_until: datetime | None
    state: AcquirerAccountState
    revision: int
    added_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class FieldsBefore:
    """All fields of an account before a rotation, and its kind.

    until: when webhooks signed with them stop being valid (UTC).
    """

    fields: dict[str, Any]
    until: datetime


@dataclass(frozen=True, slots=True)
class AccountMark:
    """A process compares marks to notice a change.

    takes_new: the account is active and every process knows it. has_before: webhooks signed with
    earlier secrets are valid.
    """

    name: str
    revision: int
    takes_new: bool
    has_before: bool


def parted(
    fields: Mapping[str, Any], secret_names: Collection[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the readable fields of an account, and its secrets."""
    in_the_open = {name: value for name, value in fields.items() if name not in secret_names}
    return in_the_open, {name: value for name, value in fields.items() if name in secret_names}


def changed(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an account's fields after a change.

    None removes a field; the default of its kind then applies.
    """
    after = {**fields, **changes}
    return {name: value for name, value in after.items() if value is not None}


def rotated(
    earlier: Collection[FieldsBefore], before: Mapping[str, Any], now: datetime
) -> tuple[FieldsBefore, ...]:
    """Return the fields whose webhooks stay valid after a rotation, latest first.

    earlier: those of earlier rotations. before: the fields that this rotation replaces.
    """
    return FieldsBefore({**before}, now + WEBHOOK_GRACE), *(
        each for each in earlier if each.until > now
    )


def seal_purpose(name: str, kind: str, serves: int, fields: Mapping[str, Any]) -> str:
    """Return what an account's secrets are sealed for: this row with its readable fields.

    So whoever changes the address or the merchant in the database does not get the secrets sent
    there.
    """
    row = msgspec.json.encode([name, kind, serves, fields], order="sorted")
    return f"{PURPOSE} {sha256(row).hexdigest()}"


def seal_purpose_before(name: str) -> str:
    """Return the purpose under which the fields before rotations are sealed."""
    return f"{PURPOSE_BEFORE} {name}"
