"""What connectors of aggregators have in common, those with a payment page and those without.

Such an aggregator decides alone once the customer is with it. A connector adds the acquirer's
calls: how a page opens, what became of a payment or a refund, how money goes back.
"""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

from hundi.acquirers.calls.aggregators import RUPEES, while_open
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace

CURRENCY_CODE, HOLD_CODE, METHOD_CODE, STATE_CODE = (
    "HUNDI-CURRENCY",
    "HUNDI-HOLD",
    "HUNDI-METHOD",
    "HUNDI-STATE",
)
"""Our own codes for requests that are refused without calling the acquirer."""
PaymentAnswer = Approved | Declined | Unknown | NothingThere | Voided
RefundAnswer = Approved | Declined | Unknown | NothingThere


class HiddenValue:
    """A value that holds secrets, and so has no readable form: it reaches tracebacks."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Hide every field."""
        return f"{type(self).__name__}(****)"


@dataclass(frozen=True, slots=True)
class ConnectorSetup:
    """What every connector of a page is opened with.

    simulated: it is the acquirer's test environment. now_s: returns the time in Unix seconds.
    """

    name: str
    memory: Memory
    simulated: bool = False
    timeouts: Timeouts = DEFAULT_TIMEOUTS
    now_s: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class PageVisit:
    """A customer's visit to an acquirer's page.

    method: the only one that the page offers. bank: the acquirer's code of the chosen bank or
    wallet, "" where the customer chooses it there. life_s: seconds for which it may be paid.
    capture: False holds the amount.
    """

    method: str
    return_url: str
    life_s: int
    capture: bool = True
    bank: str = ""


@dataclass(frozen=True, slots=True)
class PaymentRecord:
    """The acquirer's record of a payment.

    names: its own names of a paid one, which a refund has to say.
    """

    answer: PaymentAnswer
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnlessRecorded:
    """The answer to a refund, unless the acquirer has a record of it, which then counts."""

    answer: Declined | Unknown


