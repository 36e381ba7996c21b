"""The plug-in of Cashfree Payouts: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.rsa_keys import public_key
from hundi.acquirers.cashfree_payouts.account import CashfreeKeys, CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.checks import CHECKS
from hundi.acquirers.cashfree_payouts.connector import (
    CashfreePayoutsChecks,
    CashfreePayoutsConnector,
)
from hundi.acquirers.cashfree_payouts.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    LINES,
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
    WebAddress,
)
from hundi.kernel.money import Money

_BASE = {"production": "https://api.cashfree.com", "sandbox": "https://sandbox.cashfree.com"}
_BALANCE = {
    "production": "https://payout-api.cashfree.com",
    "sandbox": "https://payout-gamma.cashfree.com",
}


class CashfreePayoutsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account. See docs/cashfree-payouts.md#configure-it.

    client_id: the app id of the payout keys. client_secret: the secret of the payout keys.
    environment: sandbox moves no real money. oldest_client_secret: of the oldest key that is
    still active, where that is another one: it signs webhooks. public_pem: the public key for
    calls from an address that is not listed. fundsource_id: the account that payouts leave; ""
    for the account's own. check_client_id, check_client_secret, oldest_check_secret,
    check_public_pem: the same of Secure ID, for checks of bank accounts. check_cost_paise: what
    a check costs, with tax and the rupee. address_checks: UPI addresses are checked with Secure
    ID. url, balance_url: in place of Cashfree's own, for
    tests.
    """

    environment: Literal["production", "sandbox"]
    client_id: Annotated[str, msgspec.Meta(min_length=1)]
    client_secret: Annotated[str, msgspec.Meta(min_length=16), SECRET]
    oldest_client_secret: Annotated[str, SECRET] = ""
    public_pem: Annotated[str, LINES] = ""
    fundsource_id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    check_client_id: str = ""
    check_client_secret: Annotated[str, SECRET] = ""
    oldest_check_secret: Annotated[str, SECRET] = ""
    check_public_pem: Annotated[str, LINES] = ""
    check_cost_paise: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None
    address_checks: bool = False
    url: WebAddress = ""
    balance_url: WebAddress = ""


def _open(
    name: str, settings: CashfreePayoutsSettings, context: AcquirerContext
) -> CashfreePayoutsConnector:
    if fault := _fault(settings):
        message = f"acquirers.{name}: {fault}"
        raise AcquirerConfigurationError(message)
    base_url = (settings.url or _BASE[settings.environment]).rstrip("/")
    checks = (
        _keys(
            settings.check_client_id,
            (settings.check_client_secret, settings.oldest_check_secret),
            settings.check_public_pem,
        )
        if settings.check_client_id
        else None
    )
    account = CashfreePayoutsAccount(
        keys=_keys(
            settings.client_id,
            (settings.client_secret, settings.oldest_client_secret),
            settings.public_pem,
        ),
        base_url=f"{base_url}/payout",
        checks_url=f"{base_url}/verification",
        balance_url=(settings.balance_url or _BALANCE[settings.environment]).rstrip("/"),
        source=settings.fundsource_id,
        checks=checks,
    )
    simulated = settings.environment == "sandbox"
    if checks is None:
        return CashfreePayoutsConnector(name, account, context.memory, simulated=simulated)
    cost = Money(settings.check_cost_paise or 0)
    return CashfreePayoutsChecks(
        name,
        account,
        context.memory,
        check_cost=cost,
        checks_addresses=settings.address_checks,
        simulated=simulated,
    )


def _fault(settings: CashfreePayoutsSettings) -> str:
    """Return what is wrong with fields that belong together, "" for nothing."""
    if bool(settings.check_client_id) != bool(settings.check_client_secret):
        return "check_client_id and check_client_secret belong together"
    if settings.address_checks and not settings.check_client_id:
        return "address_checks needs check_client_id"
    if settings.check_client_id and settings.check_cost_paise is None:
        return "checks cost money: check_cost_paise says how much"
    for field in ("public_pem", "check_public_pem"):
        pem = getattr(settings, field)
        try:
            public_key(pem) if pem else None
        except ValueError:
            return f"{field}: it is no RSA key in PEM"
    return ""


def _keys(client_id: str, secrets: tuple[str, ...], pem: str) -> CashfreeKeys:
    return CashfreeKeys(
        client_id=client_id,
        secrets=tuple(filter(None, secrets)),
        public_key=public_key(pem) if pem else None,
    )


KIND = AcquirerKind(CashfreePayoutsSettings, _open, CHECKS, sandbox=SANDBOX_DATA)
