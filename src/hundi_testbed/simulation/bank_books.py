"""The entries of the simulation's bank in its own books."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hundi.kernel.money import Money
from hundi_testbed.simulation.agreements import BANK, CARD, UPI


class At(StrEnum):
    """The state of a charge at the bank."""

    CUSTOMER = "customer"
    """The customer is asked."""
    AUTHENTICATED = "authenticated"
    """The customer passed the challenge; no charge came yet."""
    PENDING = "pending"
    """The bank has not decided."""
    DONE = "done"
    """The customer was debited."""
    HELD = "held"
    """The amount is held on the card."""
    CAPTURED = "captured"
    """The hold, or a part of it, was captured."""
    VOIDED = "voided"
    """The hold was voided."""
    DECLINED = "declined"
    """Nothing moved, and nothing will."""


@dataclass(slots=True)
class Charged:
    """One charge at the bank.

    until: the end of the customer's time. order: the order that it pays, if known. visit: the name
    of the challenge or of the bank's page. will: the decision after pending. forgotten: until the
    decision the bank says that it has no record.
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
        """Return the customer's way to pay."""
        return CARD if self.visit.startswith("3ds") else BANK if self.visit else UPI

    @property
    def taken_paise(self) -> int:
        """Return the amount debited from the customer."""
        return {At.DONE: self.amount.paise, At.CAPTURED: self.captured_paise}.get(self.at, 0)


@dataclass(slots=True)
class BankMandate:
    """One mandate at the bank.

    told: the first debit time of each announced period. tried: the period of each debit.
    """

    reference: str
    maximum_paise: int
    active: bool = True
    told: dict[int, datetime] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scanned:
    """The content of a QR, and the order that it pays.

    maximum_paise: of the mandate that it registers, 0 for none.
    """

    reference: str
    amount: Money
    until: datetime
    order: str
    maximum_paise: int = 0
