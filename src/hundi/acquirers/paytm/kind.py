"""The plug-in of Paytm: an operator's settings, and how it is opened."""

from collections.abc import Mapping
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
from hundi.acquirers.paytm.connector import (
    PaytmAccount,
    PaytmConnector,
    PaytmIntentConnector,
    PaytmIntentReportConnector,
    PaytmReportConnector,
)
from hundi.acquirers.paytm.disputes import (
    PaytmDisputeConnector,
    PaytmIntentDisputeConnector,
    PaytmIntentReportDisputeConnector,
    PaytmReportDisputeConnector,
)
from hundi.acquirers.paytm.sandbox import SANDBOX_DATA
from hundi.acquirers.port.disputes import Standing

URLS = {
    "production": "https://secure.paytmpayments.com",
    "staging": "https://securestage.paytmpayments.com",
}


BY_QR: Mapping[tuple[bool, bool], type[PaytmConnector]] = {
    (False, False): PaytmConnector,
    (True, False): PaytmReportConnector,
    (False, True): PaytmDisputeConnector,
    (True, True): PaytmReportDisputeConnector,
}
BY_INTENT: Mapping[tuple[bool, bool], type[PaytmIntentConnector]] = {
    (False, False): PaytmIntentConnector,
    (True, False): PaytmIntentReportConnector,
    (False, True): PaytmIntentDisputeConnector,
    (True, True): PaytmIntentReportDisputeConnector,
}
"""The connectors of an account, by whether it has a list of settlements, and disputes by call."""


class PaytmSettings(msgspec.Struct, frozen=True):
    """One merchant account at Paytm; docs/paytm.md says where each value is found.

    merchant_id: our number (MID). merchant_key: signs every call. website: the name of our
    website, as Paytm gave it. environment: staging moves no real money. client_id: names the
    key. upi: whether UPI links are those of dynamic QR codes, which Paytm enables for each
    merchant, or of intents. settlements: whether Paytm lists this account's settlements, as it
    does in production alone. dispute_path: the address of its Dispute Status API, as Paytm gave
    it; without one nothing is heard of disputes. dispute_words: of a dispute's states beside NEW,
    Paytm's word and what it means. url: replaces the environment's.
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
    settlements: bool = False
    dispute_path: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^(/[A-Za-z0-9_/.-]{1,200})?\Z", description="a path, as /disputes/status"
        ),
    ] = ""
    dispute_words: tuple[
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^[A-Z0-9_]{1,40} (open|under_review|won|lost|closed)\Z",
                description="Paytm's word, and open, under_review, won, lost or closed",
            ),
        ],
        ...,
    ] = ()
    url: WebAddress = ""


def _open(name: str, settings: PaytmSettings, context: AcquirerContext) -> PaytmConnector:
    setup = ConnectorSetup(name, context.memory, simulated=settings.environment == "staging")
    account = PaytmAccount(
        settings.merchant_id, settings.merchant_key, settings.website, settings.client_id
    )
    url = settings.url.rstrip("/") or URLS[settings.environment]
    place = settings.settlements, bool(settings.dispute_path)
    if settings.upi == "intent":
        connector = BY_INTENT[place](setup, account, url, context.callback_url)
    else:
        connector = BY_QR[place](setup, account, url)
    if isinstance(connector, PaytmDisputeConnector):
        words = (each.split(" ") for each in settings.dispute_words)
        connector.dispute_path = settings.dispute_path
        connector.dispute_words = {
            **connector.dispute_words,
            **{word: Standing(standing) for word, standing in words},
        }
    return connector


KIND = AcquirerKind(
    PaytmSettings, _open, CHECKS, never=("pay_later",), brand="Paytm", sandbox=SANDBOX_DATA
)
