"""Rules of acquirer accounts: what an account is, and what its secrets are sealed for; pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec

EVERYBODY = 0
"""An account that serves every merchant."""
KNOWN_AFTER = timedelta(seconds=10)
"""A new account takes payments so long after it was added.

By then every process can ask about them.
"""
WEBHOOK_GRACE = timedelta(hours=24)
"""How long webhooks under the secrets before a rotation are believed.

So long acquirers repeat them.
"""
BEFORE_MAX = 16
"""Rotations of an account within WEBHOOK_GRACE: each keeps the fields before it."""
PURPOSE = "acquirer-account"
PURPOSE_BEFORE = "acquirer-account-before"


class AcquirerAccountState(StrEnum):
    """Whether an account takes new payments."""

    ACTIVE = "active"
    """It does."""
    DISABLED = "disabled"
    """It does not; what was begun with it is asked about, refunded and heard of as before."""


@dataclass(frozen=True, slots=True)
class AcquirerAccount:
    """One account at an acquirer, as it is stored.

    name: stored with every attempt, so it never changes. serves: the one merchant whose payments it
    takes, or EVERYBODY. simulated: no real money moves, which never changes. fields: those of its
    kind that are no secret, with `methods`. sealed_secrets: the others. sealed_before: all fields
    before each rotation of the last WEBHOOK_GRACE, as `Before`; before_until: when none of them is
    believed any more. added_at, changed_at: UTC.
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

    until: so long webhooks under them are believed (UTC).
    """

    fields: dict[str, Any]
    until: datetime


@dataclass(frozen=True, slots=True)
class AccountMark:
    """What a process compares to notice a change.

    takes_new: it is active and known to every process. has_before: webhooks under the secrets
    before are believed.
    """

    name: str
    revision: int
    takes_new: bool
    has_before: bool


def parted(
    fields: Mapping[str, Any], secret_names: Collection[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of an account that may be read, and its secrets."""
    in_the_open = {name: value for name, value in fields.items() if name not in secret_names}
    return in_the_open, {name: value for name, value in fields.items() if name in secret_names}


def changed(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an account's fields after a change.

    None takes one away, and its kind's default counts.
    """
    after = {**fields, **changes}
    return {name: value for name, value in after.items() if value is not None}


def rotated(
    earlier: Collection[FieldsBefore], before: Mapping[str, Any], now: datetime
) -> tuple[FieldsBefore, ...]:
    """Return the fields under which webhooks are believed after a rotation, the latest first.

    earlier: those of the rotations before. before: the fields that this one replaces.
    """
    return FieldsBefore({**before}, now + WEBHOOK_GRACE), *(
        each for each in earlier if each.until > now
    )


def seal_purpose(name: str, kind: str, serves: int, fields: Mapping[str, Any]) -> str:
    """Return what an account's secrets are sealed for: this row, as it reads.

    Whoever changes its address or its merchant in the database does not get its secrets sent there.
    """
    row = msgspec.json.encode([name, kind, serves, fields], order="sorted")
    return f"{PURPOSE} {sha256(row).hexdigest()}"


def seal_purpose_before(name: str) -> str:
    """Return what the fields before rotations are sealed for."""
    return f"{PURPOSE_BEFORE} {name}"
