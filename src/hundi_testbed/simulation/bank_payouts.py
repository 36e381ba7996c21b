"""The payouts of a simulation's bank: accounts, payouts, and returned ones."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hundi.acquirers.port.answers import (
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Unknown,
)
from hundi.acquirers.port.books import BookEntry
from hundi.acquirers.port.payouts import PayoutOrder
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import World

UNDECIDED_S = (20.0, 6 * 3600.0)
COMES_BACK_S = (3600.0, 30 * 3600.0)
COMES_BACK = 0.12
"""Probability that a done payout comes back."""
CLOSED_CODE, BACK_CODE = "AC04", "AC06"


class PaidAt(StrEnum):
    """The state of a payout at the bank."""

    PENDING = "pending"
    DONE = "done"
    DECLINED = "declined"
    BACK = "back"
    """It came back: the account refused it."""


@dataclass(slots=True)
class AccountHolder:
    """A bank account. owner: its merchant. closed: it accepts no money.

    linked: it is the merchant's linked account.
    """

    owner: int
    name: str
    closed: bool = False
    linked: bool = False


@dataclass(slots=True)
class BankPayout:
    """One payout at the bank. number: of the account."""

    order: PayoutOrder
    at: PaidAt
    utr: str
    number: str


class BankPayouts:
    """The bank's payouts from the gateway's account.

    accounts: by number. made: payouts, by reference. moved: called with each movement on the
    gateway's account: UTR and paise, below zero for payouts.
    """

    def __init__(
        self, world: World, books: list[BookEntry], on_movement: Callable[[str, int], None]
    ) -> None:
        """Start without accounts."""
        self._world = world
        self._books = books
        self._moved = on_movement
        self.accounts: dict[str, AccountHolder] = {}
        self.made: dict[str, BankPayout] = {}
        self._numbers = 0

    def check(self, account: BankAccount) -> RegisteredName | NotRegistered:
        """Return an account's holder."""
        holder = self.accounts.get(account.number)
        return NotRegistered() if holder is None or holder.closed else RegisteredName(holder.name)

    def pay_out(self, order: PayoutOrder) -> Approved | Declined | Unknown:
        """Pay out, once for each reference."""
        if order.reference not in self.made:
            self._numbers += 1
            utr = f"SIMB{self._numbers:012d}"
            paid = self.made[order.reference] = BankPayout(
                order, PaidAt.PENDING, utr, order.account.number
            )
            if isinstance(self.check(order.account), NotRegistered):
                paid.at = PaidAt.DECLINED
            elif self._world.faults.strikes(Fault.BANK_SLOW):
                self._world.loop.call_later(self._world.between(*UNDECIDED_S), self.go_on, paid)
            else:
                self.go_on(paid)
        answer = self.outcome(order.reference)
        return Unknown() if isinstance(answer, NothingThere | SentBack) else answer

    def go_on(self, paid: BankPayout) -> None:
        """End a pending payout: it arrives, or comes back before it was confirmed."""
        back = self._world.random.random() < COMES_BACK
        if back and self._world.random.random() < COMES_BACK:
            paid.at = PaidAt.BACK
            return
        paid.at = PaidAt.DONE
        self.book(paid, "done")
        if back and self._world.faults.weights:
            self._world.loop.call_later(self._world.between(*COMES_BACK_S), self.send_back, paid)

    def send_back(self, paid: BankPayout) -> None:
        """Return a confirmed payout."""
        paid.at = PaidAt.BACK
        self.book(paid, "reversed")

    def book(self, paid: BankPayout, state: str) -> None:
        """Write a payout into the books; the same UTR again replaces the entry."""
        paise = paid.order.amount.paise
        self._books.append(
            BookEntry(self._world.now, "payout", paid.order.reference, paid.utr, paise, state)
        )
        self._world.note(f"bank books payout {paid.order.reference} {paise} {state}")
        self._moved(
            paid.utr if state == "done" else f"{paid.utr}R", -paise if state == "done" else paise
        )

    def outcome(self, reference: str) -> Approved | Declined | SentBack | Unknown | NothingThere:
        """Return the outcome of a payout."""
        paid = self.made.get(reference)
        if paid is None:
            return NothingThere()
        match paid.at:
            case PaidAt.PENDING:
                return Unknown("U88", "The bank has not decided")
            case PaidAt.DECLINED:
                return Declined(CLOSED_CODE, "The account is closed")
            case PaidAt.BACK:
                return SentBack(BACK_CODE, "The account did not take it", paid.utr)
            case PaidAt.DONE:
                return Approved(paid.order.amount, paid.utr)

    def received_paise(self, owner: int, *, linked: bool) -> int:
        """Return the amount that bank accounts of an owner, linked or not, have kept."""
        payouts_done = (each for each in self.made.values() if each.at is PaidAt.DONE)
        holders = ((self.accounts[each.number], each.order.amount.paise) for each in payouts_done)
        return sum(
            paise for holder, paise in holders if (holder.owner, holder.linked) == (owner, linked)
        )
