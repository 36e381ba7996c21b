"""The payouts of a simulation's bank: accounts, payouts, and returned ones."""

from dataclasses import dataclass

from hundi.kernel.records import replace
from hundi_testbed.bank.payouts import rules
from hundi_testbed.bank.payouts.messages import CheckAnswer, PayoutAnswer, PayoutRequest
from hundi_testbed.bank.payouts.rules import PayoutDecision, PayoutInstruction, Receiver
from hundi_testbed.simulation.bank_books import SimulatedBooks
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

UNDECIDED_S = (20.0, 6 * 3600.0)
COMES_BACK_S = (3600.0, 30 * 3600.0)
COMES_BACK = 0.12
"""Probability that a done payout comes back."""


@dataclass(frozen=True, slots=True)
class AccountHolder:
    """A bank account. owner: its merchant. linked: it is the merchant's linked account."""

    owner: int
    name: str
    receiver: Receiver = Receiver.ORDINARY
    linked: bool = False


NOBODY = AccountHolder(0, "", Receiver.CLOSED)


@dataclass(frozen=True, slots=True)
class BankPayout:
    """One payout at the bank, with its newest outcome."""

    instruction: PayoutInstruction
    decision: PayoutDecision
    utr: str

    @property
    def is_done(self) -> bool:
        """Return whether the account has the money."""
        return self.decision.status == "done"


class BankPayouts:
    """The bank's payouts from the gateway's account.

    accounts: by number. made: payouts, by reference.
    """

    def __init__(self, world: World, books: SimulatedBooks) -> None:
        """Start without accounts."""
        self._world = world
        self._books = books
        self.accounts: dict[str, AccountHolder] = {}
        self.made: dict[str, BankPayout] = {}
        self._numbers = 0

    def check(self, account: str) -> CheckAnswer:
        """Return an account's holder."""
        holder = self.accounts.get(account, NOBODY)
        name = rules.registered_name(holder.receiver, holder.name)
        return CheckAnswer("registered" if name else "not_registered", name)

    def pay_out(self, request: PayoutRequest) -> PayoutAnswer:
        """Pay out, once for each reference."""
        r = request
        if r.reference not in self.made:
            self._numbers += 1
            instruction = PayoutInstruction(
                r.reference, r.amount_paise, r.rail, r.account, r.ifsc, r.holder
            )
            refused = rules.refusal(instruction, self.accounts.get(r.account, NOBODY).receiver)
            self.made[r.reference] = BankPayout(
                instruction, refused or rules.WAITING, f"SIMB{self._numbers:012d}"
            )
            if refused is None and self._world.faults.strikes(Fault.BANK_SLOW):
                self._world.loop.call_later(
                    self._world.between(*UNDECIDED_S), self._confirm, r.reference
                )
            elif refused is None:
                self._confirm(r.reference)
        return self.outcome(r.reference)

    def _confirm(self, reference: str) -> None:
        """End a waiting payout: it arrives, or comes back before it was confirmed."""
        receiver = Receiver.ORDINARY
        if self._world.random.random() < COMES_BACK:
            first = self._world.random.random() < COMES_BACK
            receiver = Receiver.RETURNS_FIRST if first else Receiver.RETURNS_LATE
        self._go_on(reference, receiver)
        if receiver is Receiver.RETURNS_LATE and self._world.faults.weights:
            self._world.loop.call_later(
                self._world.between(*COMES_BACK_S), self._go_on, reference, receiver
            )

    def _go_on(self, reference: str, receiver: Receiver) -> None:
        before = self.made[reference]
        decision = rules.go_on(before.decision.status, receiver, self._world.now, 0.0)
        after = self.made[reference] = replace(before, decision=decision)
        if before.is_done or after.is_done:
            self.book(after)

    def book(self, payout: BankPayout) -> None:
        """Write a payout into the books."""
        instruction, state = payout.instruction, rules.books_state(payout.decision.status)
        self._books.write_payout(instruction.reference, payout.utr, instruction.amount_paise, state)

    def outcome(self, reference: str) -> PayoutAnswer:
        """Return the outcome of a payout."""
        payout = self.made.get(reference)
        if payout is None:
            return PayoutAnswer("not_found")
        decision, paise = payout.decision, payout.instruction.amount_paise
        return PayoutAnswer(
            decision.status, decision.code, decision.message, payout.utr, paise, "INR"
        )

    def received_paise(self, owner: int, *, linked: bool) -> int:
        """Return the amount that bank accounts of an owner, linked or not, have kept."""
        done = [each.instruction for each in self.made.values() if each.is_done]
        holders = ((self.accounts[each.account], each.amount_paise) for each in done)
        return sum(
            paise for holder, paise in holders if (holder.owner, holder.linked) == (owner, linked)
        )
