"""What an account was tried with, on its page: ready or not by capability, with the evidence."""

from collections.abc import Mapping
from typing import Any

from hundi.acquirers.certification.steps import StepVerdict
from hundi.acquirers.kinds import AcquirerConfigurationError
from hundi.acquirers.registry import Member
from hundi.console.acquirer_money import ability_words
from hundi.console.visits import ConsoleVisit
from hundi.infra.secrets.key_sources import VaultError
from hundi.payments.acquirer_accounts.actions import fields_of
from hundi.payments.acquirer_accounts.rules import AcquirerAccount
from hundi.payments.certifications import actions
from hundi.payments.certifications.rules import Readiness

_TONES: Mapping[str, str] = {
    Readiness.READY: "paid",
    Readiness.NOT_READY: "failed",
    StepVerdict.PASSED: "paid",
    StepVerdict.FAILED: "failed",
    StepVerdict.OPEN: "waiting",
    StepVerdict.BEGUN: "waiting",
}


async def certification(
    visit: ConsoleVisit, account: AcquirerAccount | None, member: Member | None
) -> dict[str, Any] | None:
    """Return an account's certification for its page, None where it cannot be opened."""
    if member is None:
        return None
    vault, name = visit.gateway.vault, member.connector.name
    try:
        fields = (
            {**fields_of(vault, account), "kind": account.kind}
            if account
            else visit.gateway.settings.acquirers[name]
        )
        found = await actions.certification_of(visit.db, vault, member, fields)
    except (AcquirerConfigurationError, VaultError, KeyError):
        return None
    return {
        "is_ready": found.is_ready,
        "unproven": found.unproven,
        "version": found.account.version,
        "capabilities": [
            {
                "name": ability_words(each.subject),
                "ready": each.readiness.capitalize(),
                "tone": _TONES.get(each.readiness, ""),
                "why": each.why,
                "at": each.at,
            }
            for each in found.capabilities
        ],
        "steps": [
            {
                "name": each.step.name,
                "outcome": str(each.verdict).capitalize(),
                "tone": _TONES.get(each.verdict, ""),
                "expected": each.step.expected,
                "words": each.evidence.words if each.evidence else "",
                "at": each.evidence.at if each.evidence else None,
            }
            for each in found.steps
        ],
    }
