"""The parts of a payment's story; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from hundi.kernel.money import Money
from hundi.money.fees.rules import CHARGED, FeeFacts, PaymentFee, PricePlan
from hundi.notifications.rules import DeliveryKey, DeliveryState, DeliveryTry
from hundi.payments.captures.rules import Completion
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds.rules import Refund
from hundi.payments.risk.rules import RiskRecord


@dataclass(frozen=True, slots=True)
class SaleCost:
    """What one sale of a payment costs its merchant.

    plan: the version that prices it; None for no plan.

    settles_on: when it is ready, where that was settled already. settlement_id: 0 as long as it is
    in none.
    """

    fee: PaymentFee
    gross_paise: int
    facts: FeeFacts
    plan: PricePlan | None
    settles_on: date | None = None
    settlement_id: int = 0

    @property
    def net_paise(self) -> int:
        """Return what is left of the sale."""
        return self.fee.net_paise(self.gross_paise)


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """One change of the payment: who made it, and the state that it led to."""

    event_no: int
    at: datetime
    kind: str
    state: str
    actor: str
    attempt_id: int | None


@dataclass(frozen=True, slots=True)
class StoryPosting:
    """One posting, as the books have it."""

    cause_id: int
    kind: str
    debit: str
    credit: str
    amount: Money
    at: datetime


@dataclass(frozen=True, slots=True)
class StoryNotification:
    """One notification: what it says, and how the merchant's server answered each try."""

    key: DeliveryKey
    kind: str
    state: DeliveryState
    created_at: datetime
    due_at: datetime
    facts: dict[str, Any]
    tries: tuple[DeliveryTry, ...]


@dataclass(frozen=True, slots=True)
class Blocked:
    """A try that the risk rules refused before there was an attempt."""

    at: datetime
    method: str
    checked: RiskRecord


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """What a reviewer decided about money that a risk rule held."""

    event_no: int
    decision: str
    reason: str
    decided_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PaidOut:
    """A settlement that the payment is in, and a payout of it.

    payout_id: None as long as there is none.
    """

    settlement_id: int
    day: date
    beneficiary: str
    payout_id: int | None
    state: str
    utr: str


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of a payment, each part oldest first."""

    view: PaymentView
    charges: Sequence[SaleCost]
    completions: Sequence[Completion]
    refunds: Sequence[Refund]
    disputes: Sequence[Stage]
    blocked: Sequence[Blocked]
    decisions: Sequence[ReviewDecision]
    events: Sequence[StoryEvent]
    postings: Sequence[StoryPosting]
    notifications: Sequence[StoryNotification]
    paid_out: Sequence[PaidOut]

    @property
    def sales(self) -> Sequence[StoryPosting]:
        """Return the postings that have a fee."""
        return [each for each in self.postings if each.kind in CHARGED]
