"""Settings of a connector that calls the stand-in, and every call that it makes."""

from collections.abc import Callable
from typing import Any

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.paytm.connector import PaytmAccount, PaytmConnector, PaytmIntentConnector
from hundi.acquirers.paytm.kind import PaytmSettings
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.paytm import standin
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.shared import CALLBACK, Clock, charge, page_of


def settings(paytm: Paytm, **other: Any) -> PaytmSettings:
    fields = {
        "merchant_id": standin.MID,
        "merchant_key": standin.KEY,
        "website": "DEFAULT",
        "url": paytm.url,
    }
    return PaytmSettings(**{**fields, "environment": "production", **other})


def connector_at(paytm: Paytm, memory: ShortMemory, clock: Clock) -> PaytmConnector:
    """Return one that has the time of a test."""
    account = PaytmAccount(standin.MID, standin.KEY, "DEFAULT", "C11")
    return PaytmConnector(ConnectorSetup("paytm", memory, now_s=clock), account, paytm.url)


def intents_at(paytm: Paytm, memory: ShortMemory, clock: Clock) -> PaytmIntentConnector:
    """Return one of an account with UPI intents."""
    account = PaytmAccount(standin.MID, standin.KEY, "DEFAULT", "C11")
    setup = ConnectorSetup("paytm", memory, now_s=clock)
    return PaytmIntentConnector(setup, account, paytm.url, CALLBACK)


async def visited(one: PaytmConnector, paytm: Paytm, asked: Charge) -> None:
    """Get a page and open it, as a browser does that posts the form."""
    page = await page_of(one, asked)
    assert isinstance(page, Redirect)
    paytm.visit(page.url, page.fields)


async def paid(one: PaytmConnector, paytm: Paytm, paise: int = 100_000) -> Charge:
    asked = charge(paise)
    await visited(one, paytm, asked)
    paytm.pay(asked.reference)
    return asked


CALLS: dict[str, Callable[[PaytmConnector], Any]] = {
    "inquire": lambda one: one.inquire("10001-1"),
    "page": lambda one: page_of(one, charge(reference="10001-3")),
    "link": lambda one: one.upi_link(charge(reference="10001-2"), expires_in_s=900),
    "refund": lambda one: one.refund(RefundOrder("10001-5", "10001-1", Money(500))),
}
