"""Reaches a server without a request: its name, a connection, and its certificate."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

HANDSHAKE_S_MAX = 5.0
_EXPIRED = 10
"""OpenSSL's number of a certificate that has ended (X509_V_ERR_CERT_HAS_EXPIRED)."""
_OTHER_NAME = 62
"""The same of one for another host (X509_V_ERR_HOSTNAME_MISMATCH)."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """A server that was reached. certificate_ends: None without TLS."""

    address: str
    certificate_ends: datetime | None


class HandshakeError(Exception):
    """A server was not reached.

    reason: "name", "connect", "ended" (its certificate), "other_name", "untrusted" or "tls".
    """

    def __init__(self, reason: str, words: str) -> None:
        """Store the reason and the words for people, which are also the text."""
        super().__init__(words)
        self.reason = reason


def _any_address(_address: str) -> None:
    """Let every IP address be reached: for addresses of our own settings."""


async def shake_hands(
    host: str, port: int, *, tls: bool, check: Callable[[str], None] = _any_address
) -> Handshake:
    """Connect to a server, send nothing, and close.

    check: raises AddressRefusedError for an IP address that may not be reached. Raises that and
    HandshakeError.
    """
    try:
        async with asyncio.timeout(HANDSHAKE_S_MAX):
            address = await _resolved(host, port, check)
            return await _shaken(address, host, port, tls=tls)
    except TimeoutError:
        words = f"no connection within {HANDSHAKE_S_MAX:.0f} s"
        raise HandshakeError("connect", words) from None


async def _resolved(host: str, port: int, check: Callable[[str], None]) -> str:
    """Return the first address of a name, if all of them may be reached."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port)
    except OSError:
        raise HandshakeError("name", f"the name {host} cannot be found") from None
    addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
    for address in addresses:
        check(address)
    return addresses[0]


async def _shaken(address: str, host: str, port: int, *, tls: bool) -> Handshake:
    context = ssl.create_default_context() if tls else None
    try:
        _, writer = await asyncio.open_connection(
            address, port, ssl=context, server_hostname=host if tls else None
        )
    except ssl.SSLCertVerificationError as error:
        reasons = {_EXPIRED: "ended", _OTHER_NAME: "other_name"}
        raise HandshakeError(
            reasons.get(error.verify_code, "untrusted"), error.verify_message
        ) from None
    except (ssl.SSLError, ConnectionResetError) as error:
        raise HandshakeError("tls" if tls else "connect", _words(error)) from None
    except OSError as error:
        raise HandshakeError("connect", _words(error)) from None
    certificate = writer.get_extra_info("peercert") or {}
    writer.close()
    with suppress(OSError, ssl.SSLError):
        await writer.wait_closed()
    ends = certificate.get("notAfter")
    return Handshake(
        address, datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC) if ends else None
    )


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__
