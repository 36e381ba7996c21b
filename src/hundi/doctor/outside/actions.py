"""Looks at servers of others: asks acquirers what moves nothing, and shakes merchants' hands."""

import asyncio
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.probes import Probe, probe
from hundi.doctor.context import DoctorContext
from hundi.doctor.database.rules import CLOCK_GOOD, clock_kind, clock_words
from hundi.doctor.outside import store
from hundi.doctor.outside.rules import (
    ACQUIRER_CERTIFICATE,
    ACQUIRER_ENDS_SOON,
    ACQUIRER_GOOD,
    ACQUIRER_OTHERWISE,
    ACQUIRER_UNREACHABLE,
    ACQUIRERS_REFUSED,
    ENDPOINT_REFUSED,
    ENDPOINTS_GOOD,
    ENDPOINTS_LEFT_OUT,
    ENDPOINTS_MAX,
    NO_ACQUIRER,
    NO_ENDPOINT,
    OF_CALLS,
    OF_HANDSHAKES,
)
from hundi.doctor.rules import DoctorFinding
from hundi.doctor.site.rules import CERTIFICATE_LEFT_MIN
from hundi.infra.handshakes import HandshakeError, shake_hands
from hundi.infra.http.addresses import AddressRefusedError, check_ip, check_url
from hundi.infra.http.meetings import ServerMeeting, meetings
from hundi.kernel.clock import world_now
from hundi.kernel.masking import masked

ACQUIRER_S_MAX = 12.0
"""How long one acquirer may take for all questions, in seconds."""
_AT_ONCE = 20


async def look_at_acquirers(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find acquirers that cannot be reached, or that answer otherwise than they have to."""
    if context.connectors_fault:
        return [DoctorFinding(ACQUIRERS_REFUSED, "acquirers", context.connectors_fault)]
    if not context.connectors:
        return [DoctorFinding(NO_ACQUIRER, "acquirers", "there is none")]
    found = await asyncio.gather(*(_acquirer(each) for each in context.connectors))
    return [finding for findings in found for finding in findings]


async def _acquirer(connector: Connector) -> Sequence[DoctorFinding]:
    with meetings() as met:
        try:
            async with asyncio.timeout(ACQUIRER_S_MAX):
                probes = await probe(connector)
        except TimeoutError:
            seen = f"no answer within {ACQUIRER_S_MAX:.0f} s"
            return [DoctorFinding(ACQUIRER_UNREACHABLE, connector.name, seen)]
    unmet = next((each for each in met if each.reason), None)
    if unmet is not None:
        seen = f"{unmet.host}:{unmet.port}: {unmet.reason}"
        return [DoctorFinding(OF_CALLS[unmet.reason], connector.name, seen)]
    return [
        _answers(connector.name, probes, has_met=bool(met)),
        *_clocks(connector.name, met),
        *await _certificates(connector.name, met),
    ]


def _answers(name: str, probes: Sequence[Probe], *, has_met: bool) -> DoctorFinding:
    """Return the finding of an acquirer. has_met: a server of it answered our call."""
    failed = [each for each in probes if not each.passed]
    if not failed:
        words = ", ".join(f"{each.name}: {each.said}" for each in probes)
        return DoctorFinding(ACQUIRER_GOOD, name, words or "nothing to ask without a cost")
    words = ", ".join(
        f"{each.name}: {masked(each.said)} in place of {each.expected}" for each in failed
    )
    silent = not has_met and all(each.said.startswith("no answer") for each in failed)
    return DoctorFinding(ACQUIRER_UNREACHABLE if silent else ACQUIRER_OTHERWISE, name, words)


def _clocks(name: str, met: Sequence[ServerMeeting]) -> Sequence[DoctorFinding]:
    """Compare this machine's clock with the times that an acquirer told over TLS."""
    findings = []
    for each in met:
        if each.date is None or each.scheme != "https":
            continue
        # The header has whole seconds, so that it is half a second late on average.
        ours = each.asked_at + (each.answered_at - each.asked_at) / 2
        difference_s = (each.date - ours).total_seconds() + 0.5
        kind = clock_kind(difference_s)
        if kind is not CLOCK_GOOD:
            words = clock_words(difference_s, f"the clock of {each.host}")
            findings.append(DoctorFinding(kind, name, words))
    return findings[:1]


async def _certificates(name: str, met: Sequence[ServerMeeting]) -> Sequence[DoctorFinding]:
    findings = []
    for host, port in {(each.host, each.port) for each in met if each.scheme == "https"}:
        try:
            shaken = await shake_hands(host, port, tls=True)
        except HandshakeError as error:
            findings.append(DoctorFinding(ACQUIRER_CERTIFICATE, name, f"{host}: {error}"))
            continue
        ends = shaken.certificate_ends
        if ends is not None and ends - world_now() < CERTIFICATE_LEFT_MIN:
            seen = f"that of {host} ends on {ends:%Y-%m-%d}"
            findings.append(DoctorFinding(ACQUIRER_ENDS_SOON, name, seen))
    return findings


async def look_at_endpoints(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find merchants' notification addresses that cannot be reached; nothing is sent there."""
    settings, db = context.settings, context.db
    assert settings is not None
    assert db is not None
    servers: dict[str, list[int]] = {}
    for merchant_id, url in (await store.select_endpoints(db)).items():
        parts = urlsplit(url)
        servers.setdefault(f"{parts.scheme}://{parts.netloc}", []).append(merchant_id)
    if not servers:
        return [DoctorFinding(NO_ENDPOINT, "merchants", "no active merchant has one")]
    looked_at = list(servers)[:ENDPOINTS_MAX]
    turns = asyncio.Semaphore(_AT_ONCE)
    allow_private = settings.allow_private_callbacks or settings.demo
    asked = (
        _endpoint(server, servers[server], turns, allow_private=allow_private)
        for server in looked_at
    )
    findings = [finding for finding in await asyncio.gather(*asked) if finding is not None]
    if len(servers) > len(looked_at):
        seen = f"{len(looked_at)} of {len(servers)} servers"
        findings.append(DoctorFinding(ENDPOINTS_LEFT_OUT, "merchants", seen))
    good = f"servers that can be reached: {len(looked_at)} of {len(looked_at)}"
    return findings or [DoctorFinding(ENDPOINTS_GOOD, "merchants", good)]


async def _endpoint(
    server: str, merchants: Sequence[int], turns: asyncio.Semaphore, *, allow_private: bool
) -> DoctorFinding | None:
    whose = f"merchant {merchants[0]}" + (
        f" and {len(merchants) - 1} more" if len(merchants) > 1 else ""
    )
    async with turns:
        try:
            host, port = check_url(server)
            check = partial(check_ip, allow_private=allow_private)
            await shake_hands(host, port, tls=server.startswith("https://"), check=check)
        except AddressRefusedError as error:
            return DoctorFinding(ENDPOINT_REFUSED, whose, f"{server}: {error}")
        except HandshakeError as error:
            return DoctorFinding(OF_HANDSHAKES[error.reason], whose, f"{server}: {error}")
    return None
