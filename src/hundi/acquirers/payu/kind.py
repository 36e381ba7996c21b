"""The plug-in of PayU India: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.kinds import FIXED, SECRET, AcquirerContext, AcquirerKind, WebAddress
from hundi.acquirers.payu.checks import CHECKS
from hundi.acquirers.payu.connector import Account, PayUConnector
from hundi.kernel.money import PAISE_PER_RUPEE

_Filled = Annotated[str, msgspec.Meta(min_length=1)]
PRODUCTION = ("https://secure.payu.in", "https://info.payu.in")
TEST = ("https://test.payu.in", "https://test.payu.in")


class PayUSettings(msgspec.Struct, frozen=True):
    """One merchant account at PayU; docs/payu.md says where each value is found.

    contact_email, contact_phone: yours, sent for customers who gave none. instalments_from_rupees:
    the smallest amount for which PayU has enabled instalments; 0: none are offered. payment_url,
    command_url: replace the environment's.
    """

    key: Annotated[_Filled, FIXED]
    salt: Annotated[_Filled, SECRET]
    environment: Literal["production", "test"]
    contact_email: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^[^|@\s]+@[^|@\s]+\Z", description="an email address", max_length=50
        ),
    ]
    contact_phone: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9+]{10,15}\Z", description="10 to 15 digits or +")
    ]
    instalments_from_rupees: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    payment_url: WebAddress = ""
    command_url: WebAddress = ""


def _open(name: str, settings: PayUSettings, context: AcquirerContext) -> PayUConnector:
    payment, command = PRODUCTION if settings.environment == "production" else TEST
    return PayUConnector(
        name,
        Account(
            settings.key,
            settings.salt,
            settings.contact_email,
            settings.contact_phone,
            settings.instalments_from_rupees * PAISE_PER_RUPEE,
        ),
        settings.payment_url.rstrip("/") or payment,
        settings.command_url.rstrip("/") or command,
        context.callback_url,
        context.memory,
        simulated=settings.environment == "test",
    )


KIND = AcquirerKind(PayUSettings, _open, CHECKS, brand="PayU")
