"""Which evidence counts, and what of an account is ready; pure."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec

from hundi.acquirers.calls.exchanges import Exchange
from hundi.acquirers.certification.catalogue import NO_STEPS
from hundi.acquirers.certification.steps import CertificationStep, MovedAmount, StepVerdict
from hundi.acquirers.certification.webhooks import CERTIFIED
from hundi.kernel.money import Money

DIGEST_PURPOSE = "certified-settings"
"""What the key of digests of settings is derived for: they say nothing about a short secret."""
NOT_TRIED, OLDER = "not tried", "older"
"""Verdicts of a step whose evidence is missing, or does not count any more: no entry has them."""
_AGAIN = {StepVerdict.BEGUN, StepVerdict.OPEN}


@dataclass(frozen=True, slots=True)
class CertifiedAccount:
    """An account as it is now.

    settings_digest: of all its fields. version: of Hundi. is_live: real money moves.
    """

    name: str
    kind: str
    settings_digest: str
    version: str
    is_live: bool


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """One entry about a step of an account, never changed.

    evidence_id: grows. words: what came back, or why not. number: makes the step's references.
    moved_reference, moved_paise: what later steps go on with, "" and 0 for nothing. kind,
    settings_digest, version, is_live: the account's at that time. exchanges: the calls, masked. at:
    UTC.
    """

    account: str
    evidence_id: int
    step: str
    subject: str
    verdict: StepVerdict
    words: str
    number: int
    moved_reference: str
    moved_paise: int
    kind: str
    settings_digest: str
    version: str
    is_live: bool
    exchanges: tuple[Exchange, ...]
    at: datetime

    def is_of(self, account: CertifiedAccount) -> bool:
        """Return whether account and Hundi are as they were then."""
        return (self.kind, self.settings_digest, self.version) == (
            account.kind,
            account.settings_digest,
            account.version,
        )

    @property
    def moved(self) -> MovedAmount | None:
        """Return what the step moved; nothing for a reference of a merchant's payment."""
        if not self.moved_reference.startswith(CERTIFIED):
            return None
        return MovedAmount(self.moved_reference, Money(self.moved_paise), self.at)


class Readiness(StrEnum):
    """Whether a capability of an account may be used."""

    READY = "ready"
    NOT_READY = "not ready"
    LEFT_OUT = "left out"
    """The operator skipped a step of it, with a reason."""
    NOT_TRIED = "not tried"
    """No step tries it, or nothing to try it with is at hand, and it is optional."""


@dataclass(frozen=True, slots=True)
class StepStanding:
    """How a step stands. is_older: account or Hundi has changed, or what it goes on with."""

    step: CertificationStep
    evidence: StepEvidence | None
    is_older: bool

    @property
    def verdict(self) -> str:
        """Return the verdict in a word."""
        if self.evidence is None:
            return NOT_TRIED
        return OLDER if self.is_older else self.evidence.verdict


@dataclass(frozen=True, slots=True)
class CapabilityStanding:
    """Whether a capability is ready. why: the steps that say otherwise, or "". at: the newest."""

    subject: str
    readiness: Readiness
    why: str
    at: datetime | None


def read_exchanges(value: object) -> tuple[Exchange, ...]:
    """Return the exchanges of an entry as they are stored."""
    return msgspec.convert(value, tuple[Exchange, ...])


def digest_of(fields: Mapping[str, Any], key: bytes) -> str:
    """Return the digest of an account's fields, its secrets and its kind among them."""
    text = msgspec.json.encode(fields, order="sorted")
    return hmac.new(key, text, sha256).hexdigest()


def stand(
    steps: Sequence[CertificationStep],
    newest: Mapping[str, StepEvidence],
    account: CertifiedAccount,
) -> tuple[StepStanding, ...]:
    """Return how each step of an account stands. newest: the last evidence by step."""
    standings: dict[str, StepStanding] = {}
    for step in steps:
        evidence = newest.get(step.name)
        source = next(
            (
                standings[name].evidence
                for name in step.after
                if name in standings and standings[name].verdict == StepVerdict.PASSED
            ),
            None,
        )
        is_older = evidence is not None and (
            not evidence.is_of(account)
            or (source is not None and source.evidence_id > evidence.evidence_id)
        )
        standings[step.name] = StepStanding(step, evidence, is_older)
    return tuple(standings.values())


def moved_by(standings: Iterable[StepStanding]) -> dict[str, MovedAmount]:
    """Return what the passed steps moved, by their names."""
    return {
        each.step.name: each.evidence.moved
        for each in standings
        if each.verdict == StepVerdict.PASSED and each.evidence and each.evidence.moved
    }


def goes_on(standing: StepStanding) -> int:
    """Return the number with which a step goes on, 0 where it begins anew."""
    evidence = standing.evidence
    return evidence.number if evidence and standing.verdict in _AGAIN else 0


def capabilities(
    standings: Sequence[StepStanding], abilities: Iterable[str]
) -> tuple[CapabilityStanding, ...]:
    """Return whether each capability is ready, in the order of the steps; then those without one.

    abilities: every capability that the connector declares.
    """
    by_subject: dict[str, list[StepStanding]] = {}
    for each in standings:
        by_subject.setdefault(each.step.subject, []).append(each)
    untried = (name for name in abilities if name not in by_subject)
    return (
        *(_capability(subject, each) for subject, each in by_subject.items()),
        *(
            CapabilityStanding(
                name, Readiness.NOT_TRIED, NO_STEPS.get(name, "no step tries it"), None
            )
            for name in untried
        ),
    )


def _capability(subject: str, standings: Sequence[StepStanding]) -> CapabilityStanding:
    at = max((each.evidence.at for each in standings if each.evidence), default=None)
    counted = [
        each
        for each in standings
        if not (each.step.optional and each.verdict in {StepVerdict.UNAVAILABLE, NOT_TRIED})
    ]
    if not counted:
        return CapabilityStanding(subject, Readiness.NOT_TRIED, _words(standings), at)
    wrong = [
        each for each in counted if each.verdict not in {StepVerdict.PASSED, StepVerdict.SKIPPED}
    ]
    if wrong:
        return CapabilityStanding(subject, Readiness.NOT_READY, _words(wrong), at)
    skipped = [each for each in counted if each.verdict == StepVerdict.SKIPPED]
    if skipped:
        return CapabilityStanding(subject, Readiness.LEFT_OUT, _words(skipped), at)
    return CapabilityStanding(subject, Readiness.READY, "", at)


def _words(standings: Iterable[StepStanding]) -> str:
    return "; ".join(
        f"{each.step.name}: {each.verdict}"
        + (f", {each.evidence.words}" if each.evidence and each.evidence.words else "")
        for each in standings
    )


def is_ready(found: Iterable[CapabilityStanding]) -> bool:
    """Return whether something is ready, and nothing that counts is not."""
    words = {each.readiness for each in found}
    return Readiness.READY in words and Readiness.NOT_READY not in words
