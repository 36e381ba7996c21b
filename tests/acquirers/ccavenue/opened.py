"""Settings of a connector that calls the stand-in, and every call that it makes."""

from collections.abc import Callable
from typing import Any

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.ccavenue.connector import (
    CCAvenueAccount,
    CCAvenueConnector,
    CCAvenueUpiConnector,
)
from hundi.acquirers.ccavenue.kind import CCAvenueSettings
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.ccavenue import standin
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.shared import CALLBACK, Clock, charge, page_of


def settings(ccavenue: CCAvenue, **other: Any) -> CCAvenueSettings:
    fields = {
        "merchant_id": standin.MERCHANT,
        "access_code": standin.ACCESS,
        "working_key": standin.KEY,
        "environment": "production",
        "holds": True,
        "page_url": ccavenue.url,
        "api_url": ccavenue.url,
    }
    return CCAvenueSettings(**{**fields, **other})


def connector_at(ccavenue: CCAvenue, memory: ShortMemory, clock: Clock) -> CCAvenueConnector:
    """Return one that has the time of a test."""
    account = CCAvenueAccount(standin.MERCHANT, standin.ACCESS, standin.KEY)
    setup = ConnectorSetup("ccavenue", memory, now_s=clock)
    return CCAvenueConnector(setup, account, ccavenue.url, ccavenue.url, holds=True)


def intents_at(ccavenue: CCAvenue, memory: ShortMemory, clock: Clock) -> CCAvenueUpiConnector:
    """Return one of an account with UPI intents."""
    account = CCAvenueAccount(standin.MERCHANT, standin.ACCESS, standin.KEY)
    setup, url = ConnectorSetup("ccavenue", memory, now_s=clock), ccavenue.url
    return CCAvenueUpiConnector(setup, account, url, url, CALLBACK, holds=True)


async def visited(
    one: CCAvenueConnector, ccavenue: CCAvenue, asked: Charge, *, capture: bool = True
) -> None:
    """Get a page and open it, as a browser does that posts the form."""
    page = await page_of(one, asked, capture=capture)
    assert isinstance(page, Redirect)
    ccavenue.visit(page.url, page.fields)


async def paid(
    one: CCAvenueConnector, ccavenue: CCAvenue, paise: int = 100_000, *, capture: bool = True
) -> Charge:
    asked = charge(paise)
    await visited(one, ccavenue, asked, capture=capture)
    ccavenue.pay(asked.reference)
    return asked


CALLS: dict[str, Callable[[CCAvenueConnector], Any]] = {
    "inquire": lambda one: one.inquire("10001-1"),
    "capture": lambda one: one.capture("10001-1", Money(100_000)),
    "void": lambda one: one.void("10001-1"),
    "refund": lambda one: one.refund(RefundOrder("10001-5", "10001-1", Money(500))),
}
