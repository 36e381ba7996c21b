"""Requests to Razorpay about mandates: their customers, orders, notices and debits."""

from datetime import datetime, time, timedelta
from typing import Any

from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice, MandateRequest
from hundi.acquirers.port.payments import Charge
from hundi.kernel.clock import INDIA

NAME_MIN, NAME_MAX = 3, 50
"""Razorpay's limits of characters for a customer's name."""
HOLDER_MIN, HOLDER_MAX = 4, 120
"""The same for the holder of a bank account."""
EMANDATE = "emandate"
"""Razorpay's word for mandates of bank accounts."""
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
    return {
        "method": method,
        "token": {
            **_bounds(mandate),
            "frequency": FREQUENCIES.get((method, mandate.recur), AS_PRESENTED),
        },
    }


def _bounds(mandate: MandateRequest) -> dict[str, int]:
    last = datetime.combine(mandate.valid_until + timedelta(days=1), time(0), INDIA)
    return {"max_amount": mandate.maximum.paise, "expire_at": int(last.timestamp()) - 1}


def registration(
    charge: Charge, mandate: MandateRequest, contact: Customer, *, auth_type: str, until_s: int
) -> dict[str, Any]:
    """Return the page at which a bank account's mandate is registered.

    Registering costs the customer nothing. Razorpay debits the first amount when the bank has
    confirmed the mandate. until_s: the page's end, in Unix seconds.
    """
    account = {"account_type": "savings"}
    if len(contact.name.strip()) >= HOLDER_MIN:
        account["beneficiary_name"] = contact.name.strip()[:HOLDER_MAX]
    return {
        "customer": {
            "name": customer(contact)["name"],
            "email": contact.email,
            "contact": contact.phone,
        },
        "type": "link",
        "amount": 0,
        "currency": charge.amount.currency,
        "description": charge.payee_name or "Payment",
        "subscription_registration": {
            "method": EMANDATE,
            "auth_type": auth_type,
            "first_payment_amount": charge.amount.paise,
            "bank_account": account,
            **_bounds(mandate),
        },
        "receipt": charge.reference,
        "expire_by": until_s,
        "sms_notify": False,
        "email_notify": False,
        "notes": {REFERENCE_NOTE: charge.reference},
    }


def approving(path: str, payer: str) -> dict[str, Any]:
    """Return the fields by which a payment approves the mandate of its order."""
    if path.endswith("/upi"):
        return {"customer_id": payer, "recurring": "1"}
    return {"customer_id": payer, "recurring": True, "save": 1}


def notice(of: MandateNotice, receipt: str, token: str) -> dict[str, Any]:
    """Return the order of a debit.

    token: of which Razorpay tells the customer; "" where it tells nobody, as of bank accounts.
    """
    fields = {
        "amount": of.amount.paise,
        "currency": of.amount.currency,
        "receipt": receipt,
        "unique_receipt": True,
        "payment_capture": True,
    }
    told = {"token_id": token, "payment_after": int(of.debit_at.timestamp())}
    return {**fields, "notification": told} if token else fields


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