class PaymentAggregator(ABC):
    """One merchant account at an aggregator: inquiries and refunds.

    acquirer: its name in sentences. refund_names: the names in a `PaymentRecord` without which no
    refund can be sent. clients: the first one's breaker says whether calls are made.
    """

    acquirer: ClassVar[str]
    refund_names: ClassVar[frozenset[str]] = frozenset()
    inquiry_schedule: InquirySchedule
    refund_schedule: InquirySchedule

    def __init__(self, setup: ConnectorSetup, clients: tuple[AcquirerClient[Any], ...]) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated = setup.name, setup.simulated
        self.breaker, self._clients = clients[0].breaker, clients
        self._memory, self._now_s = setup.memory, setup.now_s

    async def close(self) -> None:
        """Close the connection pools."""
        await asyncio.gather(*(each.close() for each in self._clients))

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def inquire(self, reference: str) -> PaymentAnswer:
        """Return the acquirer's state of a payment.

        A failed try ends nothing while its page or link is open.
        """
        words = await self._memory.known(reference)
        return self._while_open((await self._record(reference, words)).answer, words)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund under our own reference.

        If the acquirer refuses it, its record of the refund decides.
        """
        if order.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, f"{self.acquirer} pays in rupees.")
        paid = await self._paid(order.original)
        if not isinstance(paid, Mapping):
            return paid
        words = await self._memory.keep(order.reference, self._refund_words(order, paid))
        answer = await self._give_back(order, paid, words)
        if isinstance(answer, UnlessRecorded):
            record = await self.inquire_refund(order.reference)
            answer = answer.answer if isinstance(record, NothingThere) else record
        if isinstance(answer, Approved) and answer.amount != order.amount:
            return Unknown(message=f"{self.acquirer} gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> RefundAnswer:
        """Return the acquirer's state of a refund; one that we never sent is not asked about."""
        words = await self._memory.known(reference)
        return await self._refund_record(reference, words) if words else NothingThere()

    @abstractmethod
    async def _record(self, reference: str, words: Mapping[str, str], /) -> PaymentRecord:
        """Return the acquirer's record of a payment. words: those that we have of it."""

    @abstractmethod
    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        """Return what is stored of a refund before it is sent: at least what finds it again."""

    @abstractmethod
    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], words: Mapping[str, str], /
    ) -> Approved | Declined | Unknown | UnlessRecorded:
        """Send a refund. paid: the payment's words, with its names. words: the refund's."""

    @abstractmethod
    async def _refund_record(self, reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        """Return the acquirer's state of a refund that may have been sent."""

    async def _begin(
        self, charge: Charge, way: str, life_s: int, *, hold: bool = False
    ) -> Declined | Unknown | None:
        """Store the only use of a reference, and until when it may be paid.

        None when the acquirer can be called.
        """
        if charge.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, f"{self.acquirer} takes rupees.")
        use = {"asked": f"{charge.amount.paise} {way}", "hold": "1" if hold else "0"}
        until = {"until": str(int(self._now_s()) + life_s)}
        stored = await self._memory.keep(charge.reference, {**use, **until})
        if any(stored[name] != value for name, value in use.items()):
            return Unknown(message="this reference was used for something else")
        return None

    async def _paid(self, original: str) -> Mapping[str, str] | Declined | Unknown:
        """Return the words of a captured payment, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if self.refund_names <= words.keys():
            return words
        record = await self._record(original, words)
        answer = self._while_open(record.answer, words)
        if isinstance(answer, Unknown):
            return replace(answer, sent=False)
        if not isinstance(answer, Approved) or answer.authorised_only:
            return Declined(STATE_CODE, f"{self.acquirer} has captured nothing for this payment.")
        if not self.refund_names <= record.names.keys():
            return Unknown(message=f"{self.acquirer} does not name this payment", sent=False)
        return await self._memory.keep(original, record.names)

    def _while_open(self, answer: PaymentAnswer, words: Mapping[str, str]) -> PaymentAnswer:
        return while_open(answer) if self._now_s() < float(words.get("until", 0)) else answer

    def _link(self, url: str | Unknown, expires_in_s: int) -> UpiLink | Unknown:
        """Return a link that ends when we asked for it."""
        return url if isinstance(url, Unknown) else UpiLink(url, self._time(expires_in_s))

    def _time(self, after_s: float = 0) -> datetime:
        """Return the time, or a later one, UTC."""
        return datetime.fromtimestamp(self._now_s() + after_s, UTC)


class PageAggregator(PaymentAggregator):
    """One merchant account at an aggregator with a payment page of its own.

    page_life_s_min: how long a page can be paid at least, whatever we ask for. checkout_origins:
    where its page is.
    """

    page_life_s_min: ClassVar[int] = 0

    def __init__(
        self,
        setup: ConnectorSetup,
        clients: tuple[AcquirerClient[Any], ...],
        checkout_origins: tuple[str, ...],
        *,
        page_methods: frozenset[str] = frozenset({"card"}),
        holds: bool = False,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(setup, clients)
        self.checkout_origins = checkout_origins
        self._page_methods, self._holds = page_methods, holds

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the acquirer's page, with one method only."""
        if method not in self._page_methods:
            return Declined(METHOD_CODE, f"{self.acquirer}'s page does not take {method} here.")
        if not capture and not self._holds:
            return Declined(HOLD_CODE, f"{self.acquirer} cannot hold an amount here.")
        life_s = max(expires_in_s, self.page_life_s_min)
        return await self._visit(charge, PageVisit(method, return_url, life_s, capture))

    @abstractmethod
    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Return the acquirer's page for a visit."""

    async def _visit(
        self, charge: Charge, visit: PageVisit, way: str = "page"
    ) -> Redirect | Declined | Unknown:
        refused = await self._begin(charge, way, visit.life_s, hold=not visit.capture)
        return refused or await self._open_page(charge, visit)


def amount_asked(words: Mapping[str, str]) -> Money | None:
    """Return the amount for which a reference is used, None if there is no record of it."""
    paise = words.get("asked", "").partition(" ")[0]
    return Money(int(paise)) if paise else None
