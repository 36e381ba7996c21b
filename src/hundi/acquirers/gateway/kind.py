"""The plug-in of another gateway: an operator's settings, and how it is opened."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from hundi.acquirers.gateway.account import Account
from hundi.acquirers.gateway.checks import CHECKS
from hundi.acquirers.gateway.connector import GatewayConnector, Terms
from hundi.acquirers.gateway.seamless import SeamlessCardsGateway, SeamlessGateway
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    WebAddress,
    WebOrigin,
    certified_by,
)
from hundi.sdk.calls import Gateway
from hundi.sdk.credentials import Credentials
from hundi.sdk.signed import KEY_PATTERN

_Filled = Annotated[str, msgspec.Meta(min_length=1)]
_KINDS = {"off": GatewayConnector, "banks": SeamlessGateway, "cards": SeamlessCardsGateway}


class GatewaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Our merchant account at another gateway.

    docs/another-gateway.md says where each value is found.

    base_url: where our server calls it. merchant_id: our number there. username, password,
    client_id, client_secret: of the requests for a token. api_secret: signs every call.
    webhook_key: proves its notifications. environment: test moves no real money.
    payment_page_url: where the page has a host of its own. webhook_key_before: the old one
    while keys are rotated. contact_email, contact_phone: yours, sent for customers who gave
    none. seamless: what our server may begin there. bank_origins: the sites where the other
    gateway sends customers then.
    """

    environment: Literal["production", "test"]
    base_url: Annotated[WebAddress, msgspec.Meta(min_length=1)]
    payment_page_url: WebAddress = ""
    merchant_id: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{1,20}\Z", description="1 to 20 digits"), FIXED
    ]
    username: _Filled
    password: Annotated[_Filled, SECRET]
    api_secret: Annotated[_Filled, SECRET]
    client_id: _Filled
    client_secret: Annotated[_Filled, SECRET]
    webhook_key: Annotated[
        str,
        msgspec.Meta(
            pattern=rf"^{KEY_PATTERN}\Z", description="whsec_ and the base64 of 24 bytes or more"
        ),
        SECRET,
    ]
    webhook_key_before: Annotated[
        str,
        msgspec.Meta(
            pattern=rf"^({KEY_PATTERN})?\Z",
            description="whsec_ and the base64 of 24 bytes or more, or nothing",
        ),
        SECRET,
    ] = ""
    contact_email: Annotated[
        str,
        msgspec.Meta(pattern=r"^[^@\s]+@[^@\s]+\Z", description="an email address", max_length=254),
    ]
    contact_phone: Annotated[
        str,
        msgspec.Meta(pattern=r"^\+?[0-9]{8,15}\Z", description="8 to 15 digits, with + or without"),
    ]
    seamless: Annotated[Literal["off", "banks", "cards"], certified_by("ChargesCards", "cards")] = (
        "off"
    )
    bank_origins: tuple[WebOrigin, ...] = ()


def _open(name: str, settings: GatewaySettings, context: AcquirerContext) -> GatewayConnector:
    credentials = Credentials(
        merchant_id=settings.merchant_id,
        username=settings.username,
        password=settings.password,
        api_secret=settings.api_secret,
        oauth_client_id=settings.client_id,
        oauth_client_secret=settings.client_secret,
        webhook_keys=tuple(
            each for each in (settings.webhook_key, settings.webhook_key_before) if each
        ),
    )
    there = Gateway(
        base_url=settings.base_url,
        payment_page_url=settings.payment_page_url,
        shop_origin=_origin(context.callback_url),
    )
    terms = Terms(
        email=settings.contact_email,
        phone=settings.contact_phone,
        simulated=settings.environment == "test",
        page_origin=_origin(settings.payment_page_url or settings.base_url),
        bank_origins=settings.bank_origins,
    )
    return _KINDS[settings.seamless](name, Account(credentials, there), terms, context.memory)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


KIND = AcquirerKind(GatewaySettings, _open, CHECKS, brand="Payment gateway")
