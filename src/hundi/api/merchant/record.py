"""Make the transaction record of a payment: states become codes.

See docs/spec/states-and-codes.md#payment-states.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from hundi.instruments.bank_names import name_of
from hundi.instruments.card import CardFacts
from hundi.instruments.methods import UPI
from hundi.kernel.clock import ist
from hundi.kernel.money import RATE_ONE, Money, in_rupees
from hundi.kernel.states import PaymentKind, RefundState
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.wire.codes import Code
from hundi.wire.fields import CURRENCIES, text_from_paise
from hundi.wire.merchant.record import TransactionRecord, told_data, told_envelope, with_hash


class Spoken(NamedTuple):
    """The `transaction_status`, `transaction_payment_status` and message of one state.

    The words are the specification's nine: clients read them as a closed list.
    """

    status: int
    payment_status: str
    message: str


class TransactionType(IntEnum):
    """The `transaction_type` of a record (docs/spec/states-and-codes.md#transaction-types)."""

    AUTHORISATION = 310
    SALE = 320
    CAPTURE = 330
    REFUND = 340
    """About a refund, or of an order of which everything was refunded."""
    DISPUTE = 350
    """About a dispute, whichever its phase."""
    VOID = 420


class News(NamedTuple):
    """The `detailed_status` of a record that is about more than its order, and its message."""

    detailed_status: str
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
MANDATE_APPROVED = Spoken(200, "Mandate Approved", "Mandate approved")
"""The words for a paid order that registered a mandate."""
REFUND_NEWS: Mapping[RefundState, News] = {
    RefundState.INITIATED: News("REFUND INITIATED", "The refund is under way"),
    RefundState.SENT: News("REFUND INITIATED", "The refund is under way"),
    RefundState.UNKNOWN: News("REFUND INITIATED", "The refund is under way"),
    RefundState.DONE: News("REFUNDED", "Refunded"),
    RefundState.FAILED: News("REFUND FAILED", "The refund failed; nothing was given back"),
    RefundState.REVERSED: News(
        "REFUND REVERSED", "The refund came back; the customer has nothing of it"
    ),
}
EXCESS = News("EXCESS", "More was paid than the order can keep; it goes back to the customer")
REFUNDED = News("REFUNDED", "Paid, and refunded in full")
NEWS_STATUS, NEWS_PAYMENT_STATUS = SPOKEN[P.IN_PROCESS][:2]
"""A record of news has neither 200 nor `SUCCESS`.

Existing clients would book the order as paid once more.
"""
_TYPE_OF_CARD = {"credit": "cc", "debit": "dc"}


def card_number(card: CardFacts) -> str:
    """Return a card's number as it is shown: its last four digits."""
    return "XXXXXXXXXXXX" + card.last4


def card_type(card: CardFacts) -> str:
    """Return a card's type as merchants read it (docs/spec/payment-interfaces.md#record)."""
    return _TYPE_OF_CARD.get(card.type, "Unknown")


def _spoken_of(facts: PaymentFacts) -> Spoken:
    registers = facts.state is P.PAID and facts.kind is PaymentKind.SUBSCRIPTION
    return MANDATE_APPROVED if registers else SPOKEN[facts.state]


def _news_of(facts: PaymentFacts) -> News | None:
    """Return a record's news beside the state of its order: none of it is a second success.

    That is a refund, an excess, a dispute, or news of the subscription that the payment began.
    """
    if facts.refund is not None:
        return REFUND_NEWS[facts.refund.state]
    if facts.excess_paise:
        return EXCESS
    if facts.mandate is not None:
        state = facts.mandate.state
        return News(f"MANDATE {state.upper()}", f"The subscription is {state}")
    if facts.dispute is not None:
        words = facts.dispute.state.replace("_", " ")
        return News(
            f"DISPUTE {words.upper()}", f"The {facts.dispute.phase.replace('_', '-')} is {words}"
        )
    return None


def is_refunded_in_full(facts: PaymentFacts) -> bool:
    """Return whether all that was collected for an order went back."""
    return bool(facts.captured_paise) and facts.refunded_paise == facts.captured_paise


def _type(facts: PaymentFacts) -> TransactionType:
    if facts.dispute is not None:
        return TransactionType.DISPUTE
    if facts.refund is not None or is_refunded_in_full(facts):
        return TransactionType.REFUND
    if facts.state is P.VOIDED:
        return TransactionType.VOID
    if facts.state is P.CAPTURED:
        return TransactionType.CAPTURE
    return (
        TransactionType.AUTHORISATION
        if facts.kind is PaymentKind.AUTHORISE
        else TransactionType.SALE
    )


def transaction_record(facts: PaymentFacts, merchant: Merchant) -> TransactionRecord:
    """Return a payment's record with `ap_SecureHash` (docs/spec/payment-interfaces.md#record)."""
    spoken, news, refund, dispute = _spoken_of(facts), _news_of(facts), facts.refund, facts.dispute
    told_of = news or (
        REFUNDED if is_refunded_in_full(facts) else News(spoken.payment_status, spoken.message)
    )
    buyer, card = facts.buyer, facts.card
    debit_paise = facts.mandate.amount_paise if facts.mandate else 0
    of_news = facts.excess_paise or debit_paise or (dispute.amount_paise if dispute else 0)
    amount_paise = refund.amount_paise if refund else of_news or facts.amount_paise
    record = TransactionRecord(
        ap_transactionid=str(facts.payment_id),
        orderid=facts.order_id,
        merchant_id=str(facts.merchant_id),
        amount=text_from_paise(amount_paise),
        transaction_status=NEWS_STATUS if news else spoken.status,
        transaction_payment_status=NEWS_PAYMENT_STATUS if news else spoken.payment_status,
        # Clients differ on whether their hash ends with a colon when UPI's payer is empty; without
        # a channel none does.
        chmod="" if facts.method == UPI.code and not facts.payer_vpa else facts.method,
        currency_code=CURRENCIES[facts.currency],
        message=told_of.message,
        bank_response_msg=refund.bank_message if refund else facts.bank_message,
        customer_name=f"{buyer.firstname} {buyer.lastname}".strip(),
        customer_phone=buyer.phone,
        customer_email=buyer.email,
        transaction_type=_type(facts),
        risk="1" if facts.state is P.UNDER_REVIEW else "0",
        transaction_time=_time(facts.created_at),
        token=facts.saved_card,
        card_scheme=card.scheme if card else "",
        card_number=card_number(card) if card else "",
        card_type=card_type(card) if card else "",
        bank_name=(card.issuer if card else "")
        or facts.bank_name
        or name_of(facts.bank)
        or facts.bank,
        card_country=card.country if card else "",
        rrn=facts.rrn,
        customvar=facts.custom_var,
        surcharge_amount=text_from_paise(facts.surcharge_paise),
        customer_vpa=facts.payer_vpa,
        bank_response_code=refund.bank_code if refund else facts.bank_code,
        detailed_status=told_of.detailed_status,
        captured_amount=text_from_paise(facts.captured_paise),
        paid_at=_time(facts.paid_at) if facts.paid_at else "",
        attempts=facts.attempts,
        emi_bank=(name_of(facts.bank) or facts.bank) if facts.emi_months else "",
        emi_months=facts.emi_months,
        emi_rate=f"{facts.emi_rate_bps / 100:.2f}" if facts.emi_rate_bps else "",
        refunds_count=facts.refunds,
        refunds_total=text_from_paise(facts.refunded_paise),
        refund_id=str(refund.refund_id) if refund else "",
        refund_request_id=refund.request_id if refund else "",
        refund_status=refund.state if refund else "",
        refund_rrn=refund.rrn if refund else "",
        dispute_id=str(dispute.dispute_id) if dispute else "",
        dispute_phase=dispute.phase if dispute else "",
        dispute_status=dispute.state if dispute else "",
        dispute_reason=dispute.reason if dispute else "",
        dispute_respond_by=_time(dispute.respond_by) if dispute else "",
        iso_currency=facts.currency,
        inr_amount=text_from_paise(_in_rupees(facts)) if facts.rate_micros else "",
        inr_rate=f"{facts.rate_micros // RATE_ONE}.{facts.rate_micros % RATE_ONE:06}"
        if facts.rate_micros
        else "",
    )
    return with_hash(record, merchant.keys.username, merchant.settings.secure_hash)


def _in_rupees(facts: PaymentFacts) -> int:
    if facts.refund is not None:
        return facts.refund.settled_paise
    return in_rupees(
        Money(facts.excess_paise or facts.amount_paise, facts.currency), facts.rate_micros
    ).paise


def _time(moment: datetime) -> str:
    at = ist(moment)
    # Several times as fast as `strftime`, and every record needs it.
    return "%02d-%02d-%04d %02d:%02d:%02d" % (  # noqa: UP031 (as above)
        at.day,
        at.month,
        at.year,
        at.hour,
        at.minute,
        at.second,
    )


def told(
    record: TransactionRecord, merchant: Merchant, *, as_text: bool, **extra: str
) -> dict[str, object]:
    """Return the object of a merchant's return or notification.

    The return leg and the JSON notifications share it, so that they cannot differ. extra: further
    texts on top, such as the event.
    """
    codes: dict[str, object] = {
        "status_code": "200",
        "status": "success",
        "response_code": Code.SUCCESS.wire,
        **extra,
    }
    return told_envelope(
        codes, told_data(record, as_text=as_text, left_out=merchant.settings.left_out)
    )
