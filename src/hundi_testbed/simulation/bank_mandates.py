"""The mandates of a simulation's bank: notices and debits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from hundi.kernel.clock import business_day
from hundi.kernel.records import replace
from hundi_testbed.bank.mandates import rules
from hundi_testbed.bank.mandates.messages import (
    DebitRequest,
    MandateAnswer,
    NamedMandate,
    NoticeRequest,
)
from hundi_testbed.bank.mandates.rules import DebitTry
from hundi_testbed.bank.mandates.store import Mandate, Notice
from hundi_testbed.bank.rules import IssuerDecision, PaymentDecision, Status, card_outcome
from hundi_testbed.bank.settings import Timings
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.simulation.agreements import UPI
from hundi_testbed.simulation.bank_books import Charged, SimulatedBooks
from hundi_testbed.simulation.world import World

LASTS = timedelta(days=3_650)
"""How long a mandate is valid."""
DEBIT_SUCCEEDS = 0.85
"""Probability that an allowed debit succeeds."""
SHORT = card_outcome(IssuerDecision.INSUFFICIENT, Timings(), capture=True)


@dataclass(slots=True)
class BankMandate:
    """One mandate at the bank. notices: by period. tried: the period of each debit."""

    mandate: Mandate
    notices: dict[int, Notice] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)


class BankMandates:
    """The mandates at the bank. known: by reference. decide: ends a payment by a decision."""

    def __init__(
        self,
        world: World,
        books: SimulatedBooks,
        decide: Callable[[Charged, PaymentDecision], None],
    ) -> None:
        """Start without mandates."""
        self._world = world
        self._books = books
        self._decide = decide
        self.known: dict[str, BankMandate] = {}

    def ask(self, reference: str, maximum_paise: int) -> None:
        """Keep a mandate that a customer is asked to approve with a payment."""
        today = business_day(self._world.now)
        mandate = Mandate(
            reference,
            "",
            maximum_paise,
            today,
            today + LASTS,
            "ASPRESENTED",
            issuer_decision=IssuerDecision.APPROVE,
        )
        self.known[reference] = BankMandate(mandate)

    def approve(self, reference: str) -> None:
        """Make a mandate valid: its payment was paid."""
        if reference in self.known:
            known = self.known[reference]
            known.mandate = replace(known.mandate, approved=True)

    def notice(self, request: NoticeRequest) -> MandateAnswer:
        """Announce a debit to a customer; the first notice of an amount counts."""
        known, paise = self.known.get(request.mandate), request.amount_paise
        refused = rules.notice_refusal(known and known.mandate, paise)
        if known is None or refused is not None:
            return MandateAnswer("declined", refused.code if refused else "")
        earlier = known.notices.get(request.period_no)
        if earlier is None or earlier.amount_paise != paise:
            earlier = Notice(request.reference, paise, request.debit_at, self._world.now)
            known.notices[request.period_no] = earlier
        debit_from = earlier.given_at + rules.NOTICE_BEFORE
        return MandateAnswer("done", "00", name=earlier.name, debit_from=debit_from)

    def debit(self, request: DebitRequest) -> None:
        """Debit a customer by a mandate, once for each reference.

        It refuses no second debit of a period: the auditor has to find one.
        """
        reference, paise, now = request.reference, request.amount_paise, self._world.now
        if reference in self._books.charges:
            return
        known, origin = self.known.get(request.mandate), self._books.charges.get(request.mandate)
        payment = BankPayment(reference, UPI, paise, request.currency, Status.PENDING, now)
        charge = Charged(payment, order=origin.order if origin else "")
        self._books.charges[reference] = charge
        if known is not None:
            known.tried[reference] = request.period_no
        notice = known and known.notices.get(request.period_no)
        tried = DebitTry(paise, 0, now, request.notice)
        outcome = rules.outcome(known and known.mandate, notice, tried, Timings())
        if outcome.status is Status.PAID and self._world.random.random() >= DEBIT_SUCCEEDS:
            outcome = SHORT
        self._decide(charge, outcome)

    def inquire(self, request: NamedMandate) -> MandateAnswer:
        """Say how a mandate stands."""
        known = self.known.get(request.mandate)
        return rules.standing(known and known.mandate, self._world.now)

    def end(self, request: NamedMandate) -> MandateAnswer:
        """End a mandate."""
        known = self.known.get(request.mandate)
        if known is not None:
            known.mandate = replace(known.mandate, ended_at=self._world.now)
        return MandateAnswer("done", "00")
