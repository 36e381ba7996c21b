"""The acquirer of a simulation: the port's calls, with faults on their way to the bank."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Authentication,
    BankCallback,
    Declined,
    NothingThere,
    Redirect,
    Unknown,
    Voided,
)
from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder
from hundi.acquirers.sandbox import rules
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi_testbed.bank.completions.rules import VOID, capture_of
from hundi_testbed.bank.messages import InquireAnswer
from hundi_testbed.bank.rules import BankCardFacts, read_card
from hundi_testbed.simulation.acquirer_money import PROOF, SIGNATURE, AcquirerMoney
from hundi_testbed.simulation.bank import APP_S, PAGE, SimulatedBank
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import SimulatedProcess, World

Said = TypeVar("Said")
NAME = "simulated"
PAGES = "https://bank.example"
GAPS_S = (3, 3, 5, 5, 10, 10, 20, 20, 30, 60, 60, 120, 300)
WAITS_S = 10.0
"""Seconds that a call waits for its answer."""
LATE_S = (WAITS_S, 40.0)
"""When a call arrives after its caller gave up: in the minute that the gateway allows for it."""


class SimulatedAcquirer(AcquirerMoney):
    """The connector of one process of the gateway."""

    name = NAME
    simulated = True
    names_payer_accounts = False
    takes_card_mandates = True
    browser_origins = redirect_origins = (PAGES,)
    inquiry_schedule = InquirySchedule(GAPS_S)
    refund_schedule = InquirySchedule(GAPS_S)

    def __init__(self, world: World, bank: SimulatedBank, process: SimulatedProcess) -> None:
        """Connect a process and the bank."""
        self._world = world
        self._bank = bank
        self._process = process

    async def close(self) -> None:
        """Close nothing."""

    def reachable(self) -> bool:
        """Return True: calls are made."""
        return True

    async def _call(self, name: str, about: str, ask: Callable[[], Said]) -> Said | Unknown:
        """Send one call, which a fault may lose, double or delay."""
        process, faults = self._process, self._world.faults
        await process.travel()
        process.may_die()
        self._world.done[f"bank {name}"] += 1
        fault = faults.first(
            Fault.BANK_REFUSED,
            Fault.BANK_CALL_LOST,
            Fault.BANK_CALL_LATE,
            Fault.BANK_CALL_TWICE,
            Fault.BANK_REPLY_LOST,
        )
        charge = self._bank.charges.get(about)
        self._world.note(
            f"{process.name} asks bank {name} {about} {fault or ''}", charge.order if charge else ""
        )
        if fault is Fault.BANK_REFUSED:
            return Unknown(sent=False, message="The bank cannot be reached")
        if fault is Fault.BANK_CALL_LOST:
            return await self._in_vain()
        if fault is Fault.BANK_CALL_LATE:
            self._world.loop.call_later(self._world.between(*LATE_S), ask)
            return await self._in_vain()
        answer = ask()
        if fault is Fault.BANK_CALL_TWICE:
            self._world.loop.call_later(self._world.between(*LATE_S), ask)
        if fault is Fault.BANK_REPLY_LOST:
            return await self._in_vain()
        await process.travel()
        process.may_die()
        return answer

    async def _in_vain(self) -> Unknown:
        await asyncio.sleep(WAITS_S)
        self._process.check()
        return Unknown(message="The bank did not answer in time")

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the bank's record of a reference."""
        word = await self._ask("inquire", reference, lambda: self._bank.outcome(reference))
        return word if isinstance(word, Unknown) else rules.outcome(word)

    def payee_address(self, merchant_id: int) -> str:
        """Return the UPI address of this merchant's payments."""
        return f"m{merchant_id}@simulated"

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        """Ask the payer's app for an amount."""
        del payer_vpa, payee_name, expires_in_s

        def ask() -> InquireAnswer:
            is_repeat = charge.reference in self._bank.charges
            visit = self._bank.ask_customer(charge, APP_S)
            if not is_repeat:
                visit.order = f"{charge.reference.partition('-')[0]}/{note}"
                self._bank.phone(visit)
            return self._bank.outcome(charge.reference)

        word = await self._ask("collect", charge.reference, ask)
        return word if isinstance(word, Unknown) else rules.collect_outcome(word)

    async def authenticate(
        self, charge: Charge, card: CardNumber, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Begin a challenge."""
        card_read = read_card(card.number)
        assert card_read is not None
        return await self._call(
            "authenticate",
            charge.reference,
            lambda: self._page(charge, "3ds", return_url, card_read[0]),
        )

    def _page(
        self, charge: Charge, visit: str, return_url: str, card: BankCardFacts | None = None
    ) -> Redirect:
        charged = self._bank.ask_customer(
            charge, PAGE, visit=visit, return_url=return_url, card=card
        )
        return Redirect(f"{PAGES}/{charged.visit}", charged.visit)

    async def authentication(self, authentication_id: str) -> Authentication | Unknown:
        """Return the result of a challenge."""
        word = await self._ask(
            "authentication", "", lambda: self._bank.authentication(authentication_id)
        )
        return word if isinstance(word, Unknown) else rules.challenge_end(word)

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge or hold the amount."""
        del authentication_id
        word = await self._ask(
            "authorise",
            charge.reference,
            lambda: self._bank.authorise(charge.reference, capture=capture),
        )
        return word if isinstance(word, Unknown) else rules.asked_outcome(word, charge.amount)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold."""
        completion = capture_of(amount.paise)
        word = await self._ask(
            "capture", original, lambda: self._bank.complete(original, completion)
        )
        return word if isinstance(word, Unknown) else rules.asked_outcome(word, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void a hold."""
        word = await self._ask("void", original, lambda: self._bank.complete(original, VOID))
        return word if isinstance(word, Unknown) else rules.void_outcome(word)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount."""
        word = await self._ask("refund", order.original, lambda: self._bank.refund(order))
        return word if isinstance(word, Unknown) else rules.moved_outcome(word, order.amount)

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the bank's record of a refund."""
        word = await self._ask(
            "inquire refund", reference, lambda: self._bank.refund_outcome(reference)
        )
        return word if isinstance(word, Unknown) else rules.refund_outcome(word)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the only bank."""
        return (BankEntry("netbanking", "SIMB", "Simulated Bank"),)

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Begin a visit at the bank's page."""
        del method, bank_code
        return await self._call(
            "start redirect", charge.reference, lambda: self._page(charge, "visit", return_url)
        )

    async def give_notice(self, notice: MandateNotice) -> Accepted | Declined | Unknown:
        """Announce a debit to the customer."""
        word = await self._ask("give notice", notice.mandate, lambda: self._bank.notice(notice))
        return word if isinstance(word, Unknown) else rules.acceptance(word)

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit the customer."""
        word = await self._ask("debit mandate", debit.mandate, lambda: self._bank.debit(debit))
        return word if isinstance(word, Unknown) else rules.moved_outcome(word, debit.amount)

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate."""
        word = await self._ask("end mandate", mandate, lambda: self._bank.end_mandate(mandate))
        return word if isinstance(word, Unknown) else rules.acceptance(word)

    async def books(self, after: str = "") -> BookPage | Unknown:
        """Return all of the books."""
        del after
        return BookPage(tuple(self._bank.books))

    def read_callback(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> BankCallback | None:
        """Return the bank's answer at the time of its callback."""
        del now_s
        return rules.read_callback(body) if headers.get(SIGNATURE) == PROOF else None

    def claimed_reference(self, body: bytes) -> str:
        """Return the reference in a body."""
        return rules.claimed_reference(body)
