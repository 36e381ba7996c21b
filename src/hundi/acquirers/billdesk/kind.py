"""The plug-in of BillDesk: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.billdesk.checks import CHECKS
from hundi.acquirers.billdesk.connector import BillDeskConnector, UnknownCodes
from hundi.acquirers.billdesk.direct import BillDeskBanksConnector, BillDeskDirectConnector
from hundi.acquirers.billdesk.jose import Keys
from hundi.acquirers.billdesk.sandbox import SANDBOX_DATA
from hundi.acquirers.billdesk.totals import (
    BillDeskBanksTotalConnector,
    BillDeskDirectTotalConnector,
    BillDeskTotalConnector,
)
from hundi.acquirers.calls.banks import bank_table
from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
    origin_of,
)

URLS = {"production": "https://api.billdesk.com", "uat": "https://uat1.billdesk.com/u2"}
PAGE_ORIGINS = {
    "production": ("https://pay.billdesk.com", "https://www.billdesk.com"),
    "uat": ("https://uat1.billdesk.com",),
}
BY_PAGE = (BillDeskConnector, BillDeskTotalConnector)
BY_BANK = (BillDeskBanksConnector, BillDeskBanksTotalConnector)
BY_CALL = (BillDeskDirectConnector, BillDeskDirectTotalConnector)
"""The connectors of an account without and with a list of its settlements, by what it serves."""


class BillDeskSettings(msgspec.Struct, frozen=True):
    """One merchant account at BillDesk; docs/billdesk.md says where each value is found.

    merchant_id: our number at BillDesk. client_id: of the merchant, beside its keys.
    signing_key: signs every call. environment: uat moves no real money. key_id: the number of
    the keys; "" where BillDesk gave none. item_code: the product that payments are counted
    under. encryption_key: "" where BillDesk gave none, and answers are signed only.
    unknown_order_code, unknown_refund_code: BillDesk's UAT codes for an order and a refund that
    it does not have. banks: net banking by call, once certified: for each bank our code,
    BillDesk's id and the name to show. upi_bank_id: its id for UPI intents, once certified.
    settlements: BillDesk lists this account's settlements. url: replaces the environment's.
    """

    merchant_id: Annotated[
        str,
        msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,20}\Z", description="1 to 20 letters and digits"),
        FIXED,
    ]
    client_id: Filled
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
    item_code: Filled = "DIRECT"
    unknown_order_code: str = ""
    unknown_refund_code: str = ""
    banks: tuple[
        Annotated[
            str,
            msgspec.Meta(
                pattern=r"^[A-Z0-9]{4}(_C)? [A-Za-z0-9]{1,10} .+\Z",
                description="our code, BillDesk's id, the name: HDFC HDF HDFC Bank",
            ),
        ],
        ...,
    ] = ()
    upi_bank_id: str = ""
    settlements: bool = False
    url: WebAddress = ""


def _open(name: str, settings: BillDeskSettings, context: AcquirerContext) -> BillDeskConnector:
    url = settings.url.rstrip("/")
    origins = (origin_of(url),) if url else PAGE_ORIGINS[settings.environment]
    kinds = BY_CALL if settings.upi_bank_id else BY_BANK if settings.banks else BY_PAGE
    connector = kinds[settings.settlements](
        ConnectorSetup(name, context.memory, simulated=settings.environment == "uat"),
        settings.merchant_id,
        Keys(settings.client_id, settings.signing_key, settings.encryption_key, settings.key_id),
        url or URLS[settings.environment],
        origins,
        unknown_codes=UnknownCodes(settings.unknown_order_code, settings.unknown_refund_code),
        item_code=settings.item_code,
    )
    if isinstance(connector, BillDeskBanksConnector):
        connector.bank_table = bank_table(netbanking="\n".join(settings.banks))
    if isinstance(connector, BillDeskDirectConnector):
        connector.upi_bank_id = settings.upi_bank_id
        connector.callback_url = context.callback_url
    return connector


KIND = AcquirerKind(
    BillDeskSettings,
    _open,
    CHECKS,
    never=("wallet", "pay_later"),
    brand="BillDesk",
    sandbox=SANDBOX_DATA,
)
