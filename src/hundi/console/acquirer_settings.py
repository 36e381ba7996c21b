"""The settings of an account at an acquirer for people: every secret is only said to be set."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.acquirers.kind_fields import FieldProblem, KindField, fields_of_kind
from hundi.acquirers.kinds import AcquirerConfigurationError, kind_of, secret_fields
from hundi.console.lists import words
from hundi.console.visits import WRITE_ONLY, ConsoleVisit
from hundi.infra.secrets.vault import VaultError
from hundi.payments.acquirer_accounts.actions import NOUN, OPERATOR, fields_of
from hundi.payments.acquirer_accounts.rules import AcquirerAccount
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store as trail

OPEN_PREFIX, REMOVE_PREFIX = "field_", "remove_"
"""The beginnings of the names of a form's fields that are no secrets, and of the ticks that take a
secret away."""

ENTRIES_READ_MAX = 500
"""Entries of the trail that are searched for who set a secret."""


@dataclass(frozen=True, slots=True)
class SecretSeen:
    """When a secret was set, and by whom; by: "" for who may not read the trail."""

    at: datetime
    by: str


async def secrets_of(visit: ConsoleVisit, account: AcquirerAccount) -> dict[str, SecretSeen]:
    """Return the secrets that an account has, by name; their values stay where they are."""
    try:
        fields = fields_of(visit.gateway.vault, account)
    except VaultError:
        return {}
    seen = {name: SecretSeen(account.added_at, "") for name in fields if name not in account.fields}
    if not visit.may(Permission.TRAIL_SEE):
        return seen
    # Oldest first, so that the newest entry about a secret is the one that stays.
    entries = await trail.select_page(
        visit.db, OPERATOR, act=NOUN, about=account.name, limit=ENTRIES_READ_MAX
    )
    for entry in reversed(entries):
        for name in msgspec.json.decode(entry.detail).get("fields", ()):
            if name in seen:
                seen[name] = SecretSeen(entry.at, entry.person)
    return seen


async def setting_rows(
    visit: ConsoleVisit, name: str, account: AcquirerAccount | None
) -> list[dict[str, Any]]:
    """Return an acquirer's settings for its page: those that it has, then the defaults."""
    stored = account.fields if account else visit.gateway.settings.acquirers.get(name, {})
    try:
        kind = kind_of(name, {"kind": account.kind} if account else stored)
    except AcquirerConfigurationError:
        # Its kind is not installed here, so nobody knows which fields are secret.
        return [
            _unknown(each, value) for each, value in (account.fields if account else {}).items()
        ]
    seen = (
        await secrets_of(visit, account) if account else _of_settings(stored, secret_fields(kind))
    )
    rows = [_row(each, stored, seen) for each in fields_of_kind(kind)]
    return sorted(rows, key=lambda row: not row["is_set"])


def _of_settings(stored: Mapping[str, Any], secret: frozenset[str]) -> dict[str, SecretSeen | None]:
    return {name: None for name in stored if name in secret}


def _unknown(name: str, value: object) -> dict[str, Any]:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return {"name": name, "value": text, "is_secret": False, "is_set": True}


def _row(
    field: KindField, stored: Mapping[str, Any], seen: Mapping[str, SecretSeen | None]
) -> dict[str, Any]:
    is_set = field.name in seen if field.is_secret else field.name in stored
    return {
        "name": field.name,
        "is_secret": field.is_secret,
        "is_set": is_set,
        "seen": seen.get(field.name),
        "value": "" if field.is_secret else field.words_of(stored.get(field.name, field.default)),
        **_told(field),
    }


def _told(field: KindField) -> dict[str, Any]:
    """Return what page and form say of a field."""
    return {
        "meaning": field.meaning,
        "allowed": field.allowed,
        "is_needed": field.is_needed,
        "is_fixed": field.is_fixed,
        "is_machine_file": field.is_machine_file,
        "default": "" if field.is_needed else field.words_of(field.default),
    }


def form_rows(
    fields: tuple[KindField, ...],
    typed: Mapping[str, str],
    problems: tuple[FieldProblem, ...],
    seen: Mapping[str, SecretSeen],
) -> list[dict[str, Any]]:
    """Return the fields of a form. typed: the texts of those that are no secrets."""
    wrong = {each.name: each for each in problems}
    return [
        {
            "name": each.name,
            "label": words(each.name),
            "input": f"{WRITE_ONLY if each.is_secret else OPEN_PREFIX}{each.name}",
            "remove": f"{REMOVE_PREFIX}{each.name}",
            "shape": each.shape,
            "choices": each.choices,
            "longest": each.longest,
            "is_secret": each.is_secret,
            "seen": seen.get(each.name),
            "value": "" if each.is_secret else typed.get(each.name, ""),
            "problem": wrong.get(each.name),
            **_told(each),
        }
        for each in fields
    ]


def typed_in(visit: ConsoleVisit, fields: tuple[KindField, ...]) -> dict[str, str]:
    """Return the texts of a form by field, its secrets among them."""
    return {
        each.name: visit.form.get(f"{WRITE_ONLY if each.is_secret else OPEN_PREFIX}{each.name}", "")
        for each in fields
        if not each.is_machine_file
    }
