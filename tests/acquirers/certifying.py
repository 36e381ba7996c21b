"""A certification at a stand-in: the operator's part is played as the contract's customers are."""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hundi.acquirers.certification.catalogue import steps_of
from hundi.acquirers.certification.running import StepResult, run_step
from hundi.acquirers.certification.steps import (
    Act,
    MovedAmount,
    PersonTask,
    StepRun,
    StepVerdict,
    StepWaiting,
    WebhookProof,
)
from hundi.acquirers.certification.webhooks import WebhookBody, proof_of
from hundi.acquirers.contract.payouts import HOLDER
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.sandbox import SandboxAccount, SandboxData
from hundi.acquirers.registry import Member
from hundi.instruments.card import CardNumber
from hundi.instruments.methods import CARD_PAGE, EMI_PAGE
from hundi.kernel.ids import (
    new_id,
    next_id,
    parse_check_reference,
    parse_notice_reference,
    parse_payout_reference,
    parse_refund_reference,
)
from hundi.payments.certifications import rules
from hundi.payments.certifications.rules import (
    CapabilityStanding,
    CertifiedAccount,
    Readiness,
    StepEvidence,
    StepStanding,
)

ACCOUNT = CertifiedAccount("standin", "standin", "0" * 64, "0.1.0", is_live=False)
_PAGES = frozenset({CARD_PAGE.name, EMI_PAGE.name})
_AT_BANK = frozenset({"netbanking", "wallet", "pay_later", "enach"})
NOTICE = timedelta(hours=25)
Call = Callable[[PersonTask], Awaitable[None]]


@dataclass
class PlayedPerson:
    """The operator, played by what a connector's tests know of their network.

    decline, leave: play what the contract's case has nothing for, such as a failed try on a page.
    fee_paise: what the page adds. notice: how much time the stand-in lets pass after one. ahead:
    how far the time has passed.
    """

    case: ConnectorCase
    decline: Call | None = None
    leave: Call | None = None
    fee_paise: int = 0
    notice: timedelta = NOTICE
    ahead: timedelta = field(default_factory=timedelta)

    async def begins(self, name: str, expected: str, place: str) -> None:
        del name, expected, place

    async def do(self, task: PersonTask) -> bool:
        if task.act is Act.WAIT:
            await self._wait(task)
        elif task.act in {Act.PAY, Act.APPROVE}:
            await self._pay(task)
            await self.case.settled(task.reference)
        else:
            await self._not_pay(task)
            return True
        return False

    async def _pay(self, task: PersonTask) -> None:
        case = self.case
        if task.link is not None and task.charge is not None:
            assert case.pay_link is not None
            await case.pay_link(task.charge, task.link)
        elif task.page is None:
            return
        elif task.method in _PAGES and task.charge is not None:
            assert case.pay_page is not None
            await case.pay_page(task.charge, task.page)
        elif task.method in _AT_BANK:
            if case.visit_bank is not None:
                await case.visit_bank(task.page)
            await case.pay_at_bank(task.page.url)
        else:
            await case.pass_challenge(task.page.url)

    async def _not_pay(self, task: PersonTask) -> None:
        own = self.decline if task.act is Act.DECLINE else self.leave
        if task.method in _AT_BANK and task.page is not None:
            if self.case.visit_bank is not None:
                await self.case.visit_bank(task.page)
            await self.case.leave_bank(task.page.url)
        elif own is not None:
            await own(task)
        elif task.page is not None and task.method not in _PAGES:
            await self.case.fail_challenge(task.page.url)

    async def _wait(self, task: PersonTask) -> None:
        case, reference = self.case, task.reference
        if parse_refund_reference(reference):
            await case.refund_settled(reference)
        elif parse_payout_reference(reference):
            if case.payout_settled is not None:
                await case.payout_settled(reference)
        elif parse_check_reference(reference):
            if case.check_settled is not None:
                await case.check_settled(reference)
        elif parse_notice_reference(reference):
            if "time" in task.words and case.pass_notice is not None:
                await case.pass_notice()
                self.ahead += self.notice
        else:
            await case.settled(reference)

    async def waiting(self, words: str, left_s: float) -> None:
        del words, left_s

    async def card(self, *, declined: bool) -> CardNumber | None:
        return self.case.declined_card if declined else self.case.good_card

    async def account(self, *, is_good: bool) -> SandboxAccount | None:
        number = self.case.good_account if is_good else self.case.closed_account
        return SandboxAccount(number, HOLDER)

    async def adds_fee(self) -> bool:
        return self.fee_paise > 0

    async def total(self, task: PersonTask) -> int | None:
        assert task.charge is not None
        return task.charge.amount.paise + self.fee_paise if self.fee_paise else None

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class StandinCertification:
    """The result of a certification."""

    results: Mapping[str, StepResult]
    stood: tuple[StepStanding, ...]
    capabilities: tuple[CapabilityStanding, ...]

    def is_ready(self) -> bool:
        return rules.is_ready(self.capabilities)

    def failed(self) -> dict[str, str]:
        """Return the steps that failed, or did not end, with the words."""
        wrong = {StepVerdict.FAILED, StepVerdict.OPEN}
        return {name: one.words for name, one in self.results.items() if one.verdict in wrong}

    def readiness(self) -> dict[str, Readiness]:
        return {each.subject: each.readiness for each in self.capabilities}

    def not_ready(self) -> list[str]:
        return [each.subject for each in self.capabilities if each.readiness is Readiness.NOT_READY]


