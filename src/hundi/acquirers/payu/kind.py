"""The plug-in of PayU India: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    ContactEmail,
    ContactPhone,
    Filled,
    WebAddress,
    banks_of,
)
from hundi.acquirers.payu.banks import BANKS
from hundi.acquirers.payu.checks import CHECKS
from hundi.acquirers.payu.connector import PayUAccount, PayUConnector
from hundi.acquirers.payu.mandates import PayUMandateConnector
from hundi.acquirers.payu.sandbox import SANDBOX_DATA
from hundi.kernel.money import PAISE_PER_RUPEE

PRODUCTION = ("https://secure.payu.in", "https://info.payu.in")
TEST = ("https://test.payu.in", "https://test.payu.in")


class PayUSettings(msgspec.Struct, frozen=True):
    """One merchant account at PayU; docs/payu.md says where each value is found.

    key: names our account. salt: signs every call. environment: test moves no real money.
    contact_email, contact_phone: yours, sent for customers who gave none.
    instalments_from_rupees: the smallest amount for which PayU has enabled instalments; 0: none
    are offered. banks: our codes of the banks and wallets that the account has; all of PayU's
    without. hosts_banks: PayU has enabled "merchant hosted" checkout for them. mandates:
    PayU has enabled recurring payments by UPI, server to server. payment_url, command_url:
    replace the environment's.
    """

    key: Annotated[Filled, FIXED]
    salt: Annotated[Filled, SECRET]
    environment: Literal["production", "test"]
    contact_email: ContactEmail
    contact_phone: ContactPhone
    instalments_from_rupees: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    banks: tuple[str, ...] = ()
    hosts_banks: bool = False
    mandates: bool = False
    payment_url: WebAddress = ""
    command_url: WebAddress = ""


def _open(name: str, settings: PayUSettings, context: AcquirerContext) -> PayUConnector:
    payment, command = PRODUCTION if settings.environment == "production" else TEST
    opened = PayUMandateConnector if settings.mandates else PayUConnector
    return opened(
        ConnectorSetup(name, context.memory, simulated=settings.environment == "test"),
        PayUAccount(
            settings.key,
            settings.salt,
            settings.contact_email,
            settings.contact_phone,
            settings.instalments_from_rupees * PAISE_PER_RUPEE,
            banks_of(name, BANKS, settings.banks),
            settings.hosts_banks,
        ),
        settings.payment_url.rstrip("/") or payment,
        settings.command_url.rstrip("/") or command,
        context.callback_url,
    )


KIND = AcquirerKind(
    PayUSettings, _open, CHECKS, never=("pay_later",), brand="PayU", sandbox=SANDBOX_DATA
)
