"""The bank of a simulation: its records, its decisions, and its books.

It stands for another company's program: it shares only the port's messages with the gateway.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Authentication,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.acquirers.port.books import BookEntry
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.card import CardFacts
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi_testbed.bank.disputes import rules as dispute_rules
from hundi_testbed.bank.refunds import rules as refund_rules
from hundi_testbed.bank.refunds.messages import BankRefundAnswer
from hundi_testbed.bank.refunds.rules import BankRefund, RefundableDebit, RefundInstruction
from hundi_testbed.bank.statements.rules import movement
from hundi_testbed.simulation.agreements import UPI
from hundi_testbed.simulation.bank_books import At, BankMandate, Charged, Scanned
from hundi_testbed.simulation.bank_disputes import BankDisputes
from hundi_testbed.simulation.bank_payouts import BankPayouts
from hundi_testbed.simulation.bank_statements import BankStatements
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

NOTICE_AT_LEAST = timedelta(hours=24)
UNDECIDED_S = (20.0, 8 * 3600.0)
"""How long a payment may stay pending at the bank."""
APP_S = timedelta(minutes=5)
PAGE = timedelta(minutes=10)
VISA = CardFacts("1111", "visa", "credit", "Simulated Bank", "IN")
PENDING_CODE = "U88"


Tell = Callable[[str, str], None]


class SimulatedBank:
    """The simulated bank.

    tell: called with an event's id and the reference of a callback. told: the state at that time.
    charges, refunds, mandates: by reference. payouts, disputes, statements: its other parts. phone:
    called when a customer's app asks for consent.
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
        self.told: dict[str, Approved | Declined | Unknown] = {}
        self._numbers = 0
        self.statements = BankStatements(world, folder)
        self.payouts = BankPayouts(world, self.books, self.statements.move)
        self.disputes = BankDisputes(world, tell, self._charge_back)

    def _number(self) -> str:
        self._numbers += 1
        return f"{self._numbers:012d}"

    def _book(self, kind: str, reference: str, rrn: str, paise: int, name: str = "") -> None:
        """Write a movement. name: its name in statements, if it is not the reference."""
        self.books.append(BookEntry(self._world.now, kind, reference, rrn, paise, "done"))
        charge = self.charges.get(reference)
        if kind not in {"authorise", "void"}:
            line = movement(kind, charge.way if charge else UPI, name or reference, rrn, paise)
            self.statements.movements.append(line)
        if charge and kind in {"debit", "capture"}:
            charge.moved_at = self._world.now
        self._world.note(f"bank books {kind} {reference} {paise}", charge.order if charge else "")

    def _charge_back(self, reference: str, paise: int) -> str:
        rrn = self._number()
        self._book("chargeback", reference, rrn, paise)
        return rrn

    def _news(
        self, reference: str, answer: Approved | Declined | Unknown | NothingThere | Voided
    ) -> None:
        event_id = f"event-{len(self.told) + 1}"
        self.told[event_id] = Unknown() if isinstance(answer, NothingThere | Voided) else answer
        self._tell(event_id, reference)

    # --- what the gateway asks for ---

    def ask_customer(
        self, charge: Charge, life: timedelta, *, visit: str = "", return_url: str = ""
    ) -> Charged:
        """Ask a customer for an amount, once for each reference."""
        earlier = self.charges.get(charge.reference)
        if earlier is not None:
            return earlier
        new = Charged(charge.reference, charge.amount, At.CUSTOMER, self._world.now + life)
        new.visit, new.return_url = visit and f"{visit}-{self._number()}", return_url
        if charge.mandate is not None:
            self.mandates[charge.reference] = BankMandate(
                charge.reference, charge.mandate.maximum.paise, active=False
            )
        self.charges[charge.reference] = new
        return new

    def authentication(self, visit: str) -> Authentication | Unknown:
        """Return the result of a challenge."""
        charge = next((each for each in self.charges.values() if each.visit == visit), None)
        if charge is None or (charge.at is At.CUSTOMER and self._world.now < charge.until):
            return Unknown(awaiting_customer=True)
        return Authentication("N" if charge.at in {At.CUSTOMER, At.DECLINED} else "Y")

    def authorise(self, reference: str, *, hold: bool) -> Approved | Declined | Unknown:
        """Charge an authenticated card, once."""
        charge = self.charges[reference]
        if charge.at is At.AUTHENTICATED:
            charge.hold = hold
            self._decide(charge)
        answer = self.outcome(reference)
        return Unknown() if isinstance(answer, NothingThere | Voided) else answer

    def capture(self, reference: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold, or a part of it; a second call gets the answer of the first."""
        charge = self.charges.get(reference)
        if (
            charge is None
            or charge.at not in {At.HELD, At.CAPTURED}
            or amount.paise > charge.amount.paise
        ):
            return Declined("no_hold", "There is nothing to capture")
        if charge.at is At.HELD:
            charge.at, charge.captured_paise, charge.rrn = At.CAPTURED, amount.paise, self._number()
            self._book("capture", reference, charge.rrn, amount.paise)
        elif charge.captured_paise != amount.paise:
            return Declined("captured", "Another amount was captured")
        return self._approval(charge)

    def void(self, reference: str) -> Voided | Declined:
        """Void a hold."""
        charge = self.charges.get(reference)
        if charge is None or charge.at not in {At.HELD, At.VOIDED}:
            return Declined("no_hold", "There is nothing to void")
        if charge.at is At.HELD:
            charge.at, charge.rrn = At.VOIDED, self._number()
            self._book("void", reference, charge.rrn, charge.amount.paise)
        return Voided(charge.rrn)

    def refund(self, order: RefundOrder) -> BankRefundAnswer:
        """Refund an amount, once for each reference."""
        if order.reference not in self.refunds:
            paise, currency = order.amount.paise, order.amount.currency
            instruction = RefundInstruction(order.reference, order.original, paise, currency, paise)
            refund = refund_rules.decided(instruction, self._debit(order), "", self._world.now, 0.0)
            self.refunds[order.reference] = refund
            if refund.status == "done" and self._world.faults.strikes(Fault.BANK_SLOW):
                self.refunds[order.reference] = replace(refund, status="pending", code=PENDING_CODE)
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
            is_paid=charge is not None and charge.taken_paise > 0,
            amount_paise=charge.taken_paise if charge else 0,
            currency=order.amount.currency,
            at=self._world.now,
            payer=charge.payer if charge else "",
            refunded_paise=refunded_paise,
            settled_paise=refunded_paise,
            disputed_paise=dispute_rules.held_paise(self.disputes.of(order.original)),
        )

    def _give_back(self, refund: BankRefund) -> None:
        refund = replace(refund, rrn=self._number())
        self.refunds[refund.reference] = refund
        self._book("refund", refund.original, refund.rrn, refund.amount_paise, refund.reference)
        self._news(refund.reference, Approved(Money(refund.amount_paise), refund.rrn))

    # --- what customers do ---

    def decide(self, reference: str, will: At, payer: str = "") -> None:
        """Record a customer's yes or no."""
        charge = self.charges.get(reference)
        if charge is None or charge.at is not At.CUSTOMER or self._world.now >= charge.until:
            return
        charge.will, charge.payer = will, payer
        if will is At.AUTHENTICATED:
            charge.at = At.AUTHENTICATED
            charge.will = At.DONE
        elif will is At.DECLINED:
            self._end(charge)
        else:
            self._decide(charge)

    def scan(self, scanned: Scanned, will: At) -> None:
        """Let a customer pay a QR, which the bank did not know before."""
        reference = scanned.reference
        if reference in self.charges or self._world.now >= scanned.until:
            return
        charge = self.ask_customer(
            Charge(reference, scanned.amount), scanned.until - self._world.now
        )
        charge.order = scanned.order
        if scanned.maximum_paise:
            self.mandates[reference] = BankMandate(reference, scanned.maximum_paise, active=False)
        self.decide(reference, will, "payer@simulated")

    def _decide(self, charge: Charged) -> None:
        charge.forgotten = self._world.faults.strikes(Fault.BANK_FORGETS)
        if charge.forgotten or self._world.faults.strikes(Fault.BANK_SLOW):
            charge.at, charge.code = At.PENDING, PENDING_CODE
            self._world.loop.call_later(self._world.between(*UNDECIDED_S), self._end, charge)
        else:
            self._end(charge)

    def _end(self, charge: Charged) -> None:
        charge.rrn, charge.code = self._number(), "00"
        if charge.will is At.DECLINED:
            charge.at, charge.code = At.DECLINED, "51"
        else:
            charge.at = At.HELD if charge.hold else At.DONE
            self._book(
                "authorise" if charge.hold else "debit",
                charge.reference,
                charge.rrn,
                charge.amount.paise,
            )
            if charge.reference in self.mandates:
                self.mandates[charge.reference].active = True
        self._news(charge.reference, self.outcome(charge.reference))

    # --- mandates ---

    def notice(self, notice: MandateNotice) -> Accepted | Declined:
        """Announce a debit to a customer; the first notice of a period counts."""
        mandate = self.mandates.get(notice.mandate)
        if mandate is None or not mandate.active:
            return Declined("no_mandate", mandate_over=True)
        mandate.told.setdefault(notice.period_no, self._world.now + NOTICE_AT_LEAST)
        return Accepted()

    def debit(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit a customer by a mandate, once for each reference."""
        if debit.reference not in self.charges:
            mandate = self.mandates.get(debit.mandate)
            charge = Charged(
                debit.reference, debit.amount, At.DECLINED, self._world.now, code="no_mandate"
            )
            origin = self.charges.get(debit.mandate)
            charge.order = origin.order if origin else ""
            self.charges[debit.reference] = charge
            if mandate is not None:
                mandate.tried[debit.reference] = debit.period_no
            if mandate is not None and mandate.active:
                announced_at = mandate.told.get(debit.period_no)
                allowed = (
                    announced_at is not None
                    and announced_at <= self._world.now
                    and debit.amount.paise <= mandate.maximum_paise
                )
                charge.code = "51"
                if allowed and self._world.random.random() < _DEBIT_SUCCEEDS:
                    charge.will = At.DONE
                    self._decide(charge)
        answer = self.outcome(debit.reference)
        return Unknown() if isinstance(answer, NothingThere | Voided) else answer

    def end_mandate(self, reference: str) -> Accepted:
        """End a mandate."""
        if reference in self.mandates:
            self.mandates[reference].active = False
        return Accepted()

    # --- what the bank says ---

    def _approval(self, charge: Charged) -> Approved:
        held = charge.at is At.HELD
        paise = charge.captured_paise if charge.at is At.CAPTURED else charge.amount.paise
        card = VISA if charge.visit.startswith("3ds") else None
        return Approved(
            Money(paise), charge.rrn, authorised_only=held, payer_vpa=charge.payer, card=card
        )

    def outcome(  # noqa: PLR0911 (one line for each state)
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a charge."""
        charge = self.charges.get(reference)
        if charge is None:
            return NothingThere()
        match charge.at:
            case At.CUSTOMER if self._world.now >= charge.until:
                return NothingThere()
            case At.CUSTOMER:
                return Unknown(awaiting_customer=True)
            case At.AUTHENTICATED:
                return Unknown(authenticated=True)
            case At.PENDING if charge.forgotten:
                return NothingThere()
            case At.PENDING:
                return Unknown(PENDING_CODE, "The bank has not decided")
            case At.DECLINED:
                return Declined(
                    charge.code, "Declined", charge.rrn, mandate_over=charge.code == "no_mandate"
                )
            case At.VOIDED:
                return Voided(charge.rrn)
            case At.DONE | At.HELD | At.CAPTURED:
                return self._approval(charge)

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


_DEBIT_SUCCEEDS = 0.85
