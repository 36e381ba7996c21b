"""Bodies of requests to Cashfree: orders, payment links, ways to pay and refunds; pure."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hundi.acquirers.cashfree import banks, refunds, rules
from hundi.acquirers.cashfree.words import in_rupees
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.acquirers.port.splits import ReversalOrder
from hundi.instruments.card import CardNumber

CARDS = "cc,dc,ccc,ppc"
MODES = {"upi": "upi", "netbanking": "nb", "wallet": "app", "card": CARDS, "emi": "ccemi"}
"""Cashfree's payment modes, by our methods."""
URL_LENGTH_MAX = 250
_KEYS = uuid.UUID("7a4a1c52-5f0d-4f0e-9a6c-2a3f5d7a9b01")
_SHORT_YEAR = 100


def key(*parts: str) -> dict[str, str]:
    """Return the idempotency header: a UUID made of the call's contents."""
    return {"x-idempotency-key": str(uuid.uuid5(_KEYS, "/".join(parts)))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of an order or payment link.

    mode: Cashfree's payment modes. ends: until when a payment can begin, UTC. phone: used where the
    customer gives none.
    """

    mode: str
    phone: str
    return_url: str
    notify_url: str
    ends: datetime


def order(charge: Charge, terms: Terms) -> dict[str, Any]:
    """Return an order of one charge for one way to pay."""
    return {
        "order_id": charge.reference,
        "order_amount": in_rupees(charge.amount),
        "order_currency": charge.amount.currency,
        "customer_details": _customer(charge, terms.phone)
        | {"customer_id": charge.reference.replace("-", "a")},
        "order_meta": {"payment_methods": terms.mode} | _urls(terms),
        "order_expiry_time": terms.ends.isoformat(timespec="seconds"),
    }


def link(charge: Charge, terms: Terms) -> dict[str, Any]:
    """Return a payment link of one charge.

    Cashfree's own page sends no messages to the customer.
    """
    return {
        "link_id": charge.reference,
        "link_amount": in_rupees(charge.amount),
        "link_currency": charge.amount.currency,
        "link_purpose": (charge.payee_name or "Payment")[:100],
        "link_partial_payments": False,
        "customer_details": _customer(charge, terms.phone),
        "link_meta": {"payment_methods": terms.mode} | _urls(terms),
        "link_notify": {"send_sms": False, "send_email": False},
        "link_auto_reminders": False,
        "link_expiry_time": terms.ends.isoformat(timespec="seconds"),
    }


def _customer(charge: Charge, otherwise: str) -> dict[str, str]:
    customer = charge.customer
    fields = {"customer_email": customer.email, "customer_name": customer.name}
    filled = {name: value for name, value in fields.items() if value}
    return filled | {"customer_phone": rules.phone_of(customer.phone, otherwise)}


def _urls(terms: Terms) -> dict[str, str]:
    notified = terms.notify_url.startswith("https://") and len(terms.notify_url) <= URL_LENGTH_MAX
    back = {"return_url": terms.return_url} if terms.return_url else {}
    return back | ({"notify_url": terms.notify_url} if notified else {})


def upi() -> dict[str, Any]:
    """Return the way to pay by a UPI link."""
    return {"upi": {"channel": "link"}}


def bank(method: str, code: str, phone: str) -> dict[str, Any] | None:
    """Return the way to pay at a bank's or wallet's page, None when Cashfree lacks the bank."""
    if method == "netbanking" and code in banks.BANK_NUMBERS:
        return {"netbanking": {"channel": "link", "netbanking_bank_code": banks.BANK_NUMBERS[code]}}
    if method == "wallet" and code in banks.PROVIDERS:
        return {"app": {"channel": "link", "provider": banks.PROVIDERS[code], "phone": phone}}
    return None


def card(typed: CardNumber, holder: str) -> dict[str, Any]:
    """Return the way to pay by a typed card, confirmed at its bank's page.

    holder: used where none was typed.
    """
    return {
        "card": {
            "channel": "link",
            "card_number": typed.number,
            "card_holder_name": typed.holder or holder or "Card holder",
            "card_expiry_mm": f"{typed.expiry_month:02d}",
            "card_expiry_yy": f"{typed.expiry_year % _SHORT_YEAR:02d}",
            "card_cvv": typed.cvv,
        }
    }


def refund(refund_order: RefundOrder, reversals: Sequence[ReversalOrder] = ()) -> dict[str, Any]:
    """Return a refund at the speed of the payment's own network.

    reversals: what vendors bear of it. Where none bears a part, Cashfree is told of no parts.
    """
    splits = [
        {"vendor_id": each.share.party, "amount": in_rupees(each.amount)} for each in reversals
    ]
    parts = {"refund_splits": splits} if splits else {}
    return parts | {
        "refund_id": refunds.refund_id(refund_order.reference),
        "refund_amount": in_rupees(refund_order.amount),
        "refund_speed": "STANDARD",
    }
