"""What tests ask of a connector whose other gateway is the stand-in, and what that answers."""

from typing import Any

from hundi.acquirers.gateway.connector import GatewayConnector
from hundi.acquirers.gateway.seamless import SeamlessCardsGateway
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirers.gateway.standin import Standin, answer, record

AMOUNT = Money(149_950)
CHARGE = Charge("10001-1", AMOUNT)
CALLBACK = "https://pay.example.in/callbacks/other"
BANK = "https://bank.example.in"
CARD = CardNumber("4539578763621486", 12, 2040, "123")
LINK = "upi://pay?pa=a@b&pn=A&tr=1&am=1499.50&cu=INR"
REFUND = RefundOrder("10001-R1", "10001-1", Money(50_000))


def paid(other: Standin, **changes: Any) -> None:
    other.said["verify"] = answer(record(**changes))


async def begun(connector: GatewayConnector, *, capture: bool = True) -> Redirect:
    page = await connector.start_checkout(
        CHARGE, method="card", return_url="", expires_in_s=900, capture=capture
    )
    assert isinstance(page, Redirect)
    return page


CALLS = {
    "page": lambda one: one.start_checkout(
        CHARGE, method="card", return_url="", expires_in_s=900, capture=True
    ),
    "link": lambda one: one.upi_link(CHARGE, expires_in_s=900),
    "bank": lambda one: one.start_redirect(
        CHARGE, method="netbanking", bank_code="HDFC", return_url=""
    ),
    "card": lambda one: one.charge_card(CHARGE, CARD, return_url="", capture=True),
    "inquire": lambda one: one.inquire("10001-1"),
    "refund": lambda one: one.refund(REFUND),
    "address": lambda one: one.check_address("asha@okaxis"),
    "banks": lambda one: one.banks(),
}
OPERATION = {
    "page": "oauth2",
    "link": "generateorder",
    "bank": "seamless",
    "card": "seamless",
    "inquire": "verify",
    "refund": "verify",
    "address": "validatevpa",
    "banks": "banks",
}


def forgetful(connector: SeamlessCardsGateway) -> SeamlessCardsGateway:
    """One reference is for one way to pay: forget what it was used for."""
    connector.memory = ShortMemory()
    return connector
