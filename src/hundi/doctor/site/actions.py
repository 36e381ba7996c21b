"""Looks at the gateway's own addresses from outside: name, certificate, what a proxy changes."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from urllib.parse import SplitResult, urlsplit

import msgspec

from hundi.doctor.context import DoctorContext
from hundi.doctor.rules import DoctorFinding
from hundi.doctor.site.rules import (
    NO_HSTS,
    PROOF_HEADER,
    PROOF_PURPOSE,
    PROXY_LOG,
    REASONS,
    SEEN_ADDRESS,
    SITE_GOOD,
    SITE_OTHER,
    SITE_UNREACHABLE,
    SeenCaller,
    certificate_kind,
    proof_of,
    proxy_kinds,
)
from hundi.infra.handshakes import HandshakeError, shake_hands
from hundi.infra.http.client import (
    ClientSettings,
    HttpAnswer,
    NoAnswerError,
    OutboundClient,
    Reach,
)
from hundi.infra.secrets.vault import known_keys
from hundi.infra.settings import Settings
from hundi.kernel.clock import world_now

_ANSWER_S_MAX = 5.0
_NONCE_BYTES = 16


async def look_at_sites(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find what keeps customers and merchants from the gateway, and what a proxy changes."""
    settings = context.settings
    assert settings is not None
    sites = dict.fromkeys((settings.base_url, settings.payment_page_url))
    findings = [finding for site in sites for finding in await _site(settings, site)]
    if any(site.startswith("https://") for site in sites):
        findings.append(DoctorFinding(PROXY_LOG, "proxy", "no file of it was looked for"))
    return findings


async def _site(settings: Settings, site: str) -> Sequence[DoctorFinding]:
    parts = urlsplit(site)
    is_tls = parts.scheme == "https"
    try:
        shaken = await shake_hands(
            parts.hostname or "", parts.port or (443 if is_tls else 80), tls=is_tls
        )
    except HandshakeError as error:
        return [DoctorFinding(REASONS[error.reason], site, str(error))]
    findings = []
    if shaken.certificate_ends is not None:
        ends = shaken.certificate_ends
        seen = f"it ends on {ends:%Y-%m-%d}"
        findings.append(DoctorFinding(certificate_kind(ends, world_now()), site, seen))
    return [*findings, *await _arrival(settings, site, parts)]


async def _arrival(settings: Settings, site: str, parts: SplitResult) -> Sequence[DoctorFinding]:
    """Find how a request arrives at the gateway behind the site."""
    try:
        answer = await ask_gateway(settings, site)
    except NoAnswerError as error:
        return [DoctorFinding(SITE_UNREACHABLE, site, f"no answer: {error.reason}")]
    if answer.status != HTTPStatus.OK:
        return [DoctorFinding(SITE_OTHER, site, f"it answers with status {answer.status}")]
    return [*_judged(site, parts, answer)]


async def ask_gateway(settings: Settings, url: str) -> HttpAnswer:
    """Ask a gateway with our keys how this request arrives; any other answers with 404.

    Raises NoAnswerError, VaultError.
    """
    vault = await asyncio.to_thread(known_keys, settings)
    proof = proof_of(secrets.token_hex(_NONCE_BYTES), vault.derive(PROOF_PURPOSE))
    headers = {PROOF_HEADER: proof}
    async with OutboundClient(ClientSettings(reach=Reach.ANY)) as client:
        return await client.send("GET", url + SEEN_ADDRESS, b"", headers, timeout_s=_ANSWER_S_MAX)


def _judged(site: str, parts: SplitResult, answer: HttpAnswer) -> Iterator[DoctorFinding]:
    try:
        caller = msgspec.json.decode(answer.body, type=SeenCaller)
    except (msgspec.DecodeError, RecursionError):
        yield DoctorFinding(SITE_OTHER, site, "it answers in another form")
        return
    is_tls = parts.scheme == "https"
    for_whom = f"for {caller.forwarded}" if caller.forwarded else "without X-Forwarded-For"
    seen = f"Host {caller.host}, from {caller.peer} {for_whom}"
    kinds = proxy_kinds(caller, parts.netloc, is_direct=not is_tls)
    yield from (DoctorFinding(kind, site, seen) for kind in kinds)
    if is_tls and "strict-transport-security" not in {name.lower() for name in answer.headers}:
        yield DoctorFinding(NO_HSTS, site, "the header is not there")
    elif not kinds:
        yield DoctorFinding(SITE_GOOD, site, seen)
