"""The plug-in of CCAvenue: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.ccavenue.checks import CHECKS
from hundi.acquirers.ccavenue.connector import (
    CCAvenueAccount,
    CCAvenueConnector,
    CCAvenueUpiConnector,
)
from hundi.acquirers.ccavenue.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
)

PRODUCTION = ("https://secure.ccavenue.com", "https://api.ccavenue.com")
TEST = ("https://test.ccavenue.com", "https://apitest.ccavenue.com")


class CCAvenueSettings(msgspec.Struct, frozen=True):
    """One merchant account at CCAvenue; docs/ccavenue.md says where each value is found.

    merchant_id: our number at CCAvenue. access_code: names the working key. working_key:
    encrypts every call. environment: test moves no real money. holds: the account does not
    confirm orders by itself. upi: CCAvenue has enabled UPI intents for it. page_url, api_url:
    replace the environment's.
    """

    merchant_id: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{1,12}\Z", description="1 to 12 digits"), FIXED
    ]
    access_code: Filled
    working_key: Annotated[str, msgspec.Meta(min_length=16), SECRET]
    environment: Literal["production", "test"]
    holds: bool = False
    upi: bool = False
    page_url: WebAddress = ""
    api_url: WebAddress = ""


def _open(name: str, settings: CCAvenueSettings, context: AcquirerContext) -> CCAvenueConnector:
    page, api = PRODUCTION if settings.environment == "production" else TEST
    setup = ConnectorSetup(name, context.memory, simulated=settings.environment == "test")
    account = CCAvenueAccount(settings.merchant_id, settings.access_code, settings.working_key)
    urls = settings.page_url.rstrip("/") or page, settings.api_url.rstrip("/") or api
    if settings.upi:
        return CCAvenueUpiConnector(
            setup, account, *urls, context.callback_url, holds=settings.holds
        )
    return CCAvenueConnector(setup, account, *urls, holds=settings.holds)


KIND = AcquirerKind(
    CCAvenueSettings,
    _open,
    CHECKS,
    never=("wallet", "pay_later"),
    brand="CCAvenue",
    sandbox=SANDBOX_DATA,
)
