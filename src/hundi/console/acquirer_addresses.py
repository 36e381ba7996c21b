"""Addresses in the forms of accounts: public hosts alone, and no stored secret for another one."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hundi.acquirers.kind_fields import FieldProblem, KindField
from hundi.infra.http.addresses import AddressRefusedError, check_ip, check_url
from hundi.kernel.records import replace

PUBLIC = "https and a public host; any other one is named by the command on the machine alone"
TYPED_AGAIN = "this secret typed again, because an address changes: no stored one is sent there"
_NAME = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])\Z", re.IGNORECASE
)
_INNER = re.compile(
    r"(?:.*\.)?(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)\Z",
    re.IGNORECASE,
)
"""Names that only a network's own servers answer."""


def in_forms(fields: Sequence[KindField]) -> tuple[KindField, ...]:
    """Return the fields that a form takes; an address says that its host is public."""
    return tuple(
        replace(field, allowed=PUBLIC) if field.is_host else field
        for field in fields
        if not field.is_machine_file
    )


def inner_hosts(fields: Sequence[KindField], values: Mapping[str, Any]) -> tuple[FieldProblem, ...]:
    """Return the typed addresses that are no public ones."""
    return tuple(
        FieldProblem(each.name, str(values[each.name]), PUBLIC)
        for each in fields
        if each.is_host and isinstance(values.get(each.name), str)
        if not _is_public(values[each.name])
    )


def untyped_secrets(
    fields: Sequence[KindField], changes: Mapping[str, Any], stored: Collection[str]
) -> tuple[FieldProblem, ...]:
    """Return the stored secrets that a changed address would get without anybody typing them.

    changes: what a form changes. stored: the names of the account's secrets.
    """
    if not any(each.is_address and each.name in changes for each in fields):
        return ()
    return tuple(
        FieldProblem(each.name, "nothing", TYPED_AGAIN)
        for each in fields
        if each.is_secret and each.name in stored and each.name not in changes
    )


def address_lines(
    fields: Sequence[KindField], before: Mapping[str, Any], changes: Mapping[str, Any]
) -> str:
    """Return each changed address beside the one before, "" for none."""
    return "\n".join(
        f"{each.name}: secrets are sent to {_place(each, changes)}, until now to"
        f" {_place(each, before)}"
        for each in fields
        if each.is_address and each.name in changes
    )


def _place(field: KindField, values: Mapping[str, Any]) -> str:
    value = values.get(field.name)
    return field.words_of(field.default if value is None else value) or "the acquirer's own"


def _is_public(address: str) -> bool:
    """Return whether an address or a host's name is public, as far as its text says."""
    if "://" in address and not address.startswith("https://"):
        return False
    try:
        host = check_url(address)[0] if "://" in address else address
    except AddressRefusedError:
        return False
    try:
        check_ip(host, allow_private=False)
    except AddressRefusedError:
        return False
    except ValueError:
        return bool(_NAME.match(host)) and not _INNER.match(host)
    return True
