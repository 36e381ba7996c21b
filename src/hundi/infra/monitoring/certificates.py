"""When the certificates of the gateway's public addresses end, as a client of theirs sees it."""

import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

_AGAIN_S = 3600.0
"""How long an answer is remembered: a certificate lasts for weeks."""
_SOONER_S = 60.0
"""How long it is remembered that an address did not answer."""
_ANSWER_S_MAX = 3.0
_HTTPS_PORT = 443


class CertificateWatch:
    """Looks at the certificates once an hour."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """Look at those of the addresses that begin with https."""
        self._places = sorted(
            {
                (parts.hostname, parts.port or _HTTPS_PORT)
                for parts in map(urlsplit, addresses)
                if parts.scheme == "https" and parts.hostname
            }
        )
        self._known: list[tuple[str, float]] = []
        self._again_at = 0.0

    def ends(self) -> list[tuple[str, float]]:
        """Return each host, and the end of its certificate in seconds since 1970.

        A host that cannot be reached from here is left out. Waits for the network now and then.
        """
        now = time.monotonic()
        if self._places and now >= self._again_at:
            self._known = [
                (host, end) for host, port in self._places if (end := _end(host, port)) is not None
            ]
            complete = len(self._known) == len(self._places)
            self._again_at = now + (_AGAIN_S if complete else _SOONER_S)
        return self._known


def _end(host: str, port: int) -> float | None:
    """Return the end of the certificate that a server shows, whoever signed it."""
    from cryptography import x509  # noqa: PLC0415 (X.509 costs every process memory)

    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing is sent there, and one that has ended is looked at as well.
    trust.check_hostname = False
    trust.verify_mode = ssl.CERT_NONE
    with (
        suppress(OSError, ValueError),  # unreachable, or no certificate that can be read
        socket.create_connection((host, port), timeout=_ANSWER_S_MAX) as connection,
        trust.wrap_socket(connection, server_hostname=host) as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
        if shown is not None:
            return x509.load_der_x509_certificate(shown).not_valid_after_utc.timestamp()
    return None
