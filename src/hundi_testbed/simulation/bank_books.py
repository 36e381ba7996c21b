"""The entries of the simulation's bank in its own books."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hundi.acquirers.port.payments import RefundOrder
from hundi.kernel.money import Money
from hundi_testbed.simulation.agreements import BANK, CARD, UPI


class At(StrEnum):
    """Where a charge stands at the bank."""

    CUSTOMER = "customer"
    """The customer is asked."""
    AUTHENTICATED = "authenticated"
    """The customer passed the challenge, and nobody has charged."""
    PENDING = "pending"
    """The bank has not decided."""
    DONE = "done"
    """The customer was debited."""
    HELD = "held"
    """The amount is held on the card."""
    CAPTURED = "captured"
    """The hold, or a part of it, was collected."""
    VOIDED = "voided"
    """The hold was given back."""
    DECLINED = "declined"
    """Nothing moved, and nothing will."""


@dataclass(slots=True)
class Charged:
    """One charge at the bank.

    until: when the customer can no longer act. order: which order it pays, if anybody said. visit:
    the name of the challenge or of the bank's page. will: what the bank decides when it is pending.
    forgotten: it says meanwhile that it has no record.
    """

    reference: str
    amount: Money
    at: At
    until: datetime
    order: str = ""
    visit: str = ""
    rrn: str = ""
    code: str = ""
    return_url: str = ""
    will: At = At.DONE
    hold: bool = False
    forgotten: bool = False
    captured_paise: int = 0
    payer: str = ""
    moved_at: datetime | None = None

    @property
    def way(self) -> str:
        """Return how the customer paid."""
        return CARD if self.visit.startswith("3ds") else BANK if self.visit else UPI

    @property
    def taken_paise(self) -> int:
        """Return what the customer was debited."""
        return {At.DONE: self.amount.paise, At.CAPTURED: self.captured_paise}.get(self.at, 0)


@dataclass(slots=True)
class GivenBack:
    """One refund at the bank."""

    order: RefundOrder
    at: At
    rrn: str = ""


@dataclass(slots=True)
class BankMandate:
    """One mandate at the bank.

    told: from when each period may be debited. tried: which period each debit was for.
    """

    reference: str
    maximum_paise: int
    active: bool = True
    told: dict[int, datetime] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a QR holds, and which order it pays.

    maximum_paise: of the mandate that it registers, 0 of none.
    """

    reference: str
    amount: Money
    until: datetime
    order: str
    maximum_paise: int = 0
