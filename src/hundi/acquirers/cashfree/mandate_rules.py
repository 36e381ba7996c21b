"""Requests about mandates at Cashfree, and the meaning of its answers; pure."""

from datetime import datetime, time, timedelta
from http import HTTPStatus
from typing import Any

from hundi.acquirers.calls.aggregators import UPI_MANDATE
from hundi.acquirers.calls.mandate_standings import is_over
from hundi.acquirers.cashfree import rules
from hundi.acquirers.cashfree.account import Account
from hundi.acquirers.cashfree.mandate_words import (
    CashfreeAuthorisation,
    CashfreeDebit,
    CashfreeExecution,
    CashfreeMandateRefund,
    CashfreeNotice,
    CashfreeSubscription,
)
from hundi.acquirers.cashfree.words import (
    TEXT_MAX,
    CashfreeAnswer,
    decoded,
    in_paise,
    in_rupees,
    refusal,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import (
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.mandates import NOTICE
from hundi.kernel.clock import INDIA
from hundi.kernel.money import Money

NAME_MAX = 40
"""Characters of a plan's name."""
RUPEES = "INR"
OPEN = frozenset({"PENDING", "SUCCESS"})
"""States of a payment that moved money, or may have."""
_STATES = {
    "INITIALIZED": MandateState.PENDING,
    "BANK_APPROVAL_PENDING": MandateState.PENDING,
    "ACTIVE": MandateState.ACTIVE,
    # A debit failed; the mandate stands.
    "ON_HOLD": MandateState.ACTIVE,
    "PAUSED": MandateState.PAUSED,
    "CUSTOMER_PAUSED": MandateState.PAUSED,
    "COMPLETED": MandateState.ENDED,
    "CUSTOMER_CANCELLED": MandateState.ENDED,
    "EXPIRED": MandateState.ENDED,
    "CARD_EXPIRED": MandateState.ENDED,
    "CANCELLED": MandateState.ENDED,
    "LINK_EXPIRED": MandateState.FAILED,
}


def subscription(charge: Charge, mandate: MandateRequest, account: Account) -> dict[str, Any]:
    """Return the subscription whose first payment is a charge."""
    last = datetime.combine(mandate.valid_until + timedelta(days=1), time(0), INDIA)
    name = (mandate.payee_name or "Subscription")[:NAME_MAX]
    customer = {
        "customer_name": charge.customer.name,
        "customer_email": charge.customer.email or account.email,
        "customer_phone": rules.phone_of(charge.customer.phone, account.phone),
    }
    return {
        "subscription_id": charge.reference,
        "customer_details": {key: value for key, value in customer.items() if value},
        "plan_details": {
            "plan_name": name,
            "plan_type": "ON_DEMAND",
            "plan_currency": charge.amount.currency,
            "plan_max_amount": in_rupees(mandate.maximum),
        },
        "authorization_details": {
            "authorization_amount": in_rupees(charge.amount),
            "authorization_amount_refund": False,
            "payment_methods": ["upi"],
        },
        "subscription_expiry_time": (last - timedelta(seconds=1)).isoformat(),
    }


def approval(charge: Charge, made: CashfreeSubscription) -> dict[str, Any]:
    """Return the payment by which a customer approves a subscription."""
    return {
        "subscription_id": made.subscription_id,
        "subscription_session_id": made.subscription_session_id,
        "payment_id": charge.reference,
        "payment_type": "AUTH",
        "payment_method": {"upi": {"channel": "link"}},
    }


def link_of(answer: CashfreeAnswer) -> str | None:
    """Return the UPI link of an approval, None without one."""
    begun = decoded(answer, CashfreeAuthorisation)
    links = (begun.data.payload or {}) if begun and begun.data else {}
    texts = (links.get("default"), *links.values())
    return next(
        (each for each in texts if isinstance(each, str) and each.startswith(UPI_MANDATE)),
        None,
    )


def notice(of: MandateNotice, name: str) -> dict[str, Any]:
    """Return a notice of a debit. name: of this notice; the debit has our own reference."""
    return {
        "subscription_id": of.mandate,
        "payment_id": of.reference,
        "notification_id": name,
        "payment_amount": in_rupees(of.amount),
        "payment_remarks": f"Debit {of.period_no}",
    }


def standing(found: CashfreeSubscription) -> MandateStanding | Unknown:
    """Return how a mandate stands."""
    state = _STATES.get(found.subscription_status)
    if state is None:
        return Unknown(found.subscription_status[:TEXT_MAX], "an unknown state of a mandate")
    approved = found.authorisation_details
    if state is MandateState.ENDED and not (approved and approved.authorization_reference):
        return MandateStanding(MandateState.FAILED)
    return MandateStanding(state)


def first_payment(
    found: CashfreeDebit | NothingThere, mandate: MandateStanding | NothingThere, amount: str
) -> Approved | Declined | Unknown | NothingThere:
    """Return the outcome of the payment that approves a mandate. amount: as it was stored."""
    if isinstance(found, NothingThere):
        return NothingThere() if is_over(mandate) else Unknown(awaiting_customer=True)
    match found.payment_status:
        case "SUCCESS":
            return _approved(found, found.cf_txn_id or found.cf_payment_id, amount)
        case "FAILED" | "CANCELLED":
            return _declined(found)
        case "INITIALIZED" | "PENDING" if is_over(mandate):
            return Declined("mandate_failed", "The mandate was not approved.", left=True)
        case status:
            return Unknown(status[:TEXT_MAX], awaiting_customer=True)


def not_taken(answer: CashfreeAnswer | Unknown) -> Declined | Unknown | None:
    """Return why a notice was not taken; None where it was, or may have been before."""
    if isinstance(answer, Unknown):
        return answer
    why = rules.refused(answer.status, refusal(answer)) if answer.status != HTTPStatus.OK else None
    return why if isinstance(why, Declined) else None


def notice_outcome(
    found: CashfreeNotice, payment: str, amount: Money
) -> NoticeGiven | Unknown | None:
    """Return whether a customer has a notice; None if it was not delivered."""
    if found.payment_id != payment or in_paise(found.payment_amount, RUPEES) != amount:
        return Unknown("other_notice", "Cashfree speaks of another notice")
    match found.notification_status:
        case "SUCCESS":
            told = rules.moment(found.notification_initiated_time)
            return NoticeGiven(payment, told + NOTICE if told else None)
        case "FAILED":
            return None
        case status:
            return Unknown(status[:TEXT_MAX] or "notice_underway", "not with the customer yet")


def execution_outcome(
    found: CashfreeExecution, payment: str, amount: str
) -> Approved | Declined | Unknown:
    """Return the outcome of one try of a debit. amount: as it was stored."""
    if found.payment_id != payment:
        return Unknown("other_payment", "Cashfree speaks of another debit")
    match found.execution_status:
        case "SUCCESS":
            return _approved(found, found.cf_payment_id or found.cf_execution_id, amount)
        case "FAILED" | "CANCELLED":
            return _declined(found)
        case status:
            return Unknown(status[:TEXT_MAX], "Cashfree has not heard from the bank")


def refund(order: RefundOrder, mandate: str, payment: str, name: str) -> dict[str, Any]:
    """Return a refund of a mandate's payment, at the one speed of UPI."""
    return {
        "subscription_id": mandate,
        "payment_id": payment,
        "refund_id": name,
        "refund_amount": in_rupees(order.amount),
        "refund_speed": "STANDARD",
    }


def refund_outcome(
    found: CashfreeMandateRefund, payment: str, amount: str
) -> Approved | Declined | Unknown:
    """Return the outcome of a refund of a mandate's payment. amount: as it was stored."""
    moved = in_paise(found.refund_amount, RUPEES)
    if found.payment_id != payment or moved is None or rules.said_amount(moved) != amount:
        return Unknown("other_refund", "Cashfree speaks of another refund")
    match found.refund_status:
        case "SUCCESS":
            return Approved(moved, (found.cf_refund_id or found.refund_id)[:TEXT_MAX])
        case "FAILED" | "CANCEL":
            return Declined(found.refund_status, "Cashfree could not give the amount back.")
        case status:
            return Unknown(status[:TEXT_MAX])


def _approved(
    found: CashfreeDebit | CashfreeExecution, rrn: str | None, amount: str
) -> Approved | Unknown:
    moved = in_paise(found.payment_amount, RUPEES)
    if moved is None or rules.said_amount(moved) != amount:
        return Unknown("other_amount", "Cashfree speaks of another amount")
    return Approved(moved, (rrn or found.payment_id)[:TEXT_MAX])


def _declined(found: CashfreeDebit | CashfreeExecution) -> Declined:
    why = found.failure_details and found.failure_details.failure_reason
    return Declined("FAILED", (why or "")[:TEXT_MAX])
