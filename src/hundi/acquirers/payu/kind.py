"""The plug-in of PayU India: an operator's settings, and how it is opened."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerContext,
    AcquirerKind,
    ContactEmail,
    ContactPhone,
    Filled,
    WebAddress,
    banks_of,
)
from hundi.acquirers.payu.banks import BANKS
from hundi.acquirers.payu.checks import CHECKS
from hundi.acquirers.payu.connector import DisputeAccess, PayUAccount, PayUConnector
from hundi.acquirers.payu.disputes import PayUDisputeConnector, PayUMandateDisputeConnector
from hundi.acquirers.payu.mandates import PayUMandateConnector
from hundi.acquirers.payu.sandbox import SANDBOX_DATA
from hundi.kernel.money import PAISE_PER_RUPEE

OPENED: Mapping[tuple[bool, bool], type[PayUConnector]] = {
    (False, False): PayUConnector,
    (True, False): PayUMandateConnector,
    (False, True): PayUDisputeConnector,
    (True, True): PayUMandateDisputeConnector,
}
"""The connector of an account, by whether it has mandates, and disputes by call."""
DISPUTES = {
    "production": "https://bankportal.payu.in/api/v1",
    "test": "https://chbuat.payu.in/api/v1",
}
PRODUCTION = ("https://secure.payu.in", "https://info.payu.in")
TEST = ("https://test.payu.in", "https://test.payu.in")


class PayUSettings(msgspec.Struct, frozen=True):
    """One merchant account at PayU; docs/payu.md says where each value is found.

    key: names our account. salt: signs every call. environment: test moves no real money.
    contact_email, contact_phone: yours, sent for customers who gave none.
    instalments_from_rupees: the smallest amount for which PayU has enabled instalments; 0: none
    are offered. banks: our codes of the banks and wallets that the account has; all of PayU's
    without. hosts_banks: PayU has enabled "merchant hosted" checkout for them. mandates:
    PayU has enabled recurring payments by UPI, server to server. dispute_token: of PayU's
    chargeback dashboard, which makes it; without one nothing is heard of disputes.
    dispute_merchant_id: our number there. address_checks: UPI addresses are checked with this
    account. payment_url, command_url, dispute_url: replace the
    environment's.
    """

    key: Annotated[Filled, FIXED]
    salt: Annotated[Filled, SECRET]
    environment: Literal["production", "test"]
    contact_email: ContactEmail
    contact_phone: ContactPhone
    instalments_from_rupees: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    banks: tuple[str, ...] = ()
    hosts_banks: bool = False
    mandates: bool = False
    address_checks: bool = False
    dispute_token: Annotated[str, SECRET] = ""
    dispute_merchant_id: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{0,20}\Z", description="digits, or nothing")
    ] = ""
    payment_url: WebAddress = ""
    command_url: WebAddress = ""
    dispute_url: WebAddress = ""


def _open(name: str, settings: PayUSettings, context: AcquirerContext) -> PayUConnector:
    payment, command = PRODUCTION if settings.environment == "production" else TEST
    disputes = DisputeAccess(
        settings.dispute_url.rstrip("/") or DISPUTES[settings.environment],
        settings.dispute_merchant_id,
        settings.dispute_token,
    )
    return OPENED[settings.mandates, bool(settings.dispute_token)](
        ConnectorSetup(name, context.memory, simulated=settings.environment == "test"),
        PayUAccount(
            settings.key,
            settings.salt,
            settings.contact_email,
            settings.contact_phone,
            settings.instalments_from_rupees * PAISE_PER_RUPEE,
            banks_of(name, BANKS, settings.banks),
            settings.hosts_banks,
            disputes,
            settings.address_checks,
        ),
        settings.payment_url.rstrip("/") or payment,
        settings.command_url.rstrip("/") or command,
        context.callback_url,
    )


KIND = AcquirerKind(
    PayUSettings, _open, CHECKS, never=("pay_later",), brand="PayU", sandbox=SANDBOX_DATA
)
