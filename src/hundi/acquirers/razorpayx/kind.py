"""The plug-in of RazorpayX: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.razorpay_wire import KeyId, mode_fault
from hundi.acquirers.kinds import (
    FIXED,
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
    WebAddress,
)
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.checks import CHECKS
from hundi.acquirers.razorpayx.connector import RazorpayxConnector
from hundi.acquirers.razorpayx.sandbox import SANDBOX_DATA
from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from hundi.kernel.money import Money

_Number = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9]{5,35}\Z", description="5 to 35 letters and digits, without blanks"
    ),
]


class RazorpayxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account. See docs/razorpayx.md#configure-it.

    key_id: names the keys. key_secret: the secret of the keys. webhook_secret: proves webhooks;
    without it none is believed. url: in place of RazorpayX's own. mode: whether the keys are
    live or for tests. account_number: the account that payouts leave. bank: the bank of that
    account; its hours count. purpose: of payouts, as it is called in RazorpayX's dashboard.
    queues: RazorpayX keeps payouts for which the balance is short. webhook_secret_before: the
    one before, for repeated webhooks. validations: how bank accounts are checked; off where the
    account has no checks. validation_account_number: the account that pays for checks, where it
    is another one. check_cost_paise: what a check costs, with tax and the rupee.
    """

    key_id: KeyId
    key_secret: Annotated[str, msgspec.Meta(min_length=8), SECRET]
    account_number: Annotated[_Number, FIXED]
    mode: Literal["live", "test"] = "live"
    bank: Literal["lite", "idfc", "rbl", "icici", "yes", "other"] = "other"
    purpose: Annotated[str, msgspec.Meta(min_length=1, max_length=50)] = "payout"
    queues: bool = True
    webhook_secret: Annotated[str, SECRET] = ""
    webhook_secret_before: Annotated[str, SECRET] = ""
    validations: Literal["off", "optimized", "pennydrop", "penniless"] = "off"
    validation_account_number: _Number | Literal[""] = ""
    check_cost_paise: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None
    url: Annotated[WebAddress, msgspec.Meta(min_length=1)] = "https://api.razorpay.com/v1"


def _open(name: str, settings: RazorpayxSettings, context: AcquirerContext) -> RazorpayxConnector:
    fault = mode_fault(settings.key_id, settings.mode)
    if not fault and settings.validations != "off" and settings.check_cost_paise is None:
        fault = "validations cost money: check_cost_paise says how much"
    if fault:
        message = f"acquirers.{name}: {fault}"
        raise AcquirerConfigurationError(message)
    account = RazorpayxAccount(
        key_id=settings.key_id,
        key_secret=settings.key_secret,
        number=settings.account_number,
        webhook_secrets=tuple(
            each for each in (settings.webhook_secret, settings.webhook_secret_before) if each
        ),
        purpose=settings.purpose,
        queues=settings.queues,
        bank=settings.bank,
        validation=settings.validations,
        validation_number=settings.validation_account_number or settings.account_number,
        base_url=settings.url.rstrip("/"),
    )
    simulated = settings.mode == "test"
    if settings.validations == "off":
        return RazorpayxConnector(name, account, context.memory, simulated=simulated)
    cost = Money(settings.check_cost_paise or 0)
    return RazorpayxChecks(name, account, context.memory, simulated=simulated, check_cost=cost)


KIND = AcquirerKind(RazorpayxSettings, _open, CHECKS, brand="RazorpayX", sandbox=SANDBOX_DATA)
