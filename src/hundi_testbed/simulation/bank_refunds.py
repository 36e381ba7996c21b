"""The refunds of a simulation's bank."""

from hundi.kernel.records import replace
from hundi_testbed.bank.disputes import rules as dispute_rules
from hundi_testbed.bank.refunds import rules
from hundi_testbed.bank.refunds.messages import BankRefundAnswer, BankRefundRequest, refund_news
from hundi_testbed.bank.refunds.rules import BankRefund, RefundableDebit, RefundInstruction
from hundi_testbed.bank.rules import Status
from hundi_testbed.simulation.bank_books import SimulatedBooks
from hundi_testbed.simulation.bank_disputes import BankDisputes
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

UNDECIDED_S = (20.0, 8 * 3600.0)


class BankRefunds:
    """The refunds at the bank. made: by reference."""

    def __init__(self, world: World, books: SimulatedBooks, disputes: BankDisputes) -> None:
        """Start without refunds."""
        self._world = world
        self._books = books
        self._disputes = disputes
        self.made: dict[str, BankRefund] = {}

    def refund(self, request: BankRefundRequest) -> BankRefundAnswer:
        """Refund an amount, once for each reference."""
        if request.reference not in self.made:
            instruction = RefundInstruction(
                request.reference,
                request.original,
                request.amount_paise,
                request.currency,
                request.settled_paise or request.amount_paise,
            )
            debit = self._debit(request.original, request.currency)
            refund = rules.decided(instruction, debit, "", self._world.now, 0.0)
            self.made[request.reference] = refund
            if refund.status == "done" and self._world.faults.strikes(Fault.BANK_SLOW):
                self.made[request.reference] = replace(refund, status="pending", code="U88")
                self._world.loop.call_later(
                    self._world.between(*UNDECIDED_S), self._give_back, refund
                )
            elif refund.status == "done":
                self._give_back(refund)
        return self.outcome(request.reference)

    def _debit(self, original: str, currency: str) -> RefundableDebit:
        """Return the payment of a refund, and what went back of it or is claimed."""
        charge = self._books.charges.get(original)
        before = (each for each in self.made.values() if each.original == original)
        refunded_paise = sum(each.amount_paise for each in before if each.status != "declined")
        return RefundableDebit(
            is_paid=charge is not None and charge.payment.status is Status.PAID,
            amount_paise=charge.taken_paise if charge else 0,
            currency=currency,
            at=self._world.now,
            payer=charge.payment.payer_vpa if charge else "",
            refunded_paise=refunded_paise,
            settled_paise=refunded_paise,
            disputed_paise=dispute_rules.held_paise(self._disputes.of(original)),
        )

    def _give_back(self, refund: BankRefund) -> None:
        refund = replace(refund, rrn=self._books.number())
        name, original, now = refund.reference, refund.original, self._world.now
        self.made[name] = refund
        self._books.write("refund", original, refund.rrn, refund.amount_paise, name)
        method = self._books.charges[original].payment.method
        news = refund_news(self._books.event_id(), name, method, self.outcome(name), now)
        self._books.send(news, name)

    def outcome(self, reference: str) -> BankRefundAnswer:
        """Return the outcome of a refund."""
        refund = self.made.get(reference)
        return (
            BankRefundAnswer.of(refund, self._world.now)
            if refund
            else BankRefundAnswer("not_found")
        )

    def back_paise(self, original: str) -> int:
        """Return the amount of a payment that went back to its customer."""
        refunds = (each for each in self.made.values() if each.original == original)
        return sum(each.amount_paise for each in refunds if each.status == "done")
