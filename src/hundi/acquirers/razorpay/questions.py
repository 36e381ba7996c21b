"""Requests to Razorpay: the bodies of calls, and the fields of its page."""

import re
from collections.abc import Mapping
from typing import Any

from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import BankEntry, Charge, RefundOrder
from hundi.acquirers.razorpay.messages import Methods
from hundi.acquirers.razorpay.rules import CAPTURED_WITHIN_MIN, HOLD_MIN
from hundi.instruments.card import CardNumber

EMAIL_MAX, PHONE_MAX = 40, 15
"""Razorpay's limits of characters for a customer's e-mail address and phone number."""
WALLETS = {
    "airtelmoney": ("AIRT", "Airtel Money"),
    "amazonpay": ("AMZN", "Amazon Pay"),
    "bajajpay": ("BAJP", "Bajaj Pay"),
    "freecharge": ("FRCH", "Freecharge"),
    "jiomoney": ("JIOM", "JioMoney"),
    "mobikwik": ("MBKW", "MobiKwik"),
    "olamoney": ("OLAM", "Ola Money"),
    "payzapp": ("PAYZ", "PayZapp"),
    "phonepe": ("PHPE", "PhonePe"),
}
LENDERS = {
    "epaylater": ("EPLT", "ePayLater"),
    "getsimpl": ("SMPL", "Simpl"),
    "hdfc": ("HDFC", "HDFC Bank FlexiPay"),
    "icic": ("ICIC", "ICICI Bank PayLater"),
    "lazypay": ("LAZY", "LazyPay"),
}
"""Wallets, and lenders, that pay in rupees: by Razorpay's code ours and a name.

Others are not offered.
"""
_BANK = re.compile(r"[A-Z]{4}(_C)?\Z")
_RETAIL = "_R"
_SENT_AS = {
    "netbanking": ("netbanking", "bank"),
    "wallet": ("wallet", "wallet"),
    "pay_later": ("paylater", "provider"),
}
"""By our method: Razorpay's, and the field that names the bank."""
_BROWSER = {
    "java_enabled": False,
    "javascript_enabled": False,
    "timezone_offset": -330,
    "color_depth": 24,
    "screen_width": 1280,
    "screen_height": 720,
}
"""Razorpay requires this for card payments.

Our page does not ask the browser: it works without scripts.
"""


def order(charge: Charge, *, hold: bool, payer: str = "") -> dict[str, Any]:
    """Return the order of a charge.

    It is captured soon after it was paid, or not at all; a hold waits for its capture. payer: the
    Razorpay customer who approves the charge's mandate. unique_receipt: a repeat returns the first
    order.
    """
    options = {
        "manual_expiry_period": HOLD_MIN if hold else CAPTURED_WITHIN_MIN,
        "refund_speed": "normal",
    }
    if not hold:
        options["automatic_expiry_period"] = CAPTURED_WITHIN_MIN
    fields = {
        "amount": charge.amount.paise,
        "currency": charge.amount.currency,
        "receipt": charge.reference,
        "unique_receipt": True,
        "payment": {"capture": "manual" if hold else "automatic", "capture_options": options},
        "notes": {REFERENCE_NOTE: charge.reference},
    }
    return {**fields, "customer_id": payer} if payer else fields


def payment(charge: Charge, order_id: str, customer: Customer) -> dict[str, Any]:
    """Return the fields of every payment that we begin ourselves."""
    fields: dict[str, Any] = {
        "amount": charge.amount.paise,
        "currency": charge.amount.currency,
        "order_id": order_id,
        "email": customer.email,
        "contact": customer.phone,
        "notes": {REFERENCE_NOTE: charge.reference},
    }
    optional = {"ip": customer.address, "user_agent": customer.user_agent}
    return fields | {name: value for name, value in optional.items() if value}


def upi(charge: Charge, order_id: str, customer: Customer) -> dict[str, Any]:
    """Return a payment by UPI whose link we show."""
    return {**payment(charge, order_id, customer), "method": "upi", "upi": {"flow": "intent"}}


