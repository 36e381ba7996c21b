"""The books of a simulation's bank: its payments, its entries, and the callbacks about them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from hundi.acquirers.port.books import BookEntry
from hundi_testbed.bank.rules import APPROVED, BankCardFacts, PaymentDecision, Status
from hundi_testbed.bank.statements.rules import movement
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.simulation.agreements import UPI
from hundi_testbed.simulation.bank_statements import BankStatements
from hundi_testbed.simulation.world import World


@dataclass(slots=True)
class Charged:
    """One charge at the bank.

    payment: its newest state. order: the order that it pays, if known. visit: the name of the
    challenge or of the bank's page. card: of a challenge. will: the decision after pending.
    forgotten: until the decision the bank says that it has no record.
    """

    payment: BankPayment
    order: str = ""
    visit: str = ""
    return_url: str = ""
    card: BankCardFacts | None = None
    will: PaymentDecision = APPROVED
    forgotten: bool = False
    moved_at: datetime | None = None

    @property
    def reference(self) -> str:
        """Return the gateway's reference."""
        return self.payment.reference

    @property
    def captured_paise(self) -> int:
        """Return the amount that was captured of a hold."""
        return self.payment.captured_paise or 0

    @property
    def taken_paise(self) -> int:
        """Return the amount debited from the customer."""
        paise = self.captured_paise or self.payment.amount_paise
        return paise if self.payment.status is Status.PAID else 0


@dataclass(frozen=True, slots=True)
class BankNews:
    """A callback of the bank. body: what it sends. of_dispute: the gateway may refuse it."""

    reference: str
    body: bytes
    of_dispute: bool


Tell = Callable[[BankNews], None]


class SimulatedBooks:
    """The bank's charges by reference, and its entries. tell: called with each callback."""

    def __init__(self, world: World, tell: Tell, folder: Path) -> None:
        """Start with empty books. folder: where statements are written."""
        self._world = world
        self._tell = tell
        self._numbers = self._events = 0
        self.charges: dict[str, Charged] = {}
        self.entries: list[BookEntry] = []
        self.statements = BankStatements(world, folder)

    def number(self) -> str:
        """Return an unused RRN."""
        self._numbers += 1
        return f"{self._numbers:012d}"

    def event_id(self) -> str:
        """Return the id of a new callback."""
        self._events += 1
        return f"event-{self._events}"

    def send(self, news: msgspec.Struct, reference: str, *, of_dispute: bool = False) -> None:
        """Send a callback about a reference."""
        self._tell(BankNews(reference, msgspec.json.encode(news), of_dispute))

    def write(
        self, kind: str, reference: str, rrn: str, paise: int, name: str = "", state: str = "done"
    ) -> None:
        """Write a movement. name: its name in statements, if it is not the reference."""
        self.entries.append(BookEntry(self._world.now, kind, reference, rrn, paise, state))
        charge = self.charges.get(reference)
        if state == "done" and kind not in {"authorise", "void"}:
            method = charge.payment.method if charge else UPI
            line = movement(kind, method, name or reference, rrn, paise)
            self.statements.movements.append(line)
        if charge and state == "done" and kind in {"debit", "capture"}:
            charge.moved_at = self._world.now
        words = kind if state == "done" else f"{state} {kind}"
        self._world.note(f"bank books {words} {reference} {paise}", charge.order if charge else "")

    def write_payout(self, reference: str, utr: str, paise: int, state: str) -> None:
        """Write a payout; the same UTR again replaces the entry."""
        self.entries.append(BookEntry(self._world.now, "payout", reference, utr, paise, state))
        self._world.note(f"bank books payout {reference} {paise} {state}")
        returned = state == "reversed"
        self.statements.move(f"{utr}R" if returned else utr, paise if returned else -paise)
