"""The plug-in of CCAvenue: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.ccavenue.checks import CHECKS
from hundi.acquirers.ccavenue.connector import Account, CCAvenueConnector
from hundi.acquirers.kinds import FIXED, SECRET, AcquirerContext, AcquirerKind, WebAddress

_Filled = Annotated[str, msgspec.Meta(min_length=1)]
PRODUCTION = ("https://secure.ccavenue.com", "https://api.ccavenue.com")
TEST = ("https://test.ccavenue.com", "https://apitest.ccavenue.com")


class CCAvenueSettings(msgspec.Struct, frozen=True):
    """One merchant account at CCAvenue; docs/ccavenue.md says where each value is found.

    holds: the account does not confirm orders by itself. page_url, api_url: replace the
    environment's.
    """

    merchant_id: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{1,12}\Z", description="1 to 12 digits"), FIXED
    ]
    access_code: _Filled
    working_key: Annotated[str, msgspec.Meta(min_length=16), SECRET]
    environment: Literal["production", "test"]
    holds: bool = False
    page_url: WebAddress = ""
    api_url: WebAddress = ""


def _open(name: str, settings: CCAvenueSettings, context: AcquirerContext) -> CCAvenueConnector:
    page, api = PRODUCTION if settings.environment == "production" else TEST
    return CCAvenueConnector(
        name,
        Account(settings.merchant_id, settings.access_code, settings.working_key),
        settings.page_url.rstrip("/") or page,
        settings.api_url.rstrip("/") or api,
        context.memory,
        holds=settings.holds,
        simulated=settings.environment == "test",
    )


KIND = AcquirerKind(CCAvenueSettings, _open, CHECKS, brand="CCAvenue")