def visit(
    charge: Charge, order_id: str, customer: Customer, *, method: str, code: str, return_url: str
) -> dict[str, Any]:
    """Return a payment at the page of a bank, wallet or lender. code: as Razorpay writes it."""
    theirs, named = _SENT_AS[method]
    fields = payment(charge, order_id, customer)
    return {**fields, "method": theirs, named: code, "callback_url": return_url}


def card(
    charge: Charge, order_id: str, customer: Customer, typed: CardNumber, return_url: str
) -> dict[str, Any]:
    """Return a payment by a card that was typed on our page, at once or in instalments."""
    method = (
        {"method": "emi", "emi_duration": charge.emi_months}
        if charge.emi_months
        else {"method": "card"}
    )
    return {
        **payment(charge, order_id, customer),
        **method,
        "card": {
            "number": typed.number,
            "name": typed.holder or customer.name,
            "expiry_month": f"{typed.expiry_month:02}",
            "expiry_year": f"{typed.expiry_year % 100:02}",
            "cvv": typed.cvv,
        },
        "authentication": {"authentication_channel": "browser"},
        "browser": _BROWSER,
        "callback_url": return_url,
    }


def page(
    charge: Charge, order_id: str, customer: Customer, *, key_id: str, method: str, return_url: str
) -> tuple[tuple[str, str], ...]:
    """Return the fields that a browser posts to reach Razorpay's page."""
    fields = {
        "key_id": key_id,
        "order_id": order_id,
        "amount": str(charge.amount.paise),
        "currency": charge.amount.currency,
        "name": charge.payee_name or "Payment",
        "method": method,
        "prefill[name]": customer.name,
        "prefill[email]": customer.email,
        "prefill[contact]": customer.phone,
        f"notes[{REFERENCE_NOTE}]": charge.reference,
        "callback_url": return_url,
        "cancel_url": return_url,
    }
    return tuple((name, value) for name, value in fields.items() if value)


def refund(refund_order: RefundOrder) -> dict[str, Any]:
    """Return a refund at the usual speed."""
    return {
        "amount": refund_order.amount.paise,
        "speed": "normal",
        "receipt": refund_order.reference,
        "notes": {REFERENCE_NOTE: refund_order.reference},
    }


def reachable_at(customer: Customer, email: str, phone: str) -> Customer | None:
    """Return the contact for Razorpay: the customer, else the merchant; None where there is none.

    email, phone: the merchant's.
    """
    mail = customer.email if 0 < len(customer.email) <= EMAIL_MAX else email
    number = customer.phone if 0 < len(customer.phone) <= PHONE_MAX else phone
    if not mail or not number:
        return None
    return Customer(customer.name, mail, number, customer.address, customer.user_agent)


def choices(methods: Methods) -> dict[tuple[str, str], tuple[str, BankEntry]]:
    """Return the choices of customers: by our method and code, Razorpay's code and the entry.

    Razorpay writes retail banking of some banks with `_R`; ours is the bank's IFSC code alone.
    """
    choices: dict[tuple[str, str], tuple[str, BankEntry]] = {}
    banks = _mapping(methods.netbanking)
    for code, name in banks.items():
        ours = code.removesuffix(_RETAIL)
        # A bank with and without `_R` is offered once.
        if isinstance(name, str) and _BANK.match(ours) and (ours == code or ours not in banks):
            choices["netbanking", ours] = code, BankEntry("netbanking", ours, name)
    for method, answer, names in (
        ("wallet", methods.wallet, WALLETS),
        ("pay_later", methods.paylater, LENDERS),
    ):
        for code, on in _mapping(answer).items():
            if on and code in names:
                ours, name = names[code]
                choices[method, ours] = code, BankEntry(method, ours, name)
    return choices


def _mapping(value: object) -> Mapping[str, object]:
    """Return an object; Razorpay writes an empty one as a list."""
    return value if isinstance(value, dict) else {}
