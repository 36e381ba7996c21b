"""The plug-in of Paytm: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
)
from hundi.acquirers.paytm.checks import CHECKS
from hundi.acquirers.paytm.connector import PaytmAccount, PaytmConnector, PaytmIntentConnector
from hundi.acquirers.paytm.sandbox import SANDBOX_DATA

URLS = {
    "production": "https://secure.paytmpayments.com",
    "staging": "https://securestage.paytmpayments.com",
}


class PaytmSettings(msgspec.Struct, frozen=True):
    """One merchant account at Paytm; docs/paytm.md says where each value is found.

    merchant_id: our number (MID). merchant_key: signs every call. website: the name of our
    website, as Paytm gave it. environment: staging moves no real money. client_id: names the
    key. upi: whether UPI links are those of dynamic QR codes, which Paytm enables for each
    merchant, or of intents. url: replaces the environment's.
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
    website: Filled
    environment: Literal["production", "staging"]
    client_id: Filled = "C11"
    upi: Literal["qr", "intent"] = "qr"
    url: WebAddress = ""


def _open(name: str, settings: PaytmSettings, context: AcquirerContext) -> PaytmConnector:
    setup = ConnectorSetup(name, context.memory, simulated=settings.environment == "staging")
    account = PaytmAccount(
        settings.merchant_id, settings.merchant_key, settings.website, settings.client_id
    )
    url = settings.url.rstrip("/") or URLS[settings.environment]
    if settings.upi == "intent":
        return PaytmIntentConnector(setup, account, url, context.callback_url)
    return PaytmConnector(setup, account, url)


KIND = AcquirerKind(
    PaytmSettings, _open, CHECKS, never=("pay_later",), brand="Paytm", sandbox=SANDBOX_DATA
)
