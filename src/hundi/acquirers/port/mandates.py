"""The capability and messages of acquirers that take mandates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.customers import NOBODY, Customer
from hundi.kernel.money import Money

RETRY_GAP = timedelta(hours=24)
"""The gap between two tries of a debit, where an acquirer has no other.

See docs/spec/payment-interfaces.md#subscription-rules.
"""


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
class MandateTerms:
    """When an acquirer debits by mandates of one channel, beside the network's own rules.

    notice_before: from the notice to the debit, at least. retries_max: tries after the first one
    for one notice. retry_gap: between two of them. most_paise: the highest maximum of a mandate
    there, None for the network's own.
    """

    notice_before: timedelta = timedelta(hours=24)
    retries_max: int = 3
    retry_gap: timedelta = RETRY_GAP
    most_paise: int | None = None


@dataclass(frozen=True, slots=True)
class MandateNotice:
    """A customer's notice of a debit.

    reference: our idempotency key, one for each mandate and period. mandate: the reference that
    was approved. debit_at: the earliest time of the debit.
    """

    reference: str
    mandate: str
    period_no: int
    amount: Money
    debit_at: datetime
    customer: Customer = NOBODY


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """The customer has the notice.

    name: the acquirer's own object, which the debit names; "" where it has none. debit_from,
    debit_until: the times between which the acquirer takes the debit, None where only our own
    rules count.
    """

    name: str = ""
    debit_from: datetime | None = None
    debit_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class MandateDebit:
    """A debit by a mandate, of the amount that its notice named.

    reference: our idempotency key, one for each try. period_no: counts the mandate's debits.
    notice, notice_name: our reference of its notice, and the acquirer's own object. try_no: counts
    the tries of one notice from 1. customer: who registered the mandate.
    """

    reference: str
    mandate: str
    period_no: int
    amount: Money
    notice: str
    notice_name: str = ""
    try_no: int = 1
    customer: Customer = NOBODY


class MandateState(StrEnum):
    """How a mandate stands at the acquirer."""

    PENDING = "pending"
    """The customer or the bank has not decided yet."""
    ACTIVE = "active"
    PAUSED = "paused"
    """The customer paused it at the bank, and can resume it there."""
    ENDED = "ended"
    """It was approved, and is over: cancelled by customer or merchant, or past its last day."""
    FAILED = "failed"
    """It was never approved, and never will be."""


@dataclass(frozen=True, slots=True)
class MandateStanding:
    """How a mandate stands.

    name: the acquirer's own of the mandate, if its webhooks say that one.
    """

    state: MandateState
    name: str = ""


@runtime_checkable
class ReportsMandates(Protocol):
    """Reports by callback that a customer ended, paused or resumed a mandate at the bank."""

    def read_mandate_news(self, headers: dict[str, str], body: bytes, *, now_s: int) -> str | None:
        """Return the mandate that an authenticated body is about, None for another body.

        How it stands is inquired about.
        """
        ...


@runtime_checkable
class TakesMandates(Protocol):
    """Debits customers again who approved a mandate, named by the approved reference.

    mandate_terms: by the code of the channel that approves one. mandate_methods: the methods of
    attempt by which a customer can approve one: `Charge.mandate` of their call.
    """

    mandate_terms: Mapping[str, MandateTerms]
    mandate_methods: frozenset[str]

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands, whatever became of the payment that approved it."""
        ...

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Announce a debit to the customer; a repeat keeps the time of the first notice.

        Unknown until the customer has it: the call is repeated. A channel whose acquirer or bank
        sends no notice answers NoticeGiven without a call.
        """
        ...

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit the customer; the same reference again moves money once.

        `inquire` finds its outcome by the reference.
        """
        ...

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        ...
