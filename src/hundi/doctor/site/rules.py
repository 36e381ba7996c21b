"""What can be wrong between the world and the gateway."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.doctor.rules import FindingKind, Level

CERTIFICATE_LEFT_MIN = timedelta(days=14)
"""One that renews itself has done so by then. The alarm CertificateEnds has the same limit."""
SITE_GOOD = FindingKind("site_good", Level.GOOD, "The gateway is reached by its own address.")
SITE_NAME = FindingKind(
    "site_name",
    Level.FAULT,
    "The name of the gateway's address cannot be found.",
    "Make a record of the name with whoever serves your domain, or correct HUNDI_BASE_URL or"
    " HUNDI_PAYMENT_PAGE_URL.",
)
SITE_UNREACHABLE = FindingKind(
    "site_unreachable",
    Level.FAULT,
    "Nothing answers at the gateway's address.",
    "Start the proxy, open its port, or correct HUNDI_BASE_URL or HUNDI_PAYMENT_PAGE_URL.",
)
SITE_NO_TLS = FindingKind(
    "site_no_tls",
    Level.FAULT,
    "What listens at the gateway's https:// address does not speak TLS as browsers do.",
    "Have the proxy speak TLS 1.2 and 1.3 at this port: in nginx `listen 443 ssl`.",
)
SITE_OTHER = FindingKind(
    "site_other",
    Level.FAULT,
    "What answers at the gateway's address is not this gateway.",
    "Have the proxy pass all paths of this host to the gateway, or correct the address.",
)
CERTIFICATE_GOOD = FindingKind(
    "certificate_good", Level.GOOD, "The certificate is good for some time."
)
CERTIFICATE_ENDED = FindingKind(
    "certificate_ended",
    Level.FAULT,
    "The certificate of the gateway's address has ended: nobody can pay.",
    "Renew the certificate and have the proxy load it.",
)
CERTIFICATE_ENDS_SOON = FindingKind(
    "certificate_ends_soon",
    Level.WARNING,
    f"The certificate of the gateway's address ends within {CERTIFICATE_LEFT_MIN.days} days.",
    "Renew it, and look at why it was not renewed by itself.",
)
CERTIFICATE_REFUSED = FindingKind(
    "certificate_refused",
    Level.FAULT,
    "Browsers refuse the certificate: it is of another name, or nobody known signed it.",
    "Have the proxy show a certificate for this name with its whole chain.",
)
PROXY_HOST = FindingKind(
    "proxy_host",
    Level.WARNING,
    "The proxy sends another Host than the one that was asked for.",
    "Have the proxy keep it: in nginx `proxy_set_header Host $http_host`.",
)
PROXY_SILENT = FindingKind(
    "proxy_caller_missing",
    Level.FAULT,
    "The proxy does not say who calls: all customers look like one, and limits hit all of them.",
    "Have the proxy set X-Forwarded-For: in nginx `proxy_set_header X-Forwarded-For $remote_addr`.",
)
PROXY_UNTRUSTED = FindingKind(
    "proxy_untrusted",
    Level.FAULT,
    "The gateway does not believe the proxy who calls, because it is not named.",
    "Put the proxy's address that was seen into HUNDI_TRUSTED_PROXIES.",
)
NO_HSTS = FindingKind(
    "hsts_missing",
    Level.WARNING,
    "A response does not tell browsers to use TLS alone (Strict-Transport-Security).",
    "Set both HUNDI_BASE_URL and HUNDI_PAYMENT_PAGE_URL to https:// addresses, and let the proxy"
    " pass the header.",
)
PROXY_LOG = FindingKind(
    "proxy_log_unseen",
    Level.NOTE,
    "The proxy's access log cannot be seen: whether it keeps tokens (`?token=`).",
    "Keep the query out of the proxy's access log (docs/proxy.md).",
)

REASONS: Mapping[str, FindingKind] = {
    "name": SITE_NAME,
    "connect": SITE_UNREACHABLE,
    "ended": CERTIFICATE_ENDED,
    "other_name": CERTIFICATE_REFUSED,
    "untrusted": CERTIFICATE_REFUSED,
    "tls": SITE_NO_TLS,
}
"""What it means that a handshake failed, by its reason."""


def certificate_kind(ends: datetime, now: datetime) -> FindingKind:
    """Return what the end of a certificate means."""
    return CERTIFICATE_ENDS_SOON if ends - now < CERTIFICATE_LEFT_MIN else CERTIFICATE_GOOD


@dataclass(frozen=True, slots=True)
class SeenCaller:
    """How a request arrived at the gateway.

    peer: who connected; forwarded: the last caller that a proxy named; is_believed: whether the
    gateway took its word.
    """

    host: str
    peer: str
    forwarded: str
    is_believed: bool


def proxy_kinds(seen: SeenCaller, asked_host: str, *, is_direct: bool) -> list[FindingKind]:
    """Return what is wrong with how a request arrived. is_direct: no proxy is expected."""
    kinds: list[FindingKind] = []
    if seen.host != asked_host:
        kinds.append(PROXY_HOST)
    if not seen.forwarded and not is_direct:
        kinds.append(PROXY_SILENT)
    if seen.forwarded and not seen.is_believed:
        kinds.append(PROXY_UNTRUSTED)
    return kinds


SEEN_ADDRESS = "/health/seen"
"""Where a gateway tells whoever holds its keys how a request arrived."""
PROOF_HEADER = "x-hundi-proof"
PROOF_PURPOSE = "doctor's look at the proxy"
"""The purpose of the derived key that makes the proof."""


def proof_of(nonce: str, key: bytes) -> str:
    """Return the proof that somebody holds the keys. nonce: never used before.

    No clock is in it: it must work where a clock is wrong.
    """
    return f"{nonce}.{hmac.new(key, nonce.encode(), hashlib.sha256).hexdigest()}"


def is_proof(text: str, keys: Iterable[bytes]) -> bool:
    """Return whether a text was made by `proof_of` with one of the keys."""
    nonce, _, _ = text.partition(".")
    return any(hmac.compare_digest(proof_of(nonce, key).encode(), text.encode()) for key in keys)
