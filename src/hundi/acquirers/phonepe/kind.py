"""The plug-in of PhonePe: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.kinds import (
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
    WebOrigin,
)
from hundi.acquirers.phonepe.banks import BANKS
from hundi.acquirers.phonepe.checks import CHECKS
from hundi.acquirers.phonepe.connector import PhonePeConnector, PhonePePlaces, Webhooks
from hundi.acquirers.phonepe.mandates import PhonePeMandateConnector
from hundi.acquirers.phonepe.sandbox import SANDBOX_DATA
from hundi.acquirers.phonepe.token import PhonePeCredentials
from hundi.acquirers.phonepe.totals import PhonePeMandateTotalConnector, PhonePeTotalConnector

PRODUCTION = PhonePePlaces(
    "https://api.phonepe.com/apis/pg",
    "https://api.phonepe.com/apis/identity-manager",
    ("https://mercury.phonepe.com", "https://mercury-t2.phonepe.com"),
    ("https://mercury.phonepe.com", "https://mercury-t2.phonepe.com"),
)
SANDBOX = PhonePePlaces(
    "https://api-preprod.phonepe.com/apis/pg-sandbox",
    "https://api-preprod.phonepe.com/apis/pg-sandbox",
    ("https://mercury-uat.phonepe.com", "https://mercury-stg.phonepe.com"),
    ("https://mercury-uat.phonepe.com", "https://mercury-stg.phonepe.com"),
)


class PhonePeSettings(msgspec.Struct, frozen=True):
    """One merchant account at PhonePe; docs/phonepe.md says where each value is found.

    client_id: names the keys. client_secret: the secret of the keys. client_version: the
    version of the keys. environment: sandbox moves no real money. webhook_username: of
    webhooks, as in the dashboard. webhook_password: of webhooks, as in the dashboard; without
    it no webhook is believed. url, token_url: replace the environment's. checkout_origins,
    bank_origins: where customers may be sent, replacing the environment's. banks: codes of the
    net banking that the account has. unknown_refund_code: the sandbox's code for a refund that
    PhonePe does not have. mandates: PhonePe has enabled AutoPay of custom checkout.
    settlements: PhonePe lists this account's settlements. address_checks: UPI addresses are
    checked with this account.
    """

    client_id: Filled
    client_secret: Annotated[Filled, SECRET]
    client_version: int
    environment: Literal["production", "sandbox"]
    webhook_username: str = ""
    webhook_password: Annotated[str, SECRET] = ""
    unknown_refund_code: str = ""
    banks: tuple[str, ...] = ()
    mandates: bool = False
    settlements: bool = False
    address_checks: bool = False
    url: WebAddress = ""
    token_url: WebAddress = ""
    checkout_origins: tuple[WebOrigin, ...] = ()
    bank_origins: tuple[WebOrigin, ...] = ()


OPENED = {
    (False, False): PhonePeConnector,
    (True, False): PhonePeMandateConnector,
    (False, True): PhonePeTotalConnector,
    (True, True): PhonePeMandateTotalConnector,
}
"""The connector of an account, by whether it has AutoPay and a list of settlements."""


def _open(name: str, settings: PhonePeSettings, context: AcquirerContext) -> PhonePeConnector:
    strange = sorted(set(settings.banks) - {each.code for each in BANKS})
    if strange:
        message = f"acquirers.{name}: banks: {', '.join(strange)} is none of PhonePe's"
        raise AcquirerConfigurationError(message)
    places = PRODUCTION if settings.environment == "production" else SANDBOX
    url = settings.url.rstrip("/")
    return OPENED[settings.mandates, settings.settlements](
        name,
        PhonePeCredentials(
            settings.client_id, settings.client_secret, str(settings.client_version)
        ),
        PhonePePlaces(
            url or places.url,
            settings.token_url.rstrip("/") or url or places.token_url,
            settings.checkout_origins or places.checkout_origins,
            settings.bank_origins or places.bank_origins,
        ),
        context.memory,
        webhooks=Webhooks(settings.webhook_username, settings.webhook_password),
        unknown_refund_code=settings.unknown_refund_code,
        bank_codes=settings.banks,
        checks_addresses=settings.address_checks,
        simulated=settings.environment == "sandbox",
    )


KIND = AcquirerKind(
    PhonePeSettings,
    _open,
    CHECKS,
    never=("wallet", "pay_later"),
    brand="PhonePe",
    sandbox=SANDBOX_DATA,
)
