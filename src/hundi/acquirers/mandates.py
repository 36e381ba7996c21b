"""What an acquirer that takes mandates is asked for."""

from dataclasses import dataclass
from datetime import datetime

from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class MandateNotice:
    """What the customer is told of a debit.

    mandate: the reference that was approved. debit_at: when the debit is made at the earliest.
    """

    mandate: str
    period_no: int
    amount: Money
    debit_at: datetime


@dataclass(frozen=True, slots=True)
class MandateDebit:
    """A debit by a mandate: reference is our idempotency key, and period_no counts the mandate's debits."""

    reference: str
    mandate: str
    period_no: int
    amount: Money
