"""Reaches a server without a request: its name, a connection, and its certificate."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

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
    host: str,
    port: int,
    *,
    tls: bool,
    any_certificate: bool = False,
    check: Callable[[str], None] = _any_address,
) -> Handshake:
    """Connect to a server, send nothing, and close.

    any_certificate: one that has ended or that nobody known signed is looked at as well. check:
    raises AddressRefusedError for an IP address that may not be reached. Raises that and
    HandshakeError.
    """
    context = _trust(any_certificate=any_certificate) if tls else None
    try:
        async with asyncio.timeout(HANDSHAKE_S_MAX):
            address = await _resolved(host, port, check)
            return await _shaken(address, host, port, context)
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


def _trust(*, any_certificate: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if any_certificate:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


async def _shaken(address: str, host: str, port: int, context: ssl.SSLContext | None) -> Handshake:
    try:
        _, writer = await asyncio.open_connection(
            address, port, ssl=context, server_hostname=host if context else None
        )
    except ssl.SSLCertVerificationError as error:
        reasons = {_EXPIRED: "ended", _OTHER_NAME: "other_name"}
        raise HandshakeError(
            reasons.get(error.verify_code, "untrusted"), error.verify_message
        ) from None
    except (ssl.SSLError, ConnectionResetError) as error:
        raise HandshakeError("tls" if context else "connect", _words(error)) from None
    except OSError as error:
        raise HandshakeError("connect", _words(error)) from None
    secured = writer.get_extra_info("ssl_object")
    shown = secured.getpeercert(binary_form=True) if secured else None
    writer.close()
    with suppress(OSError, ssl.SSLError):
        await writer.wait_closed()
    return Handshake(address, _end(shown) if shown else None)


def _end(certificate: bytes) -> datetime:
    from cryptography import x509  # noqa: PLC0415 (X.509 costs every process memory)

    try:
        return x509.load_der_x509_certificate(certificate).not_valid_after_utc
    except ValueError as error:
        raise HandshakeError("tls", f"its certificate cannot be read: {error}") from None


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__
