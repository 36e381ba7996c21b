"""Findings of the doctor, the levels they have, and the report of one look."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

REPORT_VERSION = 1
"""The form of the report for scripts; another number means another form."""


class Level(StrEnum):
    """How much a finding matters, from the least to the most."""

    GOOD = "good"
    """As it should be."""
    NOTE = "note"
    """Cannot be seen from here, or is a choice of yours."""
    WARNING = "warning"
    """Payments work; something is at risk, or will soon be wrong."""
    FAULT = "fault"
    """Something does not work, or a secret or money is in danger now."""


STATUS: Mapping[Level, int] = {Level.GOOD: 0, Level.NOTE: 0, Level.WARNING: 1, Level.FAULT: 2}
"""The exit status of the command by the gravest level of its findings."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What a probe can find.

    code: for scripts, never changed. meaning: when it is found. remedy: what to do, in one
    sentence; "" where nothing is to be done.
    """

    code: str
    level: Level
    meaning: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One finding. about: of what, such as a role or an acquirer; seen: what was seen there."""

    kind: FindingKind
    about: str
    seen: str


UNSEEN = FindingKind(
    "not_looked_at",
    Level.NOTE,
    "A probe needs something that is not there, such as the database.",
    "Mend the faults of this report first, then run it again.",
)
SLOW = FindingKind(
    "probe_slow",
    Level.WARNING,
    "A probe did not end in its time.",
    "Run it again; if it stays so, look at what the probe is about.",
)
BROKEN = FindingKind(
    "probe_failed",
    Level.WARNING,
    "A probe itself failed: a fault of Hundi.",
    "Tell Hundi's developers the code, the probe and what was seen.",
)
OF_ANY_PROBE = (UNSEEN, SLOW, BROKEN)
"""What any probe may find."""


@dataclass(frozen=True, slots=True)
class ProbedPart:
    """The findings of one probe. title: the part of the installation that it looked at."""

    probe: str
    title: str
    findings: Sequence[DoctorFinding]


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """The findings of one look at an installation. version: Hundi's."""

    looked_at: datetime
    version: str
    parts: Sequence[ProbedPart]

    @property
    def level(self) -> Level:
        """Return the gravest level of the findings."""
        return gravest(finding for part in self.parts for finding in part.findings)

    @property
    def status(self) -> int:
        """Return the exit status of the command."""
        return STATUS[self.level]


def gravest(findings: Iterable[DoctorFinding]) -> Level:
    """Return the gravest level of some findings, good where there are none."""
    order = list(Level)
    return max((finding.kind.level for finding in findings), key=order.index, default=Level.GOOD)


def shown(report: DoctorReport) -> Mapping[str, object]:
    """Return a report for scripts."""
    return {
        "report": REPORT_VERSION,
        "looked_at": report.looked_at,
        "hundi": report.version,
        "level": report.level.value,
        "status": report.status,
        "findings": [
            {
                "code": finding.kind.code,
                "level": finding.kind.level.value,
                "probe": part.probe,
                "about": finding.about,
                "seen": finding.seen,
                "do": finding.kind.remedy,
            }
            for part in report.parts
            for finding in part.findings
        ],
    }
