"""The plug-in of Cashfree Payments: an operator's settings, and how it is opened."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from hundi.acquirers.cashfree.account import Account
from hundi.acquirers.cashfree.checks import CHECKS
from hundi.acquirers.cashfree.connector import (
    CashfreeCards,
    CashfreeConnector,
    CashfreeHolds,
    connector_for,
)
from hundi.acquirers.cashfree.mandates import CashfreeMandateConnector
from hundi.acquirers.cashfree.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    SECRET,
    AcquirerContext,
    AcquirerKind,
    WebAddress,
    WebOrigin,
    certified_by,
)
from hundi.kernel.money import PAISE_PER_RUPEE

API_VERSION = "2025-01-01"
_BASE = {"production": "https://api.cashfree.com/pg", "sandbox": "https://sandbox.cashfree.com/pg"}
_LINKS = {
    "production": "https://payments.cashfree.com",
    "sandbox": "https://payments-test.cashfree.com",
}


class CashfreeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account at Cashfree.

    client_id: the app id of the keys. client_secret: the secret of the keys; it signs webhooks,
    too. previous_client_secret: the one before, for repeated webhooks. api_version: the day of
    the interface that Cashfree answers by. environment: sandbox moves no real money.
    phone_when_unknown: sent for customers whose number is unknown, because Cashfree demands
    one. cards_certified: Cashfree has enabled typed cards for the account, which needs PCI DSS.
    holds_cards: Cashfree has enabled pre-authorisation of cards. mandates: Cashfree has enabled
    Subscriptions, with controlled payments by UPI mandates. email_when_unknown: sent for
    customers of mandates without an e-mail address. instalments_from_rupees: the smallest
    amount for which Cashfree has enabled instalments on credit cards; 0: none are offered. url,
    page_origins, link_origins: in place of Cashfree's own, for tests against a stand-in or
    after a move of its pages.
    """

    environment: Literal["production", "sandbox"]
    client_id: Annotated[str, msgspec.Meta(min_length=1)]
    client_secret: Annotated[str, msgspec.Meta(min_length=16), SECRET]
    phone_when_unknown: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^([0-9]{10}|\+[0-9]{11,15})\Z",
            description="10 digits, or + and 11 to 15 digits",
        ),
    ]
    previous_client_secret: Annotated[str, SECRET] = ""
    api_version: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}\Z", description="a date such as 2025-01-01"
        ),
    ] = API_VERSION
    cards_certified: Annotated[bool, certified_by("ChargesCards")] = False
    holds_cards: bool = False
    mandates: bool = False
    email_when_unknown: Annotated[str, msgspec.Meta(max_length=100)] = ""
    instalments_from_rupees: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    url: WebAddress = ""
    page_origins: tuple[WebOrigin, ...] = ()
    link_origins: tuple[WebOrigin, ...] = ()


_MORE: dict[str, type[CashfreeConnector]] = {
    "mandates": CashfreeMandateConnector,
    "cards_certified": CashfreeCards,
    "holds_cards": CashfreeHolds,
}
"""What an account can do more, by the setting that says so."""


def _open(name: str, settings: CashfreeSettings, context: AcquirerContext) -> CashfreeConnector:
    base_url = settings.url or _BASE[settings.environment]
    parts = urlsplit(base_url)
    account = Account(
        base_url=base_url,
        client_id=settings.client_id,
        secrets=tuple(
            each for each in (settings.client_secret, settings.previous_client_secret) if each
        ),
        api_version=settings.api_version,
        phone=settings.phone_when_unknown,
        email=settings.email_when_unknown,
        page_origins=settings.page_origins or (f"{parts.scheme}://{parts.netloc}",),
        link_origins=settings.link_origins or (_LINKS[settings.environment],),
        notify_url=context.callback_url,
        holds=settings.holds_cards,
        instalments_from_paise=settings.instalments_from_rupees * PAISE_PER_RUPEE,
        simulated=settings.environment == "sandbox",
    )
    more = (kind for field, kind in _MORE.items() if getattr(settings, field))
    opened = connector_for(*more)
    return opened(name, account, context.memory)


KIND = AcquirerKind(
    CashfreeSettings, _open, CHECKS, never=("pay_later",), brand="Cashfree", sandbox=SANDBOX_DATA
)
