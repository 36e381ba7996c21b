"""The plug-in of Easebuzz: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.easebuzz.checks import CHECKS
from hundi.acquirers.easebuzz.connector import (
    EasebuzzAccount,
    EasebuzzConnector,
    EasebuzzUpiConnector,
)
from hundi.acquirers.easebuzz.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    ContactEmail,
    ContactPhone,
    Filled,
    WebAddress,
)

PRODUCTION = ("https://pay.easebuzz.in", "https://dashboard.easebuzz.in")
TEST = ("https://testpay.easebuzz.in", "https://testdashboard.easebuzz.in")


class EasebuzzSettings(msgspec.Struct, frozen=True):
    """One merchant account at Easebuzz; docs/easebuzz.md says where each value is found.

    key: names our account. salt: signs every call. environment: test moves no real money.
    contact_email, contact_phone: yours, sent for customers who gave none. unknown_words: the
    words in which Easebuzz's test environment says that it does not have a transaction. upi:
    seamless UPI is enabled, and was certified. page_url, dashboard_url: replace the
    environment's.
    """

    key: Annotated[Filled, FIXED]
    salt: Annotated[Filled, SECRET]
    environment: Literal["production", "test"]
    contact_email: ContactEmail
    contact_phone: ContactPhone
    unknown_words: str = ""
    upi: bool = False
    page_url: WebAddress = ""
    dashboard_url: WebAddress = ""


def _open(name: str, settings: EasebuzzSettings, context: AcquirerContext) -> EasebuzzConnector:
    page, dashboard = PRODUCTION if settings.environment == "production" else TEST
    account = EasebuzzAccount(
        settings.key,
        settings.salt,
        settings.contact_email,
        settings.contact_phone,
        settings.unknown_words,
    )
    connector = EasebuzzUpiConnector if settings.upi else EasebuzzConnector
    return connector(
        ConnectorSetup(name, context.memory, simulated=settings.environment == "test"),
        account,
        settings.page_url.rstrip("/") or page,
        settings.dashboard_url.rstrip("/") or dashboard,
        context.callback_url,
    )


KIND = AcquirerKind(EasebuzzSettings, _open, CHECKS, brand="Easebuzz", sandbox=SANDBOX_DATA)
