"""The plug-in of Setu: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.kinds import SECRET, AcquirerContext, AcquirerKind, WebAddress
from hundi.acquirers.setu.checks import CHECKS
from hundi.acquirers.setu.connector import SetuAccount, SetuConnector
from hundi.acquirers.setu.sandbox import SANDBOX_DATA
from hundi.kernel.money import Money

_BASE = {"production": "https://dg.setu.co", "sandbox": "https://dg-sandbox.setu.co"}


class SetuSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An account. See docs/setu.md#configure-it.

    client_id: names the keys. client_secret: the secret of the keys. environment: sandbox
    checks no real account. product_instance_id: of the product that checks accounts.
    check_cost_paise: what a check costs, with tax and the rupee. url: in place of Setu's own,
    for tests.
    """

    environment: Literal["production", "sandbox"]
    client_id: Annotated[str, msgspec.Meta(min_length=1)]
    client_secret: Annotated[str, msgspec.Meta(min_length=8), SECRET]
    product_instance_id: Annotated[str, msgspec.Meta(min_length=1)]
    check_cost_paise: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    url: WebAddress = ""


def _open(name: str, settings: SetuSettings, context: AcquirerContext) -> SetuConnector:
    account = SetuAccount(
        client_id=settings.client_id,
        client_secret=settings.client_secret,
        product_id=settings.product_instance_id,
        base_url=(settings.url or _BASE[settings.environment]).rstrip("/"),
    )
    return SetuConnector(
        name,
        account,
        context.memory,
        check_cost=Money(settings.check_cost_paise),
        simulated=settings.environment == "sandbox",
    )


KIND = AcquirerKind(SetuSettings, _open, CHECKS, brand="Setu", sandbox=SANDBOX_DATA)
