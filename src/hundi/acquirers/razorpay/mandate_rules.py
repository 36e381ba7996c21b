"""The meaning of Razorpay's answers about mandates and their debits."""

from collections.abc import Mapping
from datetime import UTC, datetime

from hundi.acquirers.calls.razorpay_wire import RazorpayRefusal
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import MandateStanding, MandateState, NoticeGiven
from hundi.acquirers.razorpay import rules
from hundi.acquirers.razorpay.mandate_questions import EMANDATE
from hundi.acquirers.razorpay.messages import (
    NotifiedOrder,
    RazorpayPayment,
    RazorpayToken,
)
from hundi.acquirers.razorpay.reasons import (
    BANK_MANDATE_OVER,
    DEBIT_REFUSED,
    MANDATE_OVER,
    MANDATE_PAUSED,
    REFUSED,
)
from hundi.instruments.mandates import NOTICE
from hundi.kernel.money import Money

UNREAD = "unread"
"""The code of an outcome that could not be read."""
DUMMY = "upi_dummy_payment"
"""Why Razorpay calls a payment failed that only registered a mandate."""
SETTLES_S = 36 * 3_600
"""Seconds; a failed debit may still be authorised, where no reason rules it out."""
_STATES = {
    "initiated": MandateState.PENDING,
    "confirmed": MandateState.ACTIVE,
    "rejected": MandateState.FAILED,
    "cancelled": MandateState.ENDED,
    "paused": MandateState.PAUSED,
}


def standing(token: RazorpayToken, now_s: int) -> MandateStanding | Unknown:
    """Return how a mandate stands. A card's confirmed token says only that it is recurring."""
    if token.expired_at is not None and token.expired_at <= now_s:
        return MandateStanding(MandateState.ENDED, token.id)
    status = token.recurring_details.status if token.recurring_details else None
    if status is None:
        status = "confirmed" if token.recurring else ""
    state = _STATES.get(status)
    if state is None:
        return Unknown(status or "token", "Razorpay says nothing of the mandate")
    return MandateStanding(state, token.id)


def approves(payment: RazorpayPayment) -> bool:
    """Return whether a payment may have made a token that debits."""
    made = payment.status in {"authorized", "captured", "refunded"}
    return payment.token_id is not None and (made or payment.error_reason == DUMMY)


def without_token(
    payments: tuple[RazorpayPayment, ...], words: Mapping[str, str], now_s: int
) -> MandateState:
    """Return how a mandate stands that has no token: it may still be approved for a while."""
    ends_s = int(words["terms"].split()[-1]) + 60 * rules.CAPTURED_WITHIN_MIN + rules.GRACE_S
    undecided = any(each.status == "created" for each in payments)
    return MandateState.PENDING if undecided or now_s < ends_s else MandateState.FAILED


def notice_outcome(order: NotifiedOrder, debit_at: datetime) -> NoticeGiven | Unknown | None:
    """Return whether a customer has the notice of an order; None if it was not delivered.

    debit_at: the planned debit. A late delivery makes the debit later.
    """
    notice = order.notification
    if notice is None or notice.status not in {"delivered", "failed"}:
        return Unknown("notice_underway", "Razorpay has not told the customer yet")
    if notice.status == "failed":
        return None
    told = datetime.fromtimestamp(notice.delivered_at, UTC) if notice.delivered_at else None
    after = datetime.fromtimestamp(notice.payment_after, UTC) if notice.payment_after else debit_at
    return NoticeGiven(order.id, max(after, told + NOTICE) if told else after)


def debit_outcome(
    payments: tuple[RazorpayPayment, ...], amount: Money, now_s: int
) -> Approved | Declined | Unknown | NothingThere:
    """Return the outcome of one try of a debit, by its payments."""
    if not payments:
        return NothingThere()
    paid = rules.captured(payments, amount)
    if paid is not None:
        return paid
    last = max(payments, key=lambda each: each.created_at)
    if any(each.status != "failed" for each in payments):
        return Unknown(last.status, "Razorpay has not heard from the bank")
    reason = last.error_reason or last.error_code or "failed"
    answer = _declined(reason, last.error_description, last.method)
    if reason in _FINAL or now_s >= last.created_at + SETTLES_S:
        return answer
    return Unknown(reason, answer.message)


def debit_refused(refusal: RazorpayRefusal) -> Declined | Unknown:
    """Return the meaning of a refused call about a debit, which moved nothing."""
    reason = refusal.reason or ""
    if refusal.code == "BAD_REQUEST_ERROR" and reason in _FINAL:
        return _declined(reason, refusal.description)
    return rules.declined(refusal)


_FINAL = REFUSED | DEBIT_REFUSED | MANDATE_OVER | BANK_MANDATE_OVER | MANDATE_PAUSED


def _declined(reason: str, words: str | None, method: str | None = None) -> Declined:
    over = BANK_MANDATE_OVER if method == EMANDATE else MANDATE_OVER
    return Declined(
        reason,
        (words or "")[: rules.MESSAGE_MAX],
        mandate_over=reason in over,
        mandate_paused=reason in MANDATE_PAUSED,
    )
