"""Settings of a connector that calls the stand-in, and what tests ask it for."""

from collections.abc import Callable
from typing import Any

from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.kind import PhonePeSettings
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from tests.acquirers.phonepe import standin
from tests.acquirers.phonepe.standin import PhonePe

RETURN = "https://pay.example.in/pay/v4/s/x/done"
CALLBACK = "https://pay.example.in/callbacks/phonepe"


def settings(phonepe: PhonePe, **other: Any) -> PhonePeSettings:
    return PhonePeSettings(
        **{
            "client_id": standin.CLIENT_ID,
            "client_secret": standin.CLIENT_SECRET,
            "client_version": int(standin.CLIENT_VERSION),
            "environment": "production",
            "webhook_username": standin.USERNAME,
            "webhook_password": standin.PASSWORD,
            "unknown_refund_code": standin.UNKNOWN_REFUND,
            "url": phonepe.url,
            "checkout_origins": (phonepe.url,),
            "bank_origins": (phonepe.url,),
            **other,
        }
    )


def charge(paise: int = 100_000, reference: str = "10001-1") -> Charge:
    return Charge(reference, Money(paise))


async def paid(connector: PhonePeConnector, phonepe: PhonePe, paise: int = 100_000) -> Charge:
    asked = charge(paise)
    assert isinstance(await connector.upi_link(asked, expires_in_s=900), UpiLink)
    phonepe.pay(asked.reference)
    return asked


async def page_of(
    connector: PhonePeConnector, asked: Charge, *, method: str = "card", capture: bool = True
) -> Any:
    return await connector.start_checkout(
        asked, method=method, return_url=RETURN, expires_in_s=10_000, capture=capture
    )


Asks = Callable[[PhonePeConnector], Any]
CALLS: dict[str, Asks] = {
    "inquire": lambda one: one.inquire("10001-1"),
    "link": lambda one: one.upi_link(charge(reference="10001-2"), expires_in_s=900),
    "page": lambda one: page_of(one, charge(reference="10001-3")),
    "bank": lambda one: one.start_redirect(
        charge(reference="10001-4"), method="netbanking", bank_code="ICIC", return_url=RETURN
    ),
    "refund": lambda one: one.refund(RefundOrder("10001-5", "10001-1", Money(5))),
    "refund inquiry": lambda one: one.inquire_refund("10001-5"),
}
