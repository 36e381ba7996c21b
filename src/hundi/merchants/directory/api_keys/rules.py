"""A merchant's further API secrets and their scopes; pure.

Every call carries one secret. A merchant's first secret may do everything; a further one does what
its scopes say, so that the server that shows payments cannot refund them
(docs/operations.md#api-secrets).
"""

import re
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

import msgspec

from hundi.kernel.refusals import RefusalCode, Refused, refuse

KEYS_MAX = 10
REFUND_PAISE_MAX = 10**12 - 1
_NAME = re.compile(r"[a-z][a-z0-9-]{0,29}\Z")


class KeyScope(StrEnum):
    """What an API secret may be used for."""

    READ = "read"
    """Look at payments, refunds, settlements, disputes, links and fees."""
    PAGE = "page"
    """Take payments: orders, QR codes, links, captures, and debits of subscriptions."""
    REFUND = "refund"
    """Refund payments, each up to the key's amount."""
    MANAGE = "manage"
    """Change subscriptions, splits, disputes, saved cards; void; end links."""


class ApiKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """A further API secret.

    refund_paise: how much it may refund of one payment in total; 0 without the scope. made: ISO
    8601.
    """

    name: str
    secret: str
    scopes: tuple[KeyScope, ...]
    refund_paise: int = 0
    made: str = ""

    def __repr__(self) -> str:
        """Hide the secret: this value reaches tracebacks."""
        return f"ApiKey({self.name})"


def checked(name: str, scopes: Collection[str], refund_paise: int) -> tuple[KeyScope, ...]:
    """Return the scopes for a new key, in their order.

    Raises Refused: FIELD_INVALID.
    """
    if not _NAME.match(name):
        raise _wrong("name", name, "1 to 30 small letters, digits and hyphens, a letter first")
    unknown = sorted(set(scopes) - set(KeyScope))
    if unknown or not scopes:
        raise _wrong("scopes", " ".join(unknown), "one or more of " + ", ".join(KeyScope))
    granted = tuple(each for each in KeyScope if each in scopes)
    refunds = KeyScope.REFUND in granted
    if refunds != (0 < refund_paise <= REFUND_PAISE_MAX):
        allowed = f"1 to {REFUND_PAISE_MAX} paise with the scope refund, and 0 without it"
        raise _wrong("refund_paise", str(refund_paise), allowed)
    return granted


def with_key(keys: tuple[ApiKey, ...], new: ApiKey) -> tuple[ApiKey, ...]:
    """Return a merchant's further keys with a new one.

    Raises Refused: FIELD_INVALID for a name that is taken, or one key too many.
    """
    if any(each.name == new.name for each in keys):
        raise _wrong("name", new.name, "a name that no key has; end that one first")
    if len(keys) >= KEYS_MAX:
        raise _wrong("name", new.name, f"{KEYS_MAX} keys at most: end one first")
    return (*keys, new)


def without_key(keys: tuple[ApiKey, ...], name: str) -> tuple[ApiKey, ...]:
    """Return a merchant's further keys without one. Raises Refused: NO_RECORDS."""
    left = tuple(each for each in keys if each.name != name)
    if len(left) == len(keys):
        raise refuse(RefusalCode.NO_RECORDS, field="name", received=name[:32])
    return left


def new_key(
    name: str, secret: str, scopes: tuple[KeyScope, ...], refund_paise: int, now: datetime
) -> ApiKey:
    """Return a key with this time of creation."""
    return ApiKey(name, secret, scopes, refund_paise, now.isoformat(timespec="seconds"))


def _wrong(field: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)
