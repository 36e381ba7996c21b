"""What the simulation's bank keeps beside a payment and a mandate."""

from dataclasses import dataclass, field
from datetime import datetime

from hundi.kernel.money import Money
from hundi_testbed.bank.mandates.store import Mandate, Notice
from hundi_testbed.bank.rules import APPROVED, BankCardFacts, PaymentDecision, Status
from hundi_testbed.bank.states import BankPayment


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


@dataclass(slots=True)
class BankMandate:
    """One mandate at the bank. notices: by period. tried: the period of each debit."""

    mandate: Mandate
    notices: dict[int, Notice] = field(default_factory=dict)
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
