"""What a step's news is about beside the payment itself: a refund, a subscription or a dispute.

Pure.
"""

from datetime import datetime

import msgspec

from hundi.kernel.states import DisputePhase, DisputeState, RefundState, SubscriptionState


class RefundFacts(msgspec.Struct, frozen=True):
    """One refund, where a refund is the news. amount_paise, rrn, bank_code: of this refund alone.

    settled_paise: what it comes to in rupees.
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
    """One subscription, where it or a debit of it is the news.

    period_no, amount_paise, debit_at: of the debit; 0 and None where the news is about the mandate
    alone.
    """

    subscription_id: int
    state: SubscriptionState
    period_no: int = 0
    amount_paise: int = 0
    debit_at: datetime | None = None


class DisputeFacts(msgspec.Struct, frozen=True):
    """One phase of a dispute, where it is the news. Amounts in the payment's currency.

    amount_paise: what the customer's bank wants; held_paise: what of it is held back; taken_paise:
    what the bank took. respond_by: until when it is answered, UTC.
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
