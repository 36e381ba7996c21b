"""The bank of a simulation: it asks customers, and decides what the seed draws.

It plays another company's program by the rules of the running simulated bank, and shares only that
bank's messages with the gateway. Its own are chance, what things take, and what it forgets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hundi.kernel.records import replace
from hundi_testbed.bank import rules, states
from hundi_testbed.bank.completions import rules as completion_rules
from hundi_testbed.bank.completions.messages import CompletionAnswer
from hundi_testbed.bank.completions.rules import HoldCompletion
from hundi_testbed.bank.mandates.messages import DebitRequest
from hundi_testbed.bank.messages import (
    AuthenticateRequest,
    AuthenticationAnswer,
    AuthoriseRequest,
    CallbackBody,
    ChallengeAnswer,
    CollectRequest,
    InquireAnswer,
)
from hundi_testbed.bank.redirects.messages import RedirectRequest
from hundi_testbed.bank.redirects.rules import LEFT
from hundi_testbed.bank.rules import IssuerDecision, PaymentDecision, Status
from hundi_testbed.bank.settings import Timings
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.simulation.agreements import BANK, CARD, UPI
from hundi_testbed.simulation.bank_books import Charged, SimulatedBooks, Tell
from hundi_testbed.simulation.bank_disputes import BankDisputes
from hundi_testbed.simulation.bank_mandates import BankMandates
from hundi_testbed.simulation.bank_payouts import BankPayouts
from hundi_testbed.simulation.bank_refunds import UNDECIDED_S, BankRefunds
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

Phone = Callable[[Charged], None]
PAGES = "https://bank.example"
APP_S = timedelta(minutes=5)
PAGE = timedelta(minutes=10)
UNDECIDED = PaymentDecision(Status.PENDING, "U88", "The bank has not decided")


@dataclass(frozen=True, slots=True)
class Scanned:
    """The content of a QR, and the order that it pays.

    maximum_paise: of the mandate that it registers, 0 for none.
    """

    reference: str
    amount_paise: int
    until: datetime
    order: str
    maximum_paise: int = 0


class SimulatedBank:
    """The simulated bank.

    tell: called with each callback. charges: by reference. books, payouts, disputes, refunds,
    mandates, statements: its other parts. phone: called when a customer's app asks for consent.
    """

    def __init__(self, world: World, tell: Tell, folder: Path) -> None:
        """Start with empty books. folder: where statements are written."""
        self._world = world
        self.books = SimulatedBooks(world, tell, folder)
        self.charges = self.books.charges
        self.statements = self.books.statements
        self.phone: Phone = lambda _: None
        self.payouts = BankPayouts(world, self.books)
        self.disputes = BankDisputes(world, self.books)
        self.refunds = BankRefunds(world, self.books, self.disputes)
        self.mandates = BankMandates(world, self.books, self._debit)

    # --- what the gateway asks for ---

    def _ask(self, reference: str, method: str, paise: int, until: datetime) -> Charged:
        now = self._world.now
        payment = BankPayment(
            reference, method, paise, "INR", Status.CHALLENGE, now, expires_at=until
        )
        charge = self.charges[reference] = Charged(payment)
        return charge

    def collect(self, request: CollectRequest) -> InquireAnswer:
        """Ask a customer's app for an amount, once for each reference."""
        reference = request.reference
        if reference not in self.charges:
            charge = self._ask(reference, UPI, request.amount_paise, self._world.now + APP_S)
            charge.order = f"{reference.partition('-')[0]}/{request.note}"
            self.phone(charge)
        return self.outcome(reference)

    def challenge(self, request: AuthenticateRequest) -> ChallengeAnswer:
        """Begin the challenge of a card, once for each reference."""
        card_read = rules.read_card(request.card.number)
        assert card_read is not None
        charge = self._visited(request, CARD, "3ds")
        charge.card = card_read[0]
        return ChallengeAnswer(charge.visit, f"{PAGES}/{charge.visit}")

    def visit(self, request: RedirectRequest) -> ChallengeAnswer:
        """Begin a visit at the bank's page, once for each reference."""
        charge = self._visited(request, BANK, "visit")
        return ChallengeAnswer(charge.visit, f"{PAGES}/{charge.visit}")

    def _visited(
        self, request: AuthenticateRequest | RedirectRequest, method: str, name: str
    ) -> Charged:
        reference = request.reference
        if reference not in self.charges:
            charge = self._ask(reference, method, request.amount_paise, self._world.now + PAGE)
            charge.visit, charge.return_url = f"{name}-{self.books.number()}", request.return_url
            if request.mandate is not None:
                self.mandates.ask(reference, request.mandate.max_paise)
        return self.charges[reference]

    def _waits(self, charge: Charged) -> bool:
        """Return whether a customer can still say yes or no."""
        until = charge.payment.expires_at
        waiting = charge.payment.status is Status.CHALLENGE
        return waiting and until is not None and self._world.now < until

    def authentication(self, visit: str) -> AuthenticationAnswer:
        """Return the result of a challenge."""
        charge = next((each for each in self.charges.values() if each.visit == visit), None)
        if charge is None or charge.card is None or self._waits(charge):
            return AuthenticationAnswer("pending")
        status = charge.payment.trans_status or "N"
        return AuthenticationAnswer("done", status, rules.eci(charge.card.scheme, status))

    def authorise(self, request: AuthoriseRequest) -> InquireAnswer:
        """Charge or hold an authenticated card, once."""
        charge = self.charges[request.reference]
        if charge.payment.status is Status.AUTHENTICATED:
            charge.will = rules.card_outcome(
                IssuerDecision.APPROVE, Timings(), capture=request.capture
            )
            self._decide(charge)
        return self.outcome(request.reference)

    def complete(self, reference: str, completion: HoldCompletion) -> CompletionAnswer:
        """Capture or void a hold; a second call gets the answer of the first."""
        charge, c = self.charges.get(reference), completion
        if charge is None:
            return CompletionAnswer("declined", "12", "There is no such hold")
        standing = completion_rules.standing_answer(charge.payment, c)
        if standing is not None:
            return standing
        rrn, now = self.books.number(), self._world.now
        ended = charge.payment = completion_rules.completed(charge.payment, c, rrn, now)
        self.books.write(c.kind, reference, rrn, c.paise or ended.amount_paise)
        return completion_rules.answer_of(ended, c)

    def debit(self, request: DebitRequest) -> InquireAnswer:
        """Debit a customer by a mandate."""
        self.mandates.debit(request)
        return self.outcome(request.reference)

    def _debit(self, charge: Charged, outcome: PaymentDecision) -> None:
        if outcome.status is Status.PAID:
            self._decide(charge)
        else:
            self._move(charge, outcome, "")

    # --- what customers do ---

    def decide(self, reference: str, *, consents: bool, payer: str = "") -> None:
        """Record a customer's yes or no."""
        charge = self.charges.get(reference)
        if charge is None or not self._waits(charge):
            return
        charge.payment = replace(charge.payment, payer_vpa=payer)
        if charge.card is not None:
            trans_status = "Y" if consents else "N"
            charge.payment = states.challenged(charge.payment, trans_status, "", self._world.now)
            if not consents:
                self._tell_of(charge)
        elif consents:
            self._decide(charge)
        else:
            charge.will = LEFT if charge.visit else rules.DECLINED_BY_CUSTOMER
            self._end(charge)

    def scan(self, scanned: Scanned, *, consents: bool) -> None:
        """Let a customer pay a QR, which the bank did not know before."""
        reference = scanned.reference
        if reference in self.charges or self._world.now >= scanned.until:
            return
        charge = self._ask(reference, UPI, scanned.amount_paise, scanned.until)
        charge.order = scanned.order
        if scanned.maximum_paise:
            self.mandates.ask(reference, scanned.maximum_paise)
        self.decide(reference, consents=consents, payer="payer@simulated")

    def _decide(self, charge: Charged) -> None:
        charge.forgotten = self._world.faults.strikes(Fault.BANK_FORGETS)
        if charge.forgotten or self._world.faults.strikes(Fault.BANK_SLOW):
            self._move(charge, UNDECIDED, "")
            self._world.loop.call_later(self._world.between(*UNDECIDED_S), self._end, charge)
        else:
            self._end(charge)

    def _move(self, charge: Charged, outcome: PaymentDecision, rrn: str) -> None:
        charge.payment = states.decided(charge.payment, outcome, rrn, "", self._world.now)

    def _end(self, charge: Charged) -> None:
        self._move(charge, charge.will, self.books.number())
        payment = charge.payment
        if not charge.will.final:
            kind, state = states.entry_of(payment)
            self.books.write(
                kind, payment.reference, payment.rrn, payment.amount_paise, state=state
            )
        if payment.status is Status.PAID:
            self.mandates.approve(payment.reference)
        self._tell_of(charge)

    # --- what the bank says ---

    def _tell_of(self, charge: Charged) -> None:
        body = CallbackBody.of(self.books.event_id(), charge.payment, card=charge.card)
        self.books.send(body, charge.reference)

    def outcome(self, reference: str) -> InquireAnswer:
        """Return the outcome of a charge."""
        charge = self.charges.get(reference)
        if charge is None:
            return InquireAnswer("not_found")
        status = charge.payment.status
        gone = status is Status.CHALLENGE and not self._waits(charge)
        if gone or (status is Status.PENDING and charge.forgotten):
            return InquireAnswer("not_found")
        return InquireAnswer.of(charge.payment, charge.card)