def sandbox_of(case: ConnectorCase) -> SandboxData:
    return SandboxData(
        card=case.good_card,
        declined_card=case.declined_card if case.declined_card != case.good_card else None,
        good_vpa=case.good_vpa,
        nobody_vpa=case.nobody_vpa,
        good_account=SandboxAccount(case.good_account, HOLDER),
        bad_account=SandboxAccount(case.closed_account, HOLDER),
    )


async def certified(
    connector: Any,
    case: ConnectorCase,
    *,
    without: Iterable[str] = (),
    **played: Any,
) -> StandinCertification:
    """Run every step at a stand-in, and return the result. without: steps to leave out."""
    person = PlayedPerson(case, **played)

    async def sleep(_s: float) -> None: ...

    async def webhook(reference: str) -> WebhookProof | None:
        if case.webhook is None or not isinstance(connector, SendsTriggers):
            return None
        headers, body = case.webhook(reference)
        now_s = int(time.time())
        trigger = connector.read_trigger(headers, body, now_s=now_s)
        if trigger is None or reference not in trigger.references:
            return None
        return proof_of(connector, WebhookBody(headers, body, now_s))

    steps = steps_of(connector, Member(connector).can)
    results: dict[str, StepResult] = {}
    evidence: dict[str, StepEvidence] = {}
    moved: dict[str, MovedAmount] = {}
    number = new_id(person.now())
    for step in steps:
        number = next_id(person.now(), number)
        run = StepRun(
            connector=connector,
            sandbox=sandbox_of(case),
            person=person,
            waiting=StepWaiting(sleep=sleep, wait_s=20.0),
            number=number,
            resumed=False,
            moved=moved,
            most_paise=None,
            webhook=webhook,
            return_url=case.return_url,
            now=person.now,
        )
        if step.name in without:
            result = StepResult(StepVerdict.SKIPPED, "a test leaves it out", None, ())
        else:
            result = await run_step(step, run, ("a secret",))
        results[step.name] = result
        if result.moved is not None:
            moved[step.name] = result.moved
        evidence[step.name] = _entry(step.name, step.subject, result, number)
    stood = rules.stand(steps, evidence, ACCOUNT)
    return StandinCertification(results, stood, rules.capabilities(stood, abilities(connector)))


def _entry(step: str, subject: str, result: StepResult, number: int) -> StepEvidence:
    moved = result.moved
    return StepEvidence(
        ACCOUNT.name,
        number,
        step,
        subject,
        result.verdict,
        result.words,
        number,
        moved.reference if moved else "",
        moved.amount.paise if moved else 0,
        ACCOUNT.kind,
        ACCOUNT.settings_digest,
        ACCOUNT.version,
        ACCOUNT.is_live,
        result.exchanges,
        datetime.now(UTC),
    )
