"""Charges and customers that tests of the Razorpay connector share."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hundi.acquirers.port.answers import Approved, Redirect
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault

ASHA = Customer("Asha", "asha@example.in", "9876543210", "203.0.113.7", "Mozilla/5.0")
CHARGE = Charge("10001-2", Money(149_950), customer=ASHA, payee_name="Tea House")
CARD = CardNumber("4386289407660153", 12, 2060, "123", "Asha")
RETURN_URL = "https://pay.example.in/back"
LATER_S = 3_600
MANY = 20
"""Calls that go wrong one after the other: a question is asked again."""
SPOILT = [
    Fault.HTML,
    Fault.CUT,
    Fault.EMPTY,
    Fault.FAILED,
    Fault.LOST_AFTER,
    Fault.LOST_BEFORE,
    Fault.UNAUTHORIZED,
]
Called = Callable[[RazorpayCardConnector], Awaitable[Any]]
RECEIPTS = pytest.mark.parametrize("receipts", ["unique", "not unique"])
CALLS: dict[str, tuple[str, Called]] = {
    "link": ("/create/upi", lambda each: each.upi_link(CHARGE, expires_in_s=300)),
    "bank": (
        "/create/json",
        lambda each: each.start_redirect(
            CHARGE, method="netbanking", bank_code="HDFC", return_url=RETURN_URL
        ),
    ),
    "card": (
        "/create/json",
        lambda each: each.charge_card(CHARGE, CARD, return_url=RETURN_URL, capture=True),
    ),
}
PAGE: Called = lambda each: each.start_checkout(  # noqa: E731 (one of several calls)
    CHARGE, method="card", return_url=RETURN_URL, expires_in_s=900, capture=True
)
HOLD: Called = lambda each: each.start_checkout(  # noqa: E731
    CHARGE, method="card", return_url=RETURN_URL, expires_in_s=900, capture=False
)


def payment_id(bank: Standin) -> str:
    (found,) = bank.books.payments.values()
    return found.id


async def paid(bank: Standin, connector: RazorpayConnector) -> str:
    assert isinstance(await connector.upi_link(CHARGE, expires_in_s=300), UpiLink)
    bank.books.pay(payment_id(bank))
    assert isinstance(await connector.inquire(CHARGE.reference), Approved)
    return payment_id(bank)


async def held(bank: Standin, connector: RazorpayCardConnector) -> str:
    """Hold the amount of a charge, on Razorpay's page."""
    page = await HOLD(connector)
    assert isinstance(page, Redirect)
    who = {"email": "asha@example.in", "contact": "9876543210", "method": "card"}
    wanted = {
        "order_id": page.authentication_id,
        "amount": CHARGE.amount.paise,
        "currency": "INR",
        **who,
    }
    return bank.books.pay(bank.books.create_payment(wanted, {}).id).id
