"""The bank of a simulation: it keeps payments, and decides what the seed draws.

It plays another company's program by the rules of the running simulated bank, whose messages it
answers. Its own are chance, the time that things take, and what it forgets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec

from hundi.acquirers.port.books import BookEntry
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.clock import business_day
from hundi.kernel.records import replace
from hundi_testbed.bank import rules, states
from hundi_testbed.bank.completions import rules as completion_rules
from hundi_testbed.bank.completions.messages import CompletionAnswer
from hundi_testbed.bank.completions.rules import Completion, Hold
from hundi_testbed.bank.disputes import rules as dispute_rules
from hundi_testbed.bank.mandates import rules as mandate_rules
from hundi_testbed.bank.mandates.messages import MandateAnswer
from hundi_testbed.bank.mandates.rules import DebitTry
from hundi_testbed.bank.mandates.store import Mandate, Notice
from hundi_testbed.bank.messages import AuthenticationAnswer, CallbackBody, InquireAnswer
from hundi_testbed.bank.redirects.rules import LEFT
from hundi_testbed.bank.refunds import rules as refund_rules
from hundi_testbed.bank.refunds.messages import BankRefundAnswer, refund_news
from hundi_testbed.bank.refunds.rules import BankRefund, RefundableDebit, RefundInstruction
from hundi_testbed.bank.rules import BankCardFacts, IssuerDecision, PaymentDecision, Status
from hundi_testbed.bank.settings import Timings
from hundi_testbed.bank.statements.rules import movement
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.simulation.agreements import BANK, CARD, UPI
from hundi_testbed.simulation.bank_books import BankMandate, Charged, Scanned
from hundi_testbed.simulation.bank_disputes import BankDisputes
from hundi_testbed.simulation.bank_payouts import BankPayouts
from hundi_testbed.simulation.bank_statements import BankStatements
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

UNDECIDED_S = (20.0, 8 * 3600.0)
"""How long a payment may stay pending at the bank."""
APP_S = timedelta(minutes=5)
PAGE = timedelta(minutes=10)
UNDECIDED = PaymentDecision(Status.PENDING, "U88", "The bank has not decided")
YEARS = timedelta(days=3_650)
"""How long a mandate is valid."""
_DEBIT_SUCCEEDS = 0.85
_TIMINGS = Timings()


@dataclass(frozen=True, slots=True)
class BankNews:
    """A callback of the bank. body: what it sends. of_dispute: the gateway may refuse it."""

    reference: str
    body: bytes
    of_dispute: bool = False


Tell = Callable[[BankNews], None]


class SimulatedBank:
    """The simulated bank.

    tell: called with each callback. charges, refunds, mandates: by reference. payouts, disputes,
    statements: its other parts. phone: called when a customer's app asks for consent.
    """

    def __init__(self, world: World, tell: Tell, folder: Path) -> None:
        """Start with empty books. folder: where statements are written."""
        self._world = world
        self._tell = tell
        self.charges: dict[str, Charged] = {}
        self.refunds: dict[str, BankRefund] = {}
        self.mandates: dict[str, BankMandate] = {}
        self.books: list[BookEntry] = []
        self.phone: Callable[[Charged], None] = lambda _: None
        self._numbers = self._events = 0
        self.statements = BankStatements(world, folder)
        self.payouts = BankPayouts(world, self.books, self.statements.move)
        self.disputes = BankDisputes(world, self._tell_of_dispute, self._charge_back)

    def _number(self) -> str:
        self._numbers += 1
        return f"{self._numbers:012d}"

    def _event_id(self) -> str:
        self._events += 1
        return f"event-{self._events}"

    def _book(
        self, kind: str, reference: str, rrn: str, paise: int, name: str = "", state: str = "done"
    ) -> None:
        """Write a movement. name: its name in statements, if it is not the reference."""
        self.books.append(BookEntry(self._world.now, kind, reference, rrn, paise, state))
        charge = self.charges.get(reference)
        if state == "done" and kind not in {"authorise", "void"}:
            method = charge.payment.method if charge else UPI
            line = movement(kind, method, name or reference, rrn, paise)
            self.statements.movements.append(line)
        if charge and state == "done" and kind in {"debit", "capture"}:
            charge.moved_at = self._world.now
        words = kind if state == "done" else f"{state} {kind}"
        self._world.note(f"bank books {words} {reference} {paise}", charge.order if charge else "")

    def _charge_back(self, reference: str, paise: int) -> str:
        rrn = self._number()
        self._book("chargeback", reference, rrn, paise)
        return rrn

    def _send(self, news: msgspec.Struct, reference: str, *, of_dispute: bool = False) -> None:
        self._tell(BankNews(reference, msgspec.json.encode(news), of_dispute))

    def _tell_of_dispute(self, news: msgspec.Struct, reference: str) -> None:
        self._send(news, reference, of_dispute=True)

    def _tell_of_payment(self, charge: Charged) -> None:
        body = CallbackBody.of(self._event_id(), charge.payment, card=charge.card)
        self._send(body, charge.reference)

    # --- what the gateway asks for ---

    def ask_customer(
        self,
        charge: Charge,
        life: timedelta,
        *,
        visit: str = "",
        return_url: str = "",
        card: BankCardFacts | None = None,
    ) -> Charged:
        """Ask a customer for an amount, once for each reference."""
        earlier = self.charges.get(charge.reference)
        if earlier is not None:
            return earlier
        now, amount = self._world.now, charge.amount
        method = CARD if card else BANK if visit else UPI
        payment = BankPayment(
            charge.reference,
            method,
            amount.paise,
            amount.currency,
            Status.CHALLENGE,
            now,
            expires_at=now + life,
        )
        visit = visit and f"{visit}-{self._number()}"
        new = Charged(payment, visit=visit, return_url=return_url, card=card)
        if charge.mandate is not None:
            self._ask_for_mandate(charge.reference, charge.mandate.maximum.paise)
        self.charges[charge.reference] = new
        return new

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

    def authorise(self, reference: str, *, capture: bool) -> InquireAnswer:
        """Charge an authenticated card, once."""
        charge = self.charges[reference]
        if charge.payment.status is Status.AUTHENTICATED:
            charge.will = rules.card_outcome(IssuerDecision.APPROVE, _TIMINGS, capture=capture)
            self._decide(charge)
        return self.outcome(reference)

    def complete(self, reference: str, completion: Completion) -> CompletionAnswer:
        """Capture or void a hold; a second call gets the answer of the first."""
        charge = self.charges.get(reference)
        if charge is None:
            return CompletionAnswer("declined", "12", "There is no such hold")
        payment = charge.payment
        ended_as = "capture" if payment.captured_paise else ""
        ended_as = "void" if payment.status is Status.VOIDED else ended_as
        hold = Hold(
            payment.amount_paise,
            payment.currency,
            payment.status,
            charge.captured_paise,
            ended_as,
            payment.ended_rrn,
        )
        standing = completion_rules.standing_answer(hold, completion)
        if standing is not None:
            return standing
        c, rrn = completion, self._number()
        charge.payment = replace(
            payment, status=c.status, captured_paise=c.paise or None, ended_rrn=rrn
        )
        self._book(c.kind, reference, rrn, c.paise or payment.amount_paise)
        return completion_rules.answer_of(hold, completion, rrn)

    def refund(self, order: RefundOrder) -> BankRefundAnswer:
        """Refund an amount, once for each reference."""
        if order.reference not in self.refunds:
            paise, currency = order.amount.paise, order.amount.currency
            instruction = RefundInstruction(order.reference, order.original, paise, currency, paise)
            refund = refund_rules.decided(instruction, self._debit(order), "", self._world.now, 0.0)
            self.refunds[order.reference] = refund
            if refund.status == "done" and self._world.faults.strikes(Fault.BANK_SLOW):
                self.refunds[order.reference] = replace(
                    refund, status="pending", code=UNDECIDED.code
                )
                self._world.loop.call_later(
                    self._world.between(*UNDECIDED_S), self._give_back, refund
                )
            elif refund.status == "done":
                self._give_back(refund)
        return self.refund_outcome(order.reference)

    def _debit(self, order: RefundOrder) -> RefundableDebit:
        """Return the payment of a refund, and what went back of it or is claimed."""
        charge = self.charges.get(order.original)
        before = (each for each in self.refunds.values() if each.original == order.original)
        refunded_paise = sum(each.amount_paise for each in before if each.status != "declined")
        return RefundableDebit(
            is_paid=charge is not None and charge.payment.status is Status.PAID,
            amount_paise=charge.taken_paise if charge else 0,
            currency=order.amount.currency,
            at=self._world.now,
            payer=charge.payment.payer_vpa if charge else "",
            refunded_paise=refunded_paise,
            settled_paise=refunded_paise,
            disputed_paise=dispute_rules.held_paise(self.disputes.of(order.original)),
        )

    def _give_back(self, refund: BankRefund) -> None:
        refund = replace(refund, rrn=self._number())
        self.refunds[refund.reference] = refund
        self._book("refund", refund.original, refund.rrn, refund.amount_paise, refund.reference)
        answer = self.refund_outcome(refund.reference)
        method = self.charges[refund.original].payment.method
        news = refund_news(self._event_id(), refund.reference, method, answer, self._world.now)
        self._send(news, refund.reference)

    # --- what customers do ---

    def decide(self, reference: str, *, consents: bool, payer: str = "") -> None:
        """Record a customer's yes or no."""
        charge = self.charges.get(reference)
        if charge is None or not self._waits(charge):
            return
        now, payment = self._world.now, replace(charge.payment, payer_vpa=payer)
        if charge.card is not None:
            charge.payment = states.challenged(payment, "Y" if consents else "N", "", now)
            if not consents:
                self._tell_of_payment(charge)
            return
        charge.payment = payment
        if consents:
            self._decide(charge)
        else:
            charge.will = LEFT if charge.visit else rules.DECLINED_BY_CUSTOMER
            self._end(charge)

    def scan(self, scanned: Scanned, *, consents: bool) -> None:
        """Let a customer pay a QR, which the bank did not know before."""
        reference = scanned.reference
        if reference in self.charges or self._world.now >= scanned.until:
            return
        charge = self.ask_customer(
            Charge(reference, scanned.amount), scanned.until - self._world.now
        )
        charge.order = scanned.order
        if scanned.maximum_paise:
            self._ask_for_mandate(reference, scanned.maximum_paise)
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
        self._move(charge, charge.will, self._number())
        payment = charge.payment
        if not charge.will.final:
            kind, state = states.entry_of(payment)
            self._book(kind, payment.reference, payment.rrn, payment.amount_paise, state=state)
        if payment.status is Status.PAID and payment.reference in self.mandates:
            known = self.mandates[payment.reference]
            known.mandate = replace(known.mandate, approved=True)
        self._tell_of_payment(charge)

    # --- mandates ---

    def _ask_for_mandate(self, reference: str, maximum_paise: int) -> None:
        today = business_day(self._world.now)
        mandate = Mandate(
            reference,
            "",
            maximum_paise,
            today,
            today + YEARS,
            "ASPRESENTED",
            issuer_decision=IssuerDecision.APPROVE,
        )
        self.mandates[reference] = BankMandate(mandate)

    def notice(self, notice: MandateNotice) -> MandateAnswer:
        """Announce a debit to a customer; the first notice of an amount counts."""
        known, paise = self.mandates.get(notice.mandate), notice.amount.paise
        refused = mandate_rules.notice_refusal(known and known.mandate, paise)
        if known is None or refused is not None:
            return MandateAnswer("declined", refused.code if refused else "")
        earlier = known.notices.get(notice.period_no)
        if earlier is None or earlier.amount_paise != paise:
            now = self._world.now
            known.notices[notice.period_no] = Notice(paise, notice.debit_at, now)
        return MandateAnswer("done", "00")

    def debit(self, debit: MandateDebit) -> InquireAnswer:
        """Debit a customer by a mandate, once for each reference.

        It does not refuse a second debit of a period: that is what an auditor has to find.
        """
        if debit.reference not in self.charges:
            known, now, amount = self.mandates.get(debit.mandate), self._world.now, debit.amount
            payment = BankPayment(
                debit.reference, UPI, amount.paise, amount.currency, Status.PENDING, now
            )
            origin = self.charges.get(debit.mandate)
            charge = Charged(payment, order=origin.order if origin else "")
            self.charges[debit.reference] = charge
            if known is not None:
                known.tried[debit.reference] = debit.period_no
            outcome = mandate_rules.outcome(
                known and known.mandate,
                known and known.notices.get(debit.period_no),
                DebitTry(amount.paise, 0, now),
                _TIMINGS,
            )
            if outcome.status is not Status.PAID:
                self._move(charge, outcome, "")
            elif self._world.random.random() < _DEBIT_SUCCEEDS:
                self._decide(charge)
            else:
                short = rules.card_outcome(IssuerDecision.INSUFFICIENT, _TIMINGS, capture=True)
                self._move(charge, short, "")
        return self.outcome(debit.reference)

    def end_mandate(self, reference: str) -> MandateAnswer:
        """End a mandate."""
        known = self.mandates.get(reference)
        if known is not None:
            known.mandate = replace(known.mandate, ended_at=self._world.now)
        return MandateAnswer("done", "00")

    # --- what the bank says ---

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

    def back_paise(self, original: str) -> int:
        """Return the amount of a payment that went back to its customer."""
        refunds = (each for each in self.refunds.values() if each.original == original)
        return sum(each.amount_paise for each in refunds if each.status == "done")

    def refund_outcome(self, reference: str) -> BankRefundAnswer:
        """Return the outcome of a refund."""
        refund = self.refunds.get(reference)
        return (
            BankRefundAnswer.of(refund, self._world.now)
            if refund
            else BankRefundAnswer("not_found")
        )
