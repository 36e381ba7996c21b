"""The plug-in of Razorpay: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.razorpay_wire import KeyId, mode_fault
from hundi.acquirers.kinds import (
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
    WebAddress,
    certified_by,
)
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.checks import CHECKS
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from hundi.acquirers.razorpay.enach import (
    RazorpayBankMandateConnector,
    RazorpayCardBankMandateConnector,
)
from hundi.acquirers.razorpay.mandates import (
    RazorpayCardMandateConnector,
    RazorpayMandateConnector,
)
from hundi.acquirers.razorpay.sandbox import SANDBOX_DATA


class RazorpaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account. See docs/razorpay.md#configure-it.

    key_id: names the keys. key_secret: the secret of the keys. webhook_secret: proves webhooks;
    without it none is believed. url: in place of Razorpay's own. mode: whether the keys are
    live or for tests. webhook_secret_before: the one before, for repeated webhooks. certified:
    Razorpay takes card numbers from our own page. mandates: Razorpay has enabled recurring
    payments. enach: how customers prove themselves to their bank, where Razorpay has enabled
    mandates of bank accounts; "" where not. address_checks: UPI addresses are checked with this
    account. email, phone: for customers who gave none.
    """

    key_id: KeyId
    key_secret: Annotated[str, msgspec.Meta(min_length=8), SECRET]
    mode: Literal["live", "test"] = "live"
    webhook_secret: Annotated[str, SECRET] = ""
    webhook_secret_before: Annotated[str, SECRET] = ""
    certified: Annotated[bool, certified_by("ChargesCards")] = False
    mandates: bool = False
    enach: Literal["", "netbanking", "debitcard", "aadhaar"] = ""
    address_checks: bool = False
    email: Annotated[str, msgspec.Meta(max_length=40)] = ""
    phone: Annotated[str, msgspec.Meta(max_length=15)] = ""
    url: Annotated[WebAddress, msgspec.Meta(min_length=1)] = "https://api.razorpay.com/v1"


OPENED = {
    (False, False, False): RazorpayConnector,
    (True, False, False): RazorpayCardConnector,
    (False, True, False): RazorpayMandateConnector,
    (True, True, False): RazorpayCardMandateConnector,
    (False, True, True): RazorpayBankMandateConnector,
    (True, True, True): RazorpayCardBankMandateConnector,
}
"""The connector of an account, by whether it takes typed cards, mandates, and those of accounts."""


def _open(name: str, settings: RazorpaySettings, context: AcquirerContext) -> RazorpayConnector:
    fault = mode_fault(settings.key_id, settings.mode)
    if settings.enach and not settings.mandates:
        fault = "enach needs mandates = true"
    if fault:
        message = f"acquirers.{name}: {fault}"
        raise AcquirerConfigurationError(message)
    account = Account(
        key_id=settings.key_id,
        key_secret=settings.key_secret,
        webhook_secrets=tuple(
            each for each in (settings.webhook_secret, settings.webhook_secret_before) if each
        ),
        email=settings.email,
        phone=settings.phone,
        enach=settings.enach,
        checks_addresses=settings.address_checks,
        base_url=settings.url.rstrip("/"),
    )
    opened = OPENED[settings.certified, settings.mandates, bool(settings.enach)]
    return opened(name, account, context.memory, simulated=settings.mode == "test")


KIND = AcquirerKind(RazorpaySettings, _open, CHECKS, brand="Razorpay", sandbox=SANDBOX_DATA)
