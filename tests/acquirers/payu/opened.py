"""Settings of a connector that calls the stand-in, and what tests ask it for."""

from collections.abc import Callable
from typing import Any

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.payu.connector import PayUAccount, PayUConnector
from hundi.acquirers.payu.kind import PayUSettings
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.payu import standin_payments
from tests.acquirers.payu.standin import PayU
from tests.acquirers.shared import Clock

CALLBACK = "https://pay.example.in/callbacks/payu"
RETURN = "https://pay.example.in/pay/v4/s/x/done"
ASHA = Customer(
    "Asha | Rao", "asha@example.in", "9876543210", "203.0.113.7", "Mozilla/5.0 (X11; Linux)"
)


def settings(payu: PayU, **other: Any) -> PayUSettings:
    return PayUSettings(
        **{
            "key": standin_payments.KEY,
            "salt": standin_payments.SALT,
            "environment": "production",
            "contact_email": "shop@example.in",
            "contact_phone": "9000000000",
            "payment_url": payu.url,
            "command_url": payu.url,
            **other,
        }
    )


def connector_at(
    payu: PayU,
    memory: Memory,
    clock: Clock,
    kind: type[PayUConnector] = PayUConnector,
    url: str = "",
    **other: Any,
) -> PayUConnector:
    """Return one that has the time of a test. url: of another server. other: of its account."""
    account = PayUAccount(
        standin_payments.KEY, standin_payments.SALT, "shop@example.in", "9000000000", **other
    )
    setup = ConnectorSetup("payu", memory, now_s=clock)
    return kind(setup, account, url or payu.url, url or payu.url, CALLBACK)


def charge(paise: int = 100_000, reference: str = "10001-1") -> Charge:
    return Charge(reference, Money(paise), payee_name="Asha Handlooms", customer=ASHA)


async def page_of(
    one: PayUConnector, asked: Charge, *, method: str = "card", capture: bool = True
) -> Any:
    return await one.start_checkout(
        asked, method=method, return_url=RETURN, expires_in_s=900, capture=capture
    )


async def visited(one: PayUConnector, payu: PayU, asked: Charge, *, capture: bool = True) -> None:
    """Get a page and open it, as a browser does that posts the form."""
    page = await page_of(one, asked, capture=capture)
    assert isinstance(page, Redirect)
    payu.visit(page.fields)


async def paid(
    one: PayUConnector, payu: PayU, paise: int = 100_000, *, capture: bool = True
) -> Charge:
    asked = charge(paise)
    await visited(one, payu, asked, capture=capture)
    payu.pay(asked.reference)
    return asked


CALLS: dict[str, Callable[[PayUConnector], Any]] = {
    "inquire": lambda one: one.inquire("10001-1"),
    "link": lambda one: one.upi_link(charge(reference="10001-2"), expires_in_s=900),
    "capture": lambda one: one.capture("10001-1", Money(100_000)),
    "void": lambda one: one.void("10001-1"),
    "refund": lambda one: one.refund(RefundOrder("10001-5", "10001-1", Money(5))),
}
