"""Requests about AutoPay mandates, and the meaning of PhonePe's answers; pure."""

from datetime import UTC, datetime, time, timedelta
from http import HTTPStatus
from typing import Any

from hundi.acquirers.phonepe import rules
from hundi.acquirers.phonepe.messages import PhonePeAnswer
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import (
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge
from hundi.kernel.clock import INDIA
from hundi.kernel.records import replace

FREQUENCIES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
"""The network's words that PhonePe has as well. Any other period is on demand."""
_APPLE = ("iPhone", "iPad")
_STATES = {
    "PENDING": MandateState.PENDING,
    "ACTIVE": MandateState.ACTIVE,
    "PAUSED": MandateState.PAUSED,
    "REVOKED": MandateState.ENDED,
    "CANCELLED": MandateState.ENDED,
    "EXPIRED": MandateState.ENDED,
}


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def setup(charge: Charge, mandate: MandateRequest, ends: datetime) -> dict[str, Any]:
    """Return the order whose payment approves a mandate. ends: until when it can be approved."""
    last = datetime.combine(mandate.valid_until + timedelta(days=1), time(0), INDIA)
    on_apple = any(each in charge.customer.user_agent for each in _APPLE)
    return {
        "merchantOrderId": charge.reference,
        "amount": charge.amount.paise,
        "expireAt": _ms(ends),
        "paymentFlow": {
            "type": "SUBSCRIPTION_SETUP",
            "merchantSubscriptionId": charge.reference,
            "authWorkflowType": "TRANSACTION",
            "amountType": "VARIABLE",
            "maxAmount": mandate.maximum.paise,
            "frequency": mandate.recur if mandate.recur in FREQUENCIES else "ON_DEMAND",
            "expireAt": _ms(last) - 1000,
            "paymentMode": {"type": "UPI_INTENT"},
        },
        "deviceContext": {"deviceOS": "IOS" if on_apple else "ANDROID"},
    }


def notice(of: MandateNotice) -> dict[str, Any]:
    """Return the order of a debit: PhonePe tells the customer, and we redeem it."""
    return {
        "merchantOrderId": of.reference,
        "amount": of.amount.paise,
        "paymentFlow": {
            "type": "SUBSCRIPTION_REDEMPTION",
            "merchantSubscriptionId": of.mandate,
            "redemptionRetryStrategy": "STANDARD",
            "autoDebit": False,
        },
    }


def standing(answer: PhonePeAnswer) -> MandateStanding | Unknown:
    """Return how a mandate stands."""
    state = _STATES.get(answer.word.state or "") if answer.status == HTTPStatus.OK else None
    if state is None:
        word = answer.word
        return Unknown(word.code or word.state or "", "PhonePe says nothing of the mandate")
    return MandateStanding(state)


def has_failed(answer: PhonePeAnswer) -> bool:
    """Return whether nobody can approve a mandate any more by its order."""
    return answer.status == HTTPStatus.OK and answer.word.state in {"FAILED", "EXPIRED"}


def not_taken(answer: PhonePeAnswer) -> Declined | Unknown:
    """Return the meaning of a call after which PhonePe's record shows nothing of it."""
    code = answer.word.code or ""
    # 417 is published for a limit that is exceeded: nothing was made.
    if answer.status in {HTTPStatus.BAD_REQUEST, HTTPStatus.EXPECTATION_FAILED} and code:
        return Declined(code, rules.short(answer.word.message))
    return Unknown(code, rules.short(answer.word.message))


def notice_outcome(
    answer: PhonePeAnswer, notice: MandateNotice
) -> NoticeGiven | Declined | Unknown:
    """Return whether a customer has a notice, by its order."""
    word = answer.word
    if answer.status != HTTPStatus.OK or word.merchant_order_id not in {None, notice.reference}:
        return Unknown(word.code or "other_order", rules.short(word.message))
    if word.amount != notice.amount.paise:
        return Unknown("other_amount", "PhonePe speaks of another amount")
    match word.state:
        case "FAILED" | "EXPIRED":
            return Declined(word.error_code or word.state, "The customer could not be told.")
        case "NOTIFIED" | "COMPLETED":
            flow = word.payment_flow
            after, until = (flow.valid_after, flow.valid_upto) if flow else (None, None)
            return NoticeGiven(notice.reference, _moment(after), _moment(until))
        case state:
            return Unknown(state or "notice_underway", "not with the customer yet")


def debit_outcome(
    answer: PhonePeAnswer, order: str
) -> Approved | Declined | Unknown | NothingThere:
    """Return the outcome of a debit; a notice that was not redeemed has moved nothing."""
    if answer.word.state == "NOTIFIED" and not answer.word.payment_details:
        return NothingThere()
    if answer.word.state == "EXPIRED" and not answer.word.payment_details:
        return Declined("EXPIRED", "The time for the debit was over.")
    found = rules.order_outcome(answer, order)
    return replace(found, awaiting_customer=False) if isinstance(found, Unknown) else found


def _moment(ms: int | None) -> datetime | None:
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None
