"""The plug-in of Paytm: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.kinds import FIXED, SECRET, AcquirerContext, AcquirerKind, WebAddress
from hundi.acquirers.paytm.checks import CHECKS
from hundi.acquirers.paytm.connector import Account, PaytmConnector

_Filled = Annotated[str, msgspec.Meta(min_length=1)]
URLS = {
    "production": "https://secure.paytmpayments.com",
    "staging": "https://securestage.paytmpayments.com",
}


class PaytmSettings(msgspec.Struct, frozen=True):
    """One merchant account at Paytm; docs/paytm.md says where each value is found.

    url: replaces the environment's.
    """

    merchant_id: Annotated[
        str,
        msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,20}\Z", description="1 to 20 letters and digits"),
        FIXED,
    ]
    merchant_key: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^([!-~]{16}|[!-~]{24}|[!-~]{32})\Z",
            description="16, 24 or 32 printable characters without blanks",
        ),
        SECRET,
    ]
    website: _Filled
    environment: Literal["production", "staging"]
    client_id: _Filled = "C11"
    url: WebAddress = ""


def _open(name: str, settings: PaytmSettings, context: AcquirerContext) -> PaytmConnector:
    return PaytmConnector(
        name,
        Account(settings.merchant_id, settings.merchant_key, settings.website, settings.client_id),
        settings.url.rstrip("/") or URLS[settings.environment],
        context.memory,
        simulated=settings.environment == "staging",
    )


KIND = AcquirerKind(PaytmSettings, _open, CHECKS, brand="Paytm")
