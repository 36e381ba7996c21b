"""How tokens are made and how failed token requests are counted; pure."""

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
"""Failures of one merchant over all addresses that raise an alarm; nobody is refused for it."""
REFUSED_KEPT_PER_ADDRESS_MAX = 60
"""Refused requests of one address that are stored for a merchant within a window.

Anybody may send them.

See docs/spec/wire.md#limits.
"""
REFUSED_KEPT_MAX = 200
"""Refused requests of all addresses that are stored for a merchant within a window.

See docs/spec/wire.md#limits.
"""
_TOKEN_BYTES = 20
_IPV6_NETWORK_BITS = 64
_NETWORKS_KEPT_MAX = 4_096


class TokenScope(StrEnum):
    """The scope that a token was requested with (docs/spec/wire.md#token-scopes)."""

    UNNAMED = ""
    """None, as the specification shows it.

    Opens the payment page, and operations of a known network.
    """
    PAGE = "page"
    """Only the payment page: this token passes through the customer's browser."""
    OPERATIONS = "operations"
    """Only operations: this token never leaves the merchant's servers."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token as it is stored.

    network: the requester's, as `network_of` writes it; "" if unknown.
    """

    scope: TokenScope
    network: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FailureCount:
    """The failures of one address for one merchant."""

    failures: int
    window_from: datetime
    blocked_until: datetime | None


def new_token() -> str:
    """Return an access token: 40 lower-case hex characters (docs/spec/wire.md#access-tokens)."""
    return secrets.token_hex(_TOKEN_BYTES)


def token_hash(token: str) -> bytes:
    """Return a token's stored hash.

    A plain hash is enough: the token itself has 160 random bits.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=_NETWORKS_KEPT_MAX)
def network_of(address: str) -> str:
    """Return the network by which an address is counted and known.

    An IPv6 customer has a whole /64.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip, _IPV6_NETWORK_BITS), strict=False))


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

    While it waits, the reply says only that, and not which check failed.
    """
    blocked_until = count.blocked_until if count is not None else None
    return max(blocked_until - now, timedelta()) if blocked_until else timedelta()
