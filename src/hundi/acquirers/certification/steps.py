"""A certification's steps: what one is, what it gets, and how it waits for people and acquirers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge, Connector
from hundi.acquirers.port.sandbox import SandboxAccount, SandboxData
from hundi.instruments.card import CardNumber
from hundi.kernel.ids import (
    NO_MERCHANT,
    check_reference,
    notice_reference,
    payout_reference,
    reference,
    refund_reference,
)
from hundi.kernel.money import Money, rupees

_Answer = TypeVar("_Answer")
_Kind = TypeVar("_Kind")
USUAL = Money(2_00)
"""What a step pays, where nothing else is demanded: a part of it, a rupee, can be refunded."""


class StepVerdict(StrEnum):
    """How a step of a certification ended."""

    BEGUN = "begun"
    """It was interrupted: the next run goes on with its reference."""
    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"
    """Its time has not come, or a person or the acquirer took too long: it goes on later."""
    UNAVAILABLE = "unavailable"
    """The account or its sandbox has nothing to try it with, or another step comes first."""
    SKIPPED = "skipped"
    """The operator left it out, and said why."""


class StepFailedError(Exception):
    """The account did not do what its connector promises; the text says what."""


class StepOpenError(Exception):
    """A step cannot end now, and goes on in a later run; the text says when."""


class StepUnavailableError(Exception):
    """A step cannot be tried with this account; the text says why."""


class Act(StrEnum):
    """What a person does in a step."""

    PAY = "pay"
    DECLINE = "decline"
    """Try to pay, so that it is declined."""
    LEAVE = "leave"
    APPROVE = "approve"
    """Approve a mandate, and pay with it."""
    WAIT = "wait"
    """Nothing: the acquirer works."""


@dataclass(frozen=True, slots=True)
class PersonTask:
    """What a person is to do, and where.

    page: the acquirer's page, link: its UPI link. reference: of what is waited for. words: in a
    sentence. method: the method of attempt. authentication: the challenge, where the card is
    charged after it.
    """

    act: Act
    words: str
    reference: str
    method: str = ""
    page: Redirect | None = None
    link: UpiLink | None = None
    charge: Charge | None = None
    authentication: str | None = None


class CertifyingPerson(Protocol):
    """The operator at the terminal."""

    async def begins(self, name: str, expected: str, place: str) -> None:
        """Say that a step begins, and what must come back. place: such as 3 of 14."""
        ...

    async def do(self, task: PersonTask) -> bool:
        """Say what to do; return whether the person said that it is done.

        It waits for that only where nobody else can tell: a try that failed, a page that was left.
        """
        ...

    async def waiting(self, words: str, left_s: float) -> None:
        """Say that a step still waits; called between two questions."""
        ...

    async def card(self, *, declined: bool) -> CardNumber | None:
        """Return a card to type, None where there is none."""
        ...

    async def account(self, *, is_good: bool) -> SandboxAccount | None:
        """Return a bank account, or one that takes nothing; None where there is none."""
        ...

    async def adds_fee(self) -> bool:
        """Return whether the acquirer adds a fee for its customers, and the person sees it."""
        ...

    async def total(self, task: PersonTask) -> int | None:
        """Return the paise that the acquirer asked of the customer; None where nobody saw it."""
        ...


@dataclass(frozen=True, slots=True)
class MovedAmount:
    """What a step moved. at: when, UTC."""

    reference: str
    amount: Money
    at: datetime


@dataclass(frozen=True, slots=True)
class WebhookProof:
    """What was found about a webhook that came in.

    refused: the same webhook, changed and without its proof, is refused. covers: so it is with its
    proof, so that the proof is of this body.
    """

    refused: bool
    covers: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWaiting:
    """How long a step waits. wait_s, gap_s: in all, and between two questions."""

    sleep: Callable[[float], Awaitable[None]]
    wait_s: float
    gap_s: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    """What a step gets.

    number: makes its references; the same one after an interruption. resumed: the number was used
    before. moved: by the step's name, what earlier steps moved. most_paise: the bound of one step
    with real money, None in a sandbox. webhook: returns what came in about a reference. now:
    returns the time, UTC.
    """

    connector: Connector
    sandbox: SandboxData
    person: CertifyingPerson
    waiting: StepWaiting
    number: int
    resumed: bool
    moved: Mapping[str, MovedAmount]
    most_paise: int | None
    webhook: Callable[[str], Awaitable[WebhookProof | None]]
    return_url: str
    now: Callable[[], datetime]

    @property
    def reference(self) -> str:
        """Return the reference of the step's payment or debit, of no merchant."""
        return reference(NO_MERCHANT, self.number)

    @property
    def refund(self) -> str:
        """Return the reference of the step's refund."""
        return refund_reference(NO_MERCHANT, self.number)

    @property
    def payout(self) -> str:
        """Return the reference of the step's payout."""
        return payout_reference(NO_MERCHANT, self.number)

    @property
    def check(self) -> str:
        """Return the reference of the step's check of an account."""
        return check_reference(NO_MERCHANT, self.number)

    @property
    def notice(self) -> str:
        """Return the reference of the step's notice."""
        return notice_reference(NO_MERCHANT, self.number)

    def amount(self, least_paise: int = 0) -> Money:
        """Return what the step moves. Raises StepUnavailableError above the bound."""
        most = self.most_paise
        paise = max(least_paise, USUAL.paise if most is None else min(USUAL.paise, most))
        if most is not None and paise > most:
            message = f"it takes {rupees(paise)}, which is more than --live allows for a step"
            raise StepUnavailableError(message)
        return Money(paise)

    def earlier(self, *names: str) -> MovedAmount:
        """Return what the first of these steps moved. Raises StepUnavailableError for none."""
        moved = next((self.moved[name] for name in names if name in self.moved), None)
        if moved is None:
            message = f"{' or '.join(names)} has to pass first"
            raise StepUnavailableError(message)
        return moved

    async def until(
        self,
        call: Callable[[], Awaitable[_Answer]],
        is_decided: Callable[[Any], bool],
        task: PersonTask,
        wait_s: float | None = None,
    ) -> _Answer:
        """Let a person do something, and ask until it is decided or the time is over.

        wait_s: the time, where it is another than that of every step.
        """
        await self.person.do(task)
        return await self.ask(call, is_decided, task, wait_s)

    async def ask(
        self,
        call: Callable[[], Awaitable[_Answer]],
        is_decided: Callable[[Any], bool],
        task: PersonTask,
        wait_s: float | None = None,
    ) -> _Answer:
        """Ask until it is decided or the time is over, as `until` does."""
        left_s = self.waiting.wait_s if wait_s is None else min(wait_s, self.waiting.wait_s)
        answer = await call()
        while not is_decided(answer) and left_s > 0:
            await self.person.waiting(task.words, left_s)
            await self.waiting.sleep(self.waiting.gap_s)
            left_s -= self.waiting.gap_s
            answer = await call()
        return answer


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How a step passed. words: what came back. moved: what later steps go on with."""

    words: str
    moved: MovedAmount | None = None


StepCall = Callable[[StepRun], Awaitable[StepOutcome]]


@dataclass(frozen=True, slots=True)
class CertificationStep:
    """One step. subject: the capability, or other heading, that it proves.

    expected: what must come back. after: it goes on with what the first of these steps moved.
    optional: where it cannot be tried, its subject is ready without it. is_payment: after an
    interruption it begins with a new reference, unless the old one was paid; any other step goes on
    with its own, which moves money once.
    """

    name: str
    subject: str
    expected: str
    call: StepCall
    after: tuple[str, ...] = ()
    optional: bool = False
    is_payment: bool = False


def demand(holds: object, promise: str) -> None:
    """Raise StepFailedError with the promise unless it is kept."""
    if not holds:
        raise StepFailedError(promise)


def demand_kind(answer: object, kind: type[_Kind], promise: str) -> _Kind:
    """Return an answer of this kind. Raises StepFailedError with the promise for any other."""
    if not isinstance(answer, kind):
        raise StepFailedError(promise)
    return answer


def told(answer: object) -> str:
    """Return an answer of an acquirer in words, without anything of a person."""
    name = type(answer).__name__
    code, message = getattr(answer, "code", ""), getattr(answer, "message", "")
    words = " ".join(each for each in (code, message) if each)
    return f"{name} ({words})" if words else name
