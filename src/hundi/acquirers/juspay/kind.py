"""The plug-in of Juspay and HDFC SmartGateway: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.juspay.checks import CHECKS
from hundi.acquirers.juspay.connector import JuspayAccount, JuspayConnector
from hundi.acquirers.juspay.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    ContactEmail,
    ContactPhone,
    Filled,
    WebAddress,
    WebOrigin,
    origin_of,
)

URLS = {
    ("juspay", "production"): "https://api.juspay.in",
    ("juspay", "sandbox"): "https://sandbox.juspay.in",
    ("hdfc", "production"): "https://smartgateway.hdfcbank.com",
    ("hdfc", "sandbox"): "https://smartgatewayuat.hdfcbank.com",
}
PORTALS = {
    ("juspay", "production"): ("https://portal.juspay.in",),
    ("juspay", "sandbox"): ("https://sandbox.portal.juspay.in",),
}
"""Where Juspay's pages are beside the host of its calls."""


class JuspaySettings(msgspec.Struct, frozen=True):
    """One merchant account; docs/juspay.md says where each value is found.

    merchant_id: our number at Juspay. api_key: the key of every call. environment: sandbox
    moves no real money. bank: hdfc is HDFC SmartGateway. client_id: of the payment page.
    contact_email, contact_phone: yours, sent for customers who gave none. webhook_username,
    webhook_password: as in the dashboard; without them no webhook is believed.
    address_checks: UPI addresses are checked with this account. url: replaces the environment's.
    page_origins: where its page is, replacing the environment's.
    """

    merchant_id: Annotated[Filled, FIXED]
    api_key: Annotated[Filled, SECRET]
    client_id: Filled
    environment: Literal["production", "sandbox"]
    contact_email: ContactEmail
    contact_phone: ContactPhone
    bank: Literal["juspay", "hdfc"] = "juspay"
    webhook_username: str = ""
    webhook_password: Annotated[str, SECRET] = ""
    address_checks: bool = False
    url: WebAddress = ""
    page_origins: tuple[WebOrigin, ...] = ()


def _open(name: str, settings: JuspaySettings, context: AcquirerContext) -> JuspayConnector:
    place = settings.bank, settings.environment
    url = settings.url.rstrip("/") or URLS[place]
    portals = () if settings.url else PORTALS.get(place, ())
    account = JuspayAccount(
        settings.merchant_id,
        settings.api_key,
        settings.client_id,
        settings.contact_email,
        settings.contact_phone,
        settings.webhook_username,
        settings.webhook_password,
        settings.address_checks,
    )
    return JuspayConnector(
        ConnectorSetup(name, context.memory, simulated=settings.environment == "sandbox"),
        account,
        url,
        settings.page_origins or (origin_of(url), *portals),
        context.callback_url,
    )


KIND = AcquirerKind(JuspaySettings, _open, CHECKS, brand="Juspay", sandbox=SANDBOX_DATA)
