"""Which findings are about certificates, and their form in the database; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hundi.doctor.rules import DoctorFinding, FindingKind, Level, ProbedPart
from hundi.doctor.table import PROBES

LOOK_EVERY = timedelta(days=1)
ASK_EVERY = timedelta(minutes=10)
"""How often a worker asks itself whether to look: a new installation is looked at soon."""
OLD = timedelta(days=2)
"""After this a look says nothing any more: no worker looks."""
_ABOUT = "certificate"
"""The word in the code of each kind of finding about a certificate."""
KINDS: Mapping[str, FindingKind] = {
    kind.code: kind for probe in PROBES for kind in probe.kinds if _ABOUT in kind.code
}
PROBED = frozenset(
    probe.name for probe in PROBES if any(kind.code in KINDS for kind in probe.kinds)
)
"""The probes that look at certificates."""


@dataclass(frozen=True, slots=True)
class CertificateLook:
    """What a probe found about certificates that somebody has to act on."""

    probe: str
    looked_at: datetime
    findings: Sequence[DoctorFinding]


def look_of(part: ProbedPart, looked_at: datetime) -> CertificateLook:
    """Return what a probe found about certificates."""
    findings = [
        finding
        for finding in part.findings
        if finding.kind.code in KINDS and finding.kind.level is not Level.GOOD
    ]
    return CertificateLook(part.probe, looked_at, findings)


def as_json(look: CertificateLook) -> list[dict[str, str]]:
    """Return the findings of a look as the database has them."""
    return [
        {"code": finding.kind.code, "about": finding.about, "seen": finding.seen}
        for finding in look.findings
    ]


def from_json(probe: str, looked_at: datetime, kept: Iterable[Any]) -> CertificateLook:
    """Return a look from the database; a kind that this version does not know is left out."""
    findings = [
        DoctorFinding(KINDS[each["code"]], each["about"], each["seen"])
        for each in kept
        if each["code"] in KINDS
    ]
    return CertificateLook(probe, looked_at, findings)


def is_known(looks: Sequence[CertificateLook], now: datetime, within: timedelta = OLD) -> bool:
    """Return whether every probe looked lately."""
    lately = {look.probe for look in looks if now - look.looked_at < within}
    return lately >= PROBED
