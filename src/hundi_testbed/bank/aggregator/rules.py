"""An aggregator's order, its state, and the UPI link that pays it; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from hundi_testbed.bank.rules import BankCardFacts, IssuerDecision, Status
from hundi_testbed.bank.states import BankPayment

_IST = timezone(timedelta(hours=5, minutes=30))
LEFT_CODE = "17"
CANCELLED, EXPIRED = "The customer went back to the shop", "Nobody paid in time"
_MOVED = {
    Status.PAID: "paid",
    Status.AUTHORISED: "authorised",
    Status.VOIDED: "voided",
    Status.PENDING: "pending",
}


@dataclass(frozen=True, slots=True)
class AggregatorOrder:
    """An order, as stored; schema_4.sql explains the columns."""

    order_id: str
    reference: str
    way: str
    amount_paise: int
    capture: bool
    once: bool
    return_url: str
    payee_name: str
    page: str
    expires_at: datetime
    closed_code: str = ""
    closed_words: str = ""


@dataclass(frozen=True, slots=True)
class CardTry:
    """A card tried at an order.

    trans_status: the result of its challenge, "" before.
    """

    try_id: str
    order_id: str
    at: datetime
    step: str
    card: BankCardFacts
    issuer_decision: IssuerDecision
    otps: int = 0
    code: str = ""
    words: str = ""
    trans_status: str = ""


@dataclass(frozen=True, slots=True)
class OrderStanding:
    """The state of an order.

    status: created, attempted, pending, paid, authorised, voided, failed or expired.
    """

    status: str
    code: str = ""
    words: str = ""
    trans_status: str = ""


def standing(
    order: AggregatorOrder, payment: BankPayment | None, last: CardTry | None, now: datetime
) -> OrderStanding:
    """Return the state of an order: a failed try ends only an order that takes no more of them."""
    if payment is not None and payment.status in _MOVED:
        return OrderStanding(_MOVED[payment.status], payment.code, payment.message)
    refused = payment is not None and payment.status is Status.DECLINED
    code, words, trans_status = (last.code, last.words, last.trans_status) if last else ("", "", "")
    if payment is not None and refused:
        code, words, trans_status = payment.code, payment.message, ""
    if order.closed_code:
        return OrderStanding("failed", order.closed_code, order.closed_words, trans_status)
    if refused and order.once:
        return OrderStanding("failed", code, words)
    if order.expires_at <= now and (payment is None or refused):
        return (
            OrderStanding("failed", code, words, trans_status)
            if code
            else OrderStanding("expired", LEFT_CODE, EXPIRED)
        )
    return OrderStanding("attempted" if last or payment else "created", code, words)


def upi_link(order: AggregatorOrder) -> str:
    """Return the link that pays an order by UPI."""
    merchant = order.reference.partition("-")[0]
    fields = {
        "pa": f"m{merchant}@simbank",
        "pn": order.payee_name or "Merchant",
        "mc": "0000",
        "tr": order.reference,
        "am": f"{order.amount_paise // 100}.{order.amount_paise % 100:02d}",
        "cu": "INR",
        "mode": "22",
        "purpose": "00",
        "tn": order.order_id,
        "QRexpire": order.expires_at.astimezone(_IST).isoformat(timespec="seconds"),
    }
    return "upi://pay?" + "&".join(
        f"{name}={quote(value, safe='@.-_')}" for name, value in fields.items()
    )
