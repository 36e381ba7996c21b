"""Make the transaction record of a payment: states become codes.

See docs/spec/states-and-codes.md#payment-states.
"""

from collections.abc import Mapping
from typing import NamedTuple

from hundi.instruments.bank_names import name_of
from hundi.kernel.clock import ist
from hundi.kernel.states import PaymentKind, RefundState
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import PaymentFacts
from hundi.wire.fields import CURRENCIES, text_from_paise
from hundi.wire.merchant.record import Refunds, TransactionRecord, with_hash


class Spoken(NamedTuple):
    """The `transaction_status`, `transaction_payment_status` and message of one state."""

    status: int
    payment_status: str
    message: str


SPOKEN: Mapping[P, Spoken] = {
    P.OPEN: Spoken(211, "INCOMPLETE", "Waiting for the customer"),
    P.IN_PROCESS: Spoken(211, "INPROCESS", "The bank has not answered yet"),
    P.AUTHORISED: Spoken(200, "AUTHORIZE", "Authorised"),
    P.CAPTURED: Spoken(200, "CAPTURE", "Captured"),
    P.PAID: Spoken(200, "SUCCESS", "Success"),
    P.UNDER_REVIEW: Spoken(211, "RISK", "Held for review"),
    P.FAILED: Spoken(400, "FAIL", "Declined"),
    P.NOT_REGISTERED: Spoken(401, "FAIL", "The instrument is not registered"),
    P.EXPIRED: Spoken(402, "INCOMPLETE", "The session ended and nothing was attempted"),
    P.UNKNOWN: Spoken(403, "INPROCESS", "The bank never answered"),
    P.ABANDONED: Spoken(405, "FAIL", "Left at the bank's page; nothing was paid"),
    P.VOIDED: Spoken(400, "VOIDED", "Voided"),
}
AUTH, SALE, CAPTURE, REFUND, VOID = 310, 320, 330, 340, 420
MANDATE_APPROVED = Spoken(200, "Mandate Approved", "Mandate approved")
"""Of a paid order that registered a mandate."""
_REFUNDED = {RefundState.DONE: "Refunded", RefundState.FAILED: "The refund failed; nothing was given back"}
_TYPE_OF_CARD = {"credit": "cc", "debit": "dc"}


def _type(facts: PaymentFacts) -> int:
    if facts.refund is not None:
        return REFUND
    if facts.state is P.VOIDED:
        return VOID
    if facts.state is P.CAPTURED:
        return CAPTURE
    return AUTH if facts.kind is PaymentKind.AUTHORISE else SALE


def transaction_record(facts: PaymentFacts, merchant: Merchant) -> TransactionRecord:
    """Return the record of a payment, with its `ap_SecureHash` (docs/spec/payment-interfaces.md#record)."""
    registers = facts.state is P.PAID and facts.kind is PaymentKind.SUBSCRIPTION
    spoken, refund = MANDATE_APPROVED if registers else SPOKEN[facts.state], facts.refund
    buyer, card = facts.buyer, facts.card
    record = TransactionRecord(
        ap_transactionid=str(facts.payment_id),
        orderid=facts.order_id,
        merchant_id=str(facts.merchant_id),
        # Where a refund is the news, the record speaks of it; the status stays the payment's, which is paid.
        amount=text_from_paise(refund.amount_paise if refund else facts.amount_paise),
        transaction_status=spoken.status,
        transaction_payment_status=spoken.payment_status,
        chmod=facts.method,
        currency_code=CURRENCIES[facts.currency],
        message=_REFUNDED[refund.state] if refund else spoken.message,
        bank_response_msg=refund.bank_message if refund else facts.bank_message,
        customer_name=f"{buyer.firstname} {buyer.lastname}".strip(),
        customer_phone=buyer.phone,
        customer_email=buyer.email,
        transaction_type=_type(facts),
        risk="1" if facts.state is P.UNDER_REVIEW else "0",
        transaction_time=ist(facts.created_at).strftime("%d-%m-%Y %H:%M:%S"),
        card_scheme=card.scheme if card else "",
        card_number="XXXXXXXXXXXX" + card.last4 if card else "",
        card_type=_TYPE_OF_CARD.get(card.type, "Unknown") if card else "",
        bank_name=card.issuer if card else name_of(facts.bank) or facts.bank,
        card_country=card.country if card else "",
        rrn=facts.rrn,
        customvar=facts.custom_var,
        customer_vpa=facts.payer_vpa,
        bank_response_code=facts.bank_code,
        attempts=facts.attempts,
        captured_amount=text_from_paise(facts.captured_paise),
        refunds=Refunds(facts.refunds, text_from_paise(facts.refunded_paise)),
    )
    return with_hash(record, merchant.keys.username)
