"""Refund, mandate and dispute details that a notification carries; pure."""

from datetime import datetime

import msgspec

from hundi.kernel.states import DisputePhase, DisputeState, RefundState, SubscriptionState


class RefundFacts(msgspec.Struct, frozen=True):
    """One refund, if the news is about it. amount_paise, rrn, bank_code: of this refund alone.

    settled_paise: the amount in rupees.
    """

    refund_id: int
    amount_paise: int
    state: RefundState
    bank_message: str = ""
    rrn: str = ""
    request_id: str = ""
    settled_paise: int = 0
    bank_code: str = ""


class MandateFacts(msgspec.Struct, frozen=True):
    """One subscription, if the news is about it or a debit of it.

    period_no, amount_paise, debit_at: the debit's; 0 and None for news about the mandate alone.
    """

    subscription_id: int
    state: SubscriptionState
    period_no: int = 0
    amount_paise: int = 0
    debit_at: datetime | None = None


class DisputeFacts(msgspec.Struct, frozen=True):
    """One phase of a dispute, if the news is about it. Amounts in the payment's currency.

    amount_paise: what the customer's bank demands; held_paise: the part that is held back;
    taken_paise: what the bank took. respond_by: the deadline to answer, UTC.
    """

    dispute_id: int
    stage_id: int
    phase: DisputePhase
    state: DisputeState
    amount_paise: int
    held_paise: int
    taken_paise: int
    reason: str
    respond_by: datetime
