"""The actions of certifications: run the steps of an account, and store what came back."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hundi import __version__
from hundi.acquirers.certification.catalogue import steps_of
from hundi.acquirers.certification.paying_out import PAYOUTS
from hundi.acquirers.certification.running import StepResult, run_step
from hundi.acquirers.certification.steps import (
    CertificationStep,
    CertifyingPerson,
    MovedAmount,
    StepRun,
    StepVerdict,
    StepWaiting,
    WebhookProof,
)
from hundi.acquirers.certification.webhooks import CERTIFIED, WebhookBody, proof_of
from hundi.acquirers.kinds import certified_fields, kind_of
from hundi.acquirers.port.answers import Approved
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import SendsTriggers, Trigger
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.sandbox import SandboxData
from hundi.acquirers.registry import Member
from hundi.infra.postgres.database import Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import NO_MERCHANT, new_id, next_id, reference
from hundi.payments.certifications import rules, store
from hundi.payments.certifications.rules import (
    DIGEST_PURPOSE,
    CapabilityStanding,
    CertifiedAccount,
    Readiness,
    StepEvidence,
    StepStanding,
    digest_of,
    goes_on,
    moved_by,
)
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

ACT = "acquirer.certify"
"""The act of a run in the trail."""


class StepRefusedError(ValueError):
    """A step cannot be run as it was asked for; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificationContext:
    """Dependencies of a certification.

    steps: all of the account. secrets: values of its settings, kept out of the evidence.
    most_paise: of one step, None in a sandbox. who: the person, for the trail. now: returns the
    time, UTC.
    """

    db: Database
    account: CertifiedAccount
    connector: Connector
    steps: Sequence[CertificationStep]
    sandbox: SandboxData
    person: CertifyingPerson
    waiting: StepWaiting
    secrets: Collection[str]
    most_paise: int | None
    return_url: str
    who: Who
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSteps:
    """Which steps a run takes.

    only: the names of steps, () for all that have not passed. skips: a reason by the name of a step
    that is left out. again: those that passed as well.
    """

    only: Collection[str] = ()
    skips: Mapping[str, str] = field(default_factory=dict)
    again: bool = False


@dataclass(frozen=True, slots=True)
class AccountCertification:
    """How an account stands. steps: each with its newest evidence.

    unproven: the settings that say that a capability is certified, although it is not ready.
    """

    account: CertifiedAccount
    steps: tuple[StepStanding, ...]
    capabilities: tuple[CapabilityStanding, ...]
    unproven: tuple[str, ...]

    @property
    def is_ready(self) -> bool:
        """Return whether something is ready, and nothing that counts is not."""
        return rules.is_ready(self.capabilities)


def account_of(member: Member, fields: Mapping[str, Any], vault: Vault) -> CertifiedAccount:
    """Return an account as it is now. fields: all, its secrets and its kind among them."""
    return CertifiedAccount(
        member.connector.name,
        str(fields["kind"]),
        digest_of(fields, vault.derive_oldest(DIGEST_PURPOSE)),
        __version__,
        not member.connector.simulated,
    )


async def certification_of(
    db: Queries, vault: Vault, member: Member, fields: Mapping[str, Any]
) -> AccountCertification:
    """Return how an account stands, by its newest evidence. fields: as in `account_of`.

    Raises AcquirerConfigurationError.
    """
    account, name = account_of(member, fields, vault), member.connector.name
    steps = steps_of(member.connector, member.can)
    stood = rules.stand(steps, await store.newest(db, name), account)
    capabilities = rules.capabilities(stood, abilities(member.connector))
    ready = {each.subject for each in capabilities if each.readiness is Readiness.READY}
    said = certified_fields(kind_of(name, fields), fields)
    return AccountCertification(
        account,
        stood,
        capabilities,
        tuple(field for field, capability in said.items() if capability not in ready),
    )


async def standings(context: CertificationContext) -> tuple[StepStanding, ...]:
    """Return how each step of the account stands."""
    newest = await store.newest(context.db, context.account.name)
    return rules.stand(context.steps, newest, context.account)


async def certify(
    context: CertificationContext, wanted: WantedSteps
) -> AsyncIterator[StepEvidence]:
    """Run steps one after the other, and yield each result once it is stored.

    Raises StepRefusedError for a step that the account has not, or that moved money and cannot be
    repeated alone. With real money a payout that has passed is never repeated. The trail has an
    entry of each run before anything is called.
    """
    names = {each.name for each in context.steps}
    if unknown := sorted({*wanted.only, *wanted.skips} - names):
        message = f"this account has no step {', '.join(unknown)}: {', '.join(sorted(names))}"
        raise StepRefusedError(message)
    paid_out = await _paid_out(context)
    if repeated := sorted(paid_out.intersection(wanted.only)):
        message = f"{', '.join(repeated)} has passed, and would pay out real money again"
        raise StepRefusedError(message)
    _refuse_repeats(await standings(context), wanted)
    await _record(context, wanted)
    for place_no, step in enumerate(context.steps, 1):
        stood = {each.step.name: each for each in await standings(context)}
        standing = stood[step.name]
        if step.name in wanted.skips:
            yield await _keep(
                context, step, 0, StepResult(StepVerdict.SKIPPED, wanted.skips[step.name], None, ())
            )
        elif step.name not in paid_out and _is_wanted(standing, wanted):
            place = f"{place_no} of {len(context.steps)}"
            await context.person.begins(step.name, step.expected, place)
            yield await _run(context, standing, moved_by(stood.values()))


