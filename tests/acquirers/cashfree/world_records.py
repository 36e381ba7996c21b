"""Orders, payments and refunds of the stand-in's world, in Cashfree's words."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

IST = timezone(timedelta(hours=5, minutes=30))
_SURCHARGE = ("payment_surcharge_service_charge", "payment_surcharge_service_tax")
ORDER_LIFE = timedelta(days=30)
HOLD_LIFE = timedelta(days=7)


def rupees(amount: Decimal) -> Decimal:
    """Return an amount as Cashfree writes it in webhooks and answers.

    Two decimals, which a parser drops.
    """
    return amount.quantize(Decimal("0.01"))


@dataclass
class Payment:
    """One attempt.

    status: SUCCESS, NOT_ATTEMPTED, FAILED, USER_DROPPED, VOID, CANCELLED or PENDING.
    """

    id: str
    group: str
    amount: Decimal
    currency: str
    method: dict[str, Any]
    started: datetime
    status: str = "NOT_ATTEMPTED"
    bank_reference: str | None = None
    error: dict[str, str] | None = None
    captured: bool = True
    action: str | None = None
    captured_amount: Decimal = Decimal(0)
    surcharge: tuple[Decimal, Decimal] | None = None
    ended: datetime | None = None


@dataclass
class Order:
    """One order of ours. terminal states close it to further attempts.

    PAID, EXPIRED, TERMINATED.
    """

    id: str
    cf_id: str
    amount: Decimal
    currency: str
    customer: dict[str, Any]
    meta: dict[str, Any]
    note: str | None
    created: datetime
    expires: datetime
    session: str
    status: str = "ACTIVE"
    payments: list[Payment] = field(default_factory=list)
    refunds: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, str] | None = None


def stamp(at: datetime) -> str:
    """Return a time as Cashfree writes it, in India."""
    return at.astimezone(IST).isoformat(timespec="seconds")


def order_told(order: Order) -> dict[str, Any]:
    """Return an order as the API tells it."""
    return {
        "cf_order_id": order.cf_id,
        "created_at": stamp(order.created),
        "customer_details": order.customer,
        "entity": "order",
        "order_amount": rupees(order.amount),
        "order_currency": order.currency,
        "order_expiry_time": stamp(order.expires),
        "order_id": order.id,
        "order_meta": order.meta,
        "order_note": order.note,
        "order_splits": [],
        "order_status": order.status,
        "order_tags": order.tags,
        "payment_session_id": order.session,
    }


def payment_told(order: Order, paid: Payment, now: datetime) -> dict[str, Any]:
    """Return an attempt as the API tells it. A hold that nobody captured in its time is void."""
    lapsed = paid.status == "SUCCESS" and not paid.captured and now > paid.started + HOLD_LIFE
    ended = paid.action or ("VOID" if lapsed else None)
    preauthorised = ended or not paid.captured
    return {
        "auth_id": None,
        "authorization": {
            "action": ended,
            "status": "SUCCESS" if ended else None,
            "captured_amount": rupees(paid.captured_amount),
            "start_time": stamp(paid.started),
            "end_time": stamp(paid.started + HOLD_LIFE),
            "approve_by": None,
            "action_reference": None,
            "action_time": None,
        }
        if preauthorised
        else None,
        "bank_reference": paid.bank_reference,
        "cf_payment_id": paid.id,
        "entity": "payment",
        "error_details": paid.error,
        "is_captured": paid.captured,
        "order_amount": rupees(order.amount),
        "order_currency": order.currency,
        "order_id": order.id,
        "payment_amount": rupees(paid.amount),
        "payment_completion_time": stamp(paid.ended) if paid.ended else None,
        "payment_currency": paid.currency,
        "payment_group": paid.group,
        "payment_message": "Transaction successful" if paid.status == "SUCCESS" else None,
        "payment_method": paid.method,
        "payment_status": "VOID" if lapsed else paid.status,
        "payment_surcharge": paid.surcharge
        and dict(zip(_SURCHARGE, map(rupees, paid.surcharge), strict=True)),
        "payment_time": stamp(paid.started),
    }


def next_step(
    name: str, channel: str, page: str, order: Order, payment: Payment
) -> tuple[str, dict[str, Any]]:
    """Return what the browser or the phone does next."""
    if name != "upi":
        return ("post" if channel == "post" else "link"), {"url": page, "method": "get"}
    link = f"upi://pay?pa=cf.{order.id.lower()}@cashfreeicici&pn=Stand-in&tr={payment.id}&am={order.amount:.2f}&cu=INR"
    if channel == "collect":
        return "custom", {}
    if channel == "qrcode":
        return "custom", {"payload": {"qrcode": "data:image/png;base64,iVBORw0KGgo="}}
    query = link.partition("?")[2]
    apps = {"default": link, "bhim": link, "web": page}
    apps |= {
        "gpay": f"tez://upi/pay?{query}",
        "paytm": f"paytmmp://upi/pay?{query}",
        "phonepe": f"phonepe://pay?{query}",
    }
    return "custom", {"payload": apps}


def paid_by(group: str) -> dict[str, Any]:
    return (
        {"upi": {"channel": "link", "upi_id": "asha@okaxis"}}
        if group == "upi"
        else {group: {"channel": "link"}}
    )


def refund_told(refund: dict[str, Any], auto: bool) -> dict[str, Any]:  # noqa: FBT001 (one caller, a line above)
    """Return a refund as a webhook tells it; one of Cashfree's own has no order in it."""
    if not auto:
        return {"refund": refund}
    left_out = {"order_id", "refund_id", "refund_note", "refund_splits", "metadata"}
    return {"auto_refund": {name: value for name, value in refund.items() if name not in left_out}}
