"""Requests to Razorpay about mandates: their customers, orders, notices and debits."""

from datetime import datetime, time, timedelta
from typing import Any

from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice, MandateRequest
from hundi.kernel.clock import INDIA

NAME_MIN, NAME_MAX = 3, 50
"""Razorpay's limits of characters for a customer's name."""
FREQUENCIES = {
    ("upi", "WEEKLY"): "weekly",
    ("upi", "MONTHLY"): "monthly",
    ("upi", "YEARLY"): "yearly",
    ("card", "WEEKLY"): "weekly",
    ("card", "MONTHLY"): "monthly",
    ("card", "YEARLY"): "yearly",
}
"""By Razorpay's method and the network's word: its own word. Any other is as presented."""
AS_PRESENTED = "as_presented"


def customer(of: Customer) -> dict[str, Any]:
    """Return the customer who approves a mandate; a known one is returned as it is."""
    name = of.name.strip()[:NAME_MAX]
    return {
        "name": name if len(name) >= NAME_MIN else "Customer",
        "email": of.email,
        "contact": of.phone,
        "fail_existing": "0",
    }


def approved(mandate: MandateRequest, method: str) -> dict[str, Any]:
    """Return the fields by which an order's payment approves a mandate, too."""
    last = datetime.combine(mandate.valid_until + timedelta(days=1), time(0), INDIA)
    return {
        "method": method,
        "token": {
            "max_amount": mandate.maximum.paise,
            "expire_at": int(last.timestamp()) - 1,
            "frequency": FREQUENCIES.get((method, mandate.recur), AS_PRESENTED),
        },
    }


def approving(path: str, payer: str) -> dict[str, Any]:
    """Return the fields by which a payment approves the mandate of its order."""
    if path.endswith("/upi"):
        return {"customer_id": payer, "recurring": "1"}
    return {"customer_id": payer, "recurring": True, "save": 1}


def notice(of: MandateNotice, receipt: str, token: str) -> dict[str, Any]:
    """Return the order of a debit, of which Razorpay tells the customer."""
    return {
        "amount": of.amount.paise,
        "currency": of.amount.currency,
        "receipt": receipt,
        "unique_receipt": True,
        "payment_capture": True,
        "notification": {"token_id": token, "payment_after": int(of.debit_at.timestamp())},
    }


def debit(of: MandateDebit, *, payer: str, token: str, contact: Customer) -> dict[str, Any]:
    """Return a debit of a token; the note finds it among the payments of its order."""
    return {
        "email": contact.email,
        "contact": contact.phone,
        "amount": of.amount.paise,
        "currency": of.amount.currency,
        "order_id": of.notice_name,
        "customer_id": payer,
        "token": token,
        "recurring": True,
        "notes": {REFERENCE_NOTE: of.reference},
    }