async def _paid_out(context: CertificationContext) -> frozenset[str]:
    """Return the steps that have paid out real money."""
    if not context.account.is_live:
        return frozenset()
    payouts = {each.name for each in context.steps if each.subject == PAYOUTS}
    return await store.passed_live(context.db, context.account) & payouts


async def _record(context: CertificationContext, wanted: WantedSteps) -> None:
    detail: dict[str, object] = {"is_live": context.account.is_live}
    if context.most_paise is not None:
        detail["most_paise"] = context.most_paise
    if wanted.only:
        detail["steps"] = sorted(wanted.only)
    if wanted.skips:
        detail["skips"] = sorted(wanted.skips)
    if wanted.again:
        detail["again"] = True
    name, now = context.account.name, context.now()
    await trail.record(context.db, NO_MERCHANT, context.who, ACT, name, now, **detail)


def _refuse_repeats(stood: Collection[StepStanding], wanted: WantedSteps) -> None:
    for each in stood:
        is_moved = each.verdict == StepVerdict.PASSED and each.evidence and each.evidence.moved
        if each.step.name in wanted.only and is_moved and not each.step.is_payment:
            message = (
                f"{each.step.name} has passed, and would move money again: begin with"
                f" {' or '.join(each.step.after)}, or repeat everything with --again"
            )
            raise StepRefusedError(message)


def _is_wanted(standing: StepStanding, wanted: WantedSteps) -> bool:
    if wanted.only:
        return standing.step.name in wanted.only
    return wanted.again or standing.verdict not in {StepVerdict.PASSED, StepVerdict.SKIPPED}


async def _run(
    context: CertificationContext, standing: StepStanding, moved: Mapping[str, MovedAmount]
) -> StepEvidence:
    """Run one step: its references are stored before anything is called."""
    step, before = standing.step, goes_on(standing)
    is_resumed = bool(before) and (not step.is_payment or await _is_paid(context, before))
    number = before if is_resumed else new_id(context.now())
    await _keep(context, step, number, StepResult(StepVerdict.BEGUN, "", None, ()))

    async def webhook(reference: str) -> WebhookProof | None:
        return await store.webhook(context.db, context.account.name, reference)

    run = StepRun(
        connector=context.connector,
        sandbox=context.sandbox,
        person=context.person,
        waiting=context.waiting,
        number=number,
        resumed=is_resumed,
        moved=moved,
        most_paise=context.most_paise,
        webhook=webhook,
        return_url=context.return_url,
        now=context.now,
    )
    return await _keep(context, step, number, await run_step(step, run, context.secrets))


async def _is_paid(context: CertificationContext, number: int) -> bool:
    """Return whether a payment was made while nobody looked."""
    answer = await context.connector.inquire(reference(NO_MERCHANT, number))
    return isinstance(answer, Approved)


async def _keep(
    context: CertificationContext, step: CertificationStep, number: int, result: StepResult
) -> StepEvidence:
    account, now = context.account, context.now()
    newest = await store.newest(context.db, account.name)
    last = max((each.evidence_id for each in newest.values()), default=0)
    evidence = StepEvidence(
        account=account.name,
        evidence_id=next_id(now, last),
        step=step.name,
        subject=step.subject,
        verdict=result.verdict,
        words=result.words,
        number=number,
        moved_reference=result.moved.reference if result.moved else "",
        moved_paise=result.moved.amount.paise if result.moved else 0,
        kind=account.kind,
        settings_digest=account.settings_digest,
        version=account.version,
        is_live=account.is_live,
        exchanges=result.exchanges,
        at=now,
    )
    await store.insert(context.db, evidence)
    return evidence


async def note_webhook(
    db: Queries,
    account: str,
    connector: SendsTriggers,
    trigger: Trigger,
    arrived: WebhookBody,
) -> None:
    """Store what becomes of a webhook about certifications that is changed on its way."""
    certified = [each for each in trigger.references if each.startswith(CERTIFIED)]
    if certified:
        proof = proof_of(connector, arrived)
        for each in certified:
            await store.keep_webhook(db, account, each, proof)
