"""When the certificates of the gateway's public addresses end, as a client of theirs sees it."""

import asyncio
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from hundi.infra.handshakes import HandshakeError, shake_hands

_AGAIN_S = 3600.0
"""How long an answer is remembered: a certificate lasts for weeks."""
_SOONER_S = 60.0
"""How long it is remembered that an address did not answer."""
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

    async def ends(self) -> list[tuple[str, float]]:
        """Return each host, and the end of its certificate in seconds since 1970.

        A host that cannot be reached from here is left out. Waits for the network now and then.
        """
        now = time.monotonic()
        if self._places and now >= self._again_at:
            looks = await asyncio.gather(*(_end(host, port) for host, port in self._places))
            self._known = [
                (host, end)
                for (host, _), end in zip(self._places, looks, strict=True)
                if end is not None
            ]
            complete = len(self._known) == len(self._places)
            self._again_at = now + (_AGAIN_S if complete else _SOONER_S)
        return self._known


async def _end(host: str, port: int) -> float | None:
    """Return the end of the certificate that a server shows, whoever signed it."""
    try:
        shaken = await shake_hands(host, port, tls=True, any_certificate=True)
    except HandshakeError:
        return None
    return shaken.certificate_ends.timestamp() if shaken.certificate_ends else None
