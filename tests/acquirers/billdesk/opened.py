"""Settings of a connector that calls the stand-in, and every call that it makes."""

from collections.abc import Callable
from typing import Any

from hundi.acquirers.billdesk.connector import BillDeskConnector, UnknownCodes
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.billdesk.kind import BillDeskSettings
from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.billdesk import standin
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.shared import Clock, charge, page_of


def settings(billdesk: BillDesk, **other: Any) -> BillDeskSettings:
    fields = {
        "merchant_id": standin.MERCID,
        "client_id": standin.CLIENT_ID,
        "signing_key": standin.SIGNING,
        "encryption_key": standin.SEALING,
        "key_id": standin.KID,
        "environment": "production",
        "unknown_order_code": standin.NO_ORDER,
        "unknown_refund_code": standin.NO_REFUND,
        "url": billdesk.url,
    }
    return BillDeskSettings(**{**fields, **other})


def connector_at(billdesk: BillDesk, memory: ShortMemory, clock: Clock) -> BillDeskConnector:
    """Return one that has the time of a test."""
    keys = Keys(standin.CLIENT_ID, standin.SIGNING, standin.SEALING, standin.KID)
    return BillDeskConnector(
        ConnectorSetup("billdesk", memory, now_s=clock),
        standin.MERCID,
        keys,
        billdesk.url,
        (billdesk.url,),
        unknown_codes=UnknownCodes(standin.NO_ORDER, standin.NO_REFUND),
    )


async def visited(one: BillDeskConnector, billdesk: BillDesk, asked: Charge) -> None:
    """Get a page and open it, as a browser does that posts the form."""
    page = await page_of(one, asked)
    assert isinstance(page, Redirect)
    billdesk.visit(page.url, page.fields)


async def paid(one: BillDeskConnector, billdesk: BillDesk, paise: int = 100_000) -> Charge:
    asked = charge(paise)
    await visited(one, billdesk, asked)
    billdesk.pay(asked.reference)
    return asked


CALLS: dict[str, Callable[[BillDeskConnector], Any]] = {
    "inquire": lambda one: one.inquire("10001-1"),
    "page": lambda one: page_of(one, charge(reference="10001-3")),
    "refund": lambda one: one.refund(RefundOrder("10001-5", "10001-1", Money(500))),
}
