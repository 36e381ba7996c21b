"""Trial notifications: any event in any form, signed as real ones are, about no real order.

Nothing of a trial is a delivery: it has no event, is tried once, and stands in the trail alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from hundi.api.merchant import ipn
from hundi.instruments.methods import UPI
from hundi.kernel.events import Kind
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.states import (
    DisputePhase,
    DisputeState,
    PaymentKind,
    PaymentState,
    RefundState,
    SubscriptionState,
)
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import signature_headers
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.payments.orders.news.rules import DisputeFacts, MandateFacts, RefundFacts
from hundi.payments.orders.rules import Buyer

TEST_EVENT, TEST_ORDER, TEST_PAISE = "test", "TEST-NOTIFICATION", 100
"""The contents of a trial; no order of a merchant is notified under this event."""
EVENTS = (TEST_EVENT, *Kind)
"""The events that a trial can tell."""
_NO_PAYMENT = "A test notification: there is no such payment"
_STATES: Mapping[str, PaymentState] = {
    Kind.PAID: PaymentState.PAID,
    Kind.LATE_SUCCESS: PaymentState.PAID,
    Kind.AUTHORISED: PaymentState.AUTHORISED,
    Kind.CAPTURED: PaymentState.CAPTURED,
    Kind.VOIDED: PaymentState.VOIDED,
    Kind.UNDER_REVIEW: PaymentState.UNDER_REVIEW,
    Kind.ATTEMPT_FAILED: PaymentState.OPEN,
    Kind.FAILED: PaymentState.FAILED,
    Kind.EXPIRED: PaymentState.EXPIRED,
    Kind.UNKNOWN: PaymentState.UNKNOWN,
    Kind.MANDATE_FAILED: PaymentState.FAILED,
    TEST_EVENT: PaymentState.FAILED,
}
"""The order's state under an event; under every other one it was paid before."""
_REFUNDS: Mapping[str, RefundState] = {
    Kind.REFUND_DONE: RefundState.DONE,
    Kind.REFUND_FAILED: RefundState.FAILED,
    Kind.REFUND_REVERSED: RefundState.REVERSED,
    Kind.EXCESS_REFUNDED: RefundState.DONE,
    Kind.EXCESS_REFUND_FAILED: RefundState.FAILED,
}
_MANDATES: Mapping[str, SubscriptionState] = {
    Kind.MANDATE_PAUSED: SubscriptionState.PAUSED,
    Kind.MANDATE_RESUMED: SubscriptionState.ACTIVE,
    Kind.MANDATE_CHANGED: SubscriptionState.ACTIVE,
    Kind.MANDATE_CANCELLED: SubscriptionState.CANCELLED,
    Kind.MANDATE_COMPLETED: SubscriptionState.COMPLETED,
    **dict.fromkeys(
        (Kind.DEBIT_ANNOUNCED, Kind.DEBIT_FAILED, Kind.DEBIT_SKIPPED, Kind.DEBIT_MISSED),
        SubscriptionState.ACTIVE,
    ),
}
_DISPUTES: Mapping[str, DisputeState] = {
    Kind.DISPUTE_OPENED: DisputeState.OPEN,
    Kind.DISPUTE_DUE_SOON: DisputeState.OPEN,
    Kind.DISPUTE_CONTESTED: DisputeState.UNDER_REVIEW,
    Kind.DISPUTE_ACCEPTED: DisputeState.ACCEPTING,
    Kind.DISPUTE_EXPIRED: DisputeState.EXPIRED,
    Kind.DISPUTE_WON: DisputeState.WON,
    Kind.DISPUTE_LOST: DisputeState.LOST,
    Kind.DISPUTE_PARTLY_LOST: DisputeState.PARTLY_ACCEPTED,
    Kind.DISPUTE_CLOSED: DisputeState.CLOSED,
}
_OF_SUBSCRIPTIONS = {*_MANDATES, Kind.MANDATE_APPROVED, Kind.MANDATE_FAILED}


@dataclass(frozen=True, slots=True)
class TrialNotification:
    """A notification without an event. plain: its contents for people, whatever the form."""

    headers: Mapping[str, str]
    body: bytes
    plain: str


def notification(merchant: Merchant, event: str, now: datetime) -> TrialNotification:
    """Return a signed notification about an order that does not exist, in the merchant's form.

    Event `test` says of itself that it is a test, and failed.
    """
    facts = facts_of(merchant.merchant_id, event, now)
    webhook_id = f"test_{merchant.merchant_id}_{facts.payment_id}"
    sent = ipn.rendered(merchant, facts, webhook_id, event, now)
    form = merchant.settings.notification_form
    form = form if form == ipn.STANDARD else "json"
    in_plain = msgspec.structs.replace(merchant.settings, notification_form=form)
    plain = ipn.rendered(replace(merchant, settings=in_plain), facts, webhook_id, event, now)
    headers = signature_headers(webhook_id, sent, merchant.keys.webhook_keys, now)
    return TrialNotification(headers, sent.body, msgspec.json.format(plain.body, indent=2).decode())


def facts_of(merchant_id: int, event: str, now: datetime) -> PaymentFacts:
    """Return what a trial tells: its order does not exist, whatever became of it."""
    state = _STATES.get(event, PaymentState.PAID)
    is_collected = state in {PaymentState.PAID, PaymentState.CAPTURED}
    facts = PaymentFacts(
        merchant_id=merchant_id,
        payment_id=new_id(now),
        order_id=TEST_ORDER,
        state=state,
        kind=PaymentKind.SUBSCRIPTION if event in _OF_SUBSCRIPTIONS else PaymentKind.SALE,
        method=UPI.code,
        amount_paise=TEST_PAISE,
        currency="INR",
        buyer=Buyer(
            email="test@example.com", phone="9000000000", firstname="Test", lastname="Notification"
        ),
        custom_var="",
        bank_code="",
        bank_message=_NO_PAYMENT,
        created_at=now,
        attempts=0,
        captured_paise=TEST_PAISE if is_collected else 0,
        paid_at=now if is_collected else None,
        excess_paise=TEST_PAISE if event == Kind.EXCESS_PAYMENT else 0,
    )
    return msgspec.structs.replace(facts, **_news(facts, event, now))


def _news(facts: PaymentFacts, event: str, now: datetime) -> dict[str, Any]:
    """Return what an event tells beside its order."""
    if state := _REFUNDS.get(event):
        refund = RefundFacts(facts.payment_id, TEST_PAISE, state, _NO_PAYMENT)
        gone = TEST_PAISE if event == Kind.REFUND_DONE else 0
        return {"refund": refund, "refunds": int(bool(gone)), "refunded_paise": gone}
    if of_mandate := _MANDATES.get(event):
        mandate = MandateFacts(facts.payment_id, of_mandate)
        if event.startswith("debit_"):
            mandate = replace(mandate, period_no=1, amount_paise=TEST_PAISE, debit_at=now)
        return {"mandate": mandate}
    if of_dispute := _DISPUTES.get(event):
        taken = TEST_PAISE if event == Kind.DISPUTE_LOST else 0
        dispute = DisputeFacts(
            dispute_id=facts.payment_id,
            stage_id=facts.payment_id,
            phase=DisputePhase.CHARGEBACK,
            state=of_dispute,
            amount_paise=TEST_PAISE,
            held_paise=TEST_PAISE - taken,
            taken_paise=taken,
            reason="A test",
            respond_by=now + timedelta(days=7),
        )
        return {"dispute": dispute}
    return {}
