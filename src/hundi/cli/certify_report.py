"""The report of a certification: for people, for machines, and as a Markdown file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.payments.certifications.actions import AccountCertification
from hundi.payments.certifications.rules import StepStanding


@dataclass(frozen=True, slots=True)
class CertificationReport:
    """How an account stands. at: when the report was made, UTC."""

    found: AccountCertification
    at: datetime

    @property
    def words(self) -> str:
        """Return the verdict in words."""
        return "ready" if self.found.is_ready else "not ready"

    def capability_rows(self) -> list[dict[str, Any]]:
        """Return a row for each capability."""
        return [
            {"capability": each.subject, "ready": str(each.readiness), "why": each.why}
            for each in self.found.capabilities
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the report for machines, the exchanges of each step among it."""
        account = self.found.account
        return {
            "acquirer": account.name,
            "kind": account.kind,
            "money": "real" if account.is_live else "simulated",
            "settings_digest": account.settings_digest,
            "version": account.version,
            "at": self.at,
            "ready": self.found.is_ready,
            "said_without_evidence": list(self.found.unproven),
            "capabilities": self.capability_rows(),
            "steps": [
                {
                    **step_row(each),
                    "exchanges": [msgspec.to_builtins(one) for one in each.evidence.exchanges]
                    if each.evidence
                    else [],
                }
                for each in self.found.steps
            ],
        }


def step_row(standing: StepStanding) -> dict[str, Any]:
    """Return the line of a step."""
    evidence = standing.evidence
    return {
        "step": standing.step.name,
        "capability": standing.step.subject,
        "expected": standing.step.expected,
        "outcome": str(standing.verdict),
        "came_back": evidence.words if evidence else "",
        "at": evidence.at if evidence else None,
    }


def markdown(report: CertificationReport) -> str:
    """Return the report as a page."""
    account = report.found.account
    money = "real money" if account.is_live else "no real money"
    lines = [
        f"# Certification of {account.name}: {report.words}",
        "",
        (
            f"Kind `{account.kind}`, {money}, Hundi {account.version}, settings"
            f" `{account.settings_digest[:12]}`, {report.at:%d %B %Y %H:%M} UTC."
        ),
        "",
        "| Capability | Ready | Why |",
        "| --- | --- | --- |",
        *(
            f"| `{each.subject}` | {each.readiness} | {_cell(each.why)} |"
            for each in report.found.capabilities
        ),
        "",
        "| Step | Outcome | Expected | Came back | At |",
        "| --- | --- | --- | --- | --- |",
        *(_line(each) for each in report.found.steps),
        "",
        "## Calls",
        "",
        *(line for each in report.found.steps for line in _calls(each)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _line(standing: StepStanding) -> str:
    row = step_row(standing)
    at = f"{row['at']:%d %B %Y %H:%M} UTC" if row["at"] else ""
    return (
        f"| {row['step']} | {row['outcome']} | {_cell(row['expected'])} |"
        f" {_cell(row['came_back'])} | {at} |"
    )


def _calls(standing: StepStanding) -> list[str]:
    evidence = standing.evidence
    if evidence is None or not evidence.exchanges:
        return []
    lines = [f"### {standing.step.name}", ""]
    for each in evidence.exchanges:
        lines += ["```text", f"{each.method} {each.path}"]
        lines += [each.request] if each.request else []
        lines += [f"{each.status or 'no answer'} {each.answer}", "```", ""]
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
