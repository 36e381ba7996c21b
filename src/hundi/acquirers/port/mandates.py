"""The capability and messages of acquirers that take mandates."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Accepted, Approved, Declined, Unknown
from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class MandateRequest:
    """A request to the customer to approve later debits, together with a payment.

    payee_name: who debits. maximum: the most for one debit. recur: the network's word for the
    period.
    """

    payee_name: str
    maximum: Money
    recur: str
    valid_from: date
    valid_until: date


@dataclass(frozen=True, slots=True)
class MandateNotice:
    """A customer's notice of a debit.

    mandate: the reference that was approved. debit_at: the earliest time of the debit.
    """

    mandate: str
    period_no: int
    amount: Money
    debit_at: datetime


@dataclass(frozen=True, slots=True)
class MandateDebit:
    """A debit by a mandate.

    reference: our idempotency key. period_no: counts the mandate's debits.
    """

    reference: str
    mandate: str
    period_no: int
    amount: Money


@runtime_checkable
class ReportsMandates(Protocol):
    """Reports by callback that a customer ended a mandate at the bank."""

    def read_mandate_end(self, headers: dict[str, str], body: bytes, *, now_s: int) -> str | None:
        """Return the mandate whose end an authenticated body reports, None for another body."""
        ...


@runtime_checkable
class TakesMandates(Protocol):
    """Debits customers again who approved a mandate, named by the approved reference."""

    async def give_notice(self, notice: MandateNotice) -> Accepted | Declined | Unknown:
        """Announce a debit to the customer; a repeat keeps the time of the first notice."""
        ...

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit the customer; the same reference again moves money once."""
        ...

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        ...
