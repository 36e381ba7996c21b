"""The plug-in of BillDesk: an operator's settings, and how it is opened."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from hundi.acquirers.billdesk.checks import CHECKS
from hundi.acquirers.billdesk.connector import BillDeskConnector, UnknownCodes
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.kinds import FIXED, SECRET, AcquirerContext, AcquirerKind, WebAddress

_Filled = Annotated[str, msgspec.Meta(min_length=1)]
URLS = {"production": "https://api.billdesk.com", "uat": "https://uat1.billdesk.com/u2"}
PAGE_ORIGINS = {
    "production": ("https://pay.billdesk.com", "https://www.billdesk.com"),
    "uat": ("https://uat1.billdesk.com",),
}


class BillDeskSettings(msgspec.Struct, frozen=True):
    """One merchant account at BillDesk; docs/billdesk.md says where each value is found.

    encryption_key: "" where BillDesk gave none, and answers are signed only. unknown_order_code,
    unknown_refund_code: BillDesk's UAT codes for an order and a refund that it does not have. url:
    replaces the environment's.
    """

    merchant_id: Annotated[
        str,
        msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,20}\Z", description="1 to 20 letters and digits"),
        FIXED,
    ]
    client_id: _Filled
    signing_key: Annotated[str, msgspec.Meta(min_length=16), SECRET]
    environment: Literal["production", "uat"]
    encryption_key: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^([!-~]{32})?\Z",
            description="32 printable characters without blanks, or nothing",
        ),
        SECRET,
    ] = ""
    key_id: str = ""
    item_code: _Filled = "DIRECT"
    unknown_order_code: str = ""
    unknown_refund_code: str = ""
    url: WebAddress = ""


def _open(name: str, settings: BillDeskSettings, context: AcquirerContext) -> BillDeskConnector:
    parts = urlsplit(settings.url)
    origins = (
        (f"{parts.scheme}://{parts.netloc}",)
        if settings.url
        else PAGE_ORIGINS[settings.environment]
    )
    return BillDeskConnector(
        name,
        settings.merchant_id,
        Keys(settings.client_id, settings.signing_key, settings.encryption_key, settings.key_id),
        settings.url.rstrip("/") or URLS[settings.environment],
        origins,
        context.memory,
        unknown_codes=UnknownCodes(settings.unknown_order_code, settings.unknown_refund_code),
        item_code=settings.item_code,
        simulated=settings.environment == "uat",
    )


KIND = AcquirerKind(BillDeskSettings, _open, CHECKS, brand="BillDesk")
