"""How tokens are made and how failures at token issuance are counted; pure."""

import hashlib
import ipaddress
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

WINDOW = timedelta(minutes=1)
BACK_OFF_FIRST = timedelta(seconds=30)
BACK_OFF_MAX = timedelta(minutes=15)
ALARM_FAILURES_PER_WINDOW = 50
"""Failures of one merchant over all addresses that raise an alarm; it never refuses anybody."""
REFUSED_KEPT_PER_ADDRESS_MAX = 60
"""Refused requests of one address that are kept for a merchant within a window.

Anybody may send them.

See docs/spec/wire.md#limits.
"""
REFUSED_KEPT_MAX = 200
"""Refused requests of all addresses that are kept for a merchant within a window.

See docs/spec/wire.md#limits.
"""
_TOKEN_BYTES = 20
_IPV6_NETWORK_BITS = 64
_NETWORKS_KEPT_MAX = 4_096


class TokenScope(StrEnum):
    """What the merchant asked for when a token was issued (docs/spec/wire.md#token-scopes)."""

    UNNAMED = ""
    """Nothing, as the specification shows it.

    Opens the payment page, and operations of a network that is known.
    """
    PAGE = "page"
    """The payment page alone: this token passes through the customer's browser."""
    OPERATIONS = "operations"
    """Operations alone: this token never leaves the merchant's servers."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """What is remembered of a token.

    network: who asked for it, as `network_of` writes it; "" when nobody can say.
    """

    scope: TokenScope
    network: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FailureCount:
    """What is remembered of one address that failed for one merchant."""

    failures: int
    window_from: datetime
    blocked_until: datetime | None


def new_token() -> str:
    """Return an access token: 40 lower-case hex characters (docs/spec/wire.md#access-tokens)."""
    return secrets.token_hex(_TOKEN_BYTES)


def token_hash(token: str) -> bytes:
    """Return what is stored of a token.

    A plain hash is enough: the token itself has 160 random bits.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=_NETWORKS_KEPT_MAX)
def network_of(address: str) -> str:
    """Return the network by which an address is counted and known.

    An IPv6 customer has a whole /64.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_NETWORK_BITS), strict=False))


def after_failure(before: FailureCount | None, now: datetime, most: int) -> FailureCount:
    """Return the count after one more failure: a window of a minute, then a back-off that doubles.

    most: failures one address may make for one merchant within a window. See
    docs/spec/wire.md#token-failures.
    """
    last_counted = before and (before.blocked_until or before.window_from)
    if before is None or last_counted is None or now - last_counted >= WINDOW:
        return FailureCount(1, now, None)
    failures = before.failures + 1
    if failures < most:
        return FailureCount(failures, before.window_from, None)
    doublings = min((failures - most) // most, 10)
    wait = min(BACK_OFF_FIRST * 2**doublings, BACK_OFF_MAX)
    return FailureCount(failures, before.window_from, now + wait)


def wait_of(count: FailureCount | None, now: datetime) -> timedelta:
    """Return how long an address has to wait, zero when it need not.

    While it has to, it is told so, and not which check failed.
    """
    blocked_until = count.blocked_until if count is not None else None
    return max(blocked_until - now, timedelta()) if blocked_until else timedelta()
