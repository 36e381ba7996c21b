"""The plug-in of Pine Labs Online: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import (
    SECRET,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
    WebOrigin,
    origin_of,
)
from hundi.acquirers.pinelabs.checks import CHECKS
from hundi.acquirers.pinelabs.connector import PineLabsAccount, PineLabsConnector
from hundi.acquirers.pinelabs.sandbox import SANDBOX_DATA

URLS = {
    "production": "https://api.pluralpay.in/api",
    "uat": "https://pluraluat.v2.pinepg.in/api",
}


class PineLabsSettings(msgspec.Struct, frozen=True):
    """One merchant account at Pine Labs Online; docs/pinelabs.md says where each value is found.

    client_id: names the keys. client_secret: the secret of the keys. environment: uat moves no
    real money. webhook_secret: in base64; without it no webhook is believed.
    unknown_order_code: the UAT's code for an order that Pine Labs does not have. holds: the
    account has pre-authorisation. url: replaces the environment's. page_origins: where its page
    is, without them the host of url.
    """

    client_id: Filled
    client_secret: Annotated[Filled, SECRET]
    environment: Literal["production", "uat"]
    webhook_secret: Annotated[
        str,
        msgspec.Meta(pattern=r"^[A-Za-z0-9+/]*={0,2}\Z", description="base64, or nothing"),
        SECRET,
    ] = ""
    unknown_order_code: str = ""
    holds: bool = False
    url: WebAddress = ""
    page_origins: tuple[WebOrigin, ...] = ()


def _open(name: str, settings: PineLabsSettings, context: AcquirerContext) -> PineLabsConnector:
    url = settings.url.rstrip("/") or URLS[settings.environment]
    account = PineLabsAccount(
        settings.client_id,
        settings.client_secret,
        settings.webhook_secret,
        settings.unknown_order_code,
        settings.holds,
    )
    return PineLabsConnector(
        ConnectorSetup(name, context.memory, simulated=settings.environment == "uat"),
        account,
        url,
        settings.page_origins or (origin_of(url),),
    )


KIND = AcquirerKind(PineLabsSettings, _open, CHECKS, brand="Pine Labs", sandbox=SANDBOX_DATA)
