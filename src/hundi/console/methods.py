"""A merchant's payment methods as switches, with what each costs and needs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.integration import save
from hundi.console.payment_acts import merchant_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments import limits
from hundi.instruments.methods import CHANNELS, Channel
from hundi.kernel.clock import business_day
from hundi.kernel.money import rupees
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.fees import store as fees
from hundi.money.fees.rules import FeePrice, PricePlan
from hundi.payments.routing.actions import able
from hundi.payments.routing.rules import RoutingCase
from hundi.staff.people.rules import Permission

PATH = "integration/methods"
_PLACE_MAX = 99
_DEFAULT = MerchantSettings().channels


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show every method with its switch, price, limits and accounts."""
    return await _shown(visit, merchant_of(visit).settings.channels)


async def _shown(
    visit: ConsoleVisit,
    chosen: Sequence[str],
    *,
    places: Mapping[str, str] | None = None,
    fault: str = "",
) -> Response[Any]:
    """Return the page. places: as they were typed, where they were refused."""
    merchant = merchant_of(visit)
    plan = (await fees.plans_of(visit.db, merchant.merchant_id)).on(business_day(visit.now))
    order = [*chosen, *(code for code in CHANNELS if code not in chosen)]
    return visit.page(
        "integration_methods.html",
        "Payment methods",
        409 if fault else 200,
        plan_no=plan.plan_no if plan else 0,
        fault=fault,
        methods=[
            {
                "code": code,
                "name": CHANNELS[code].name,
                "description": CHANNELS[code].description,
                "on": code in chosen,
                "default": code in _DEFAULT,
                "place": (places or {}).get(code, str(place)),
                "cost": cost_of(plan, CHANNELS[code]),
                "limits": limits_of(code, merchant.settings.mcc),
                "accounts": _accounts(visit, CHANNELS[code]),
                "needs": "An account at an acquirer that serves you. The operator adds it.",
            }
            for place, code in enumerate(order, 1)
        ],
    )


def _accounts(visit: ConsoleVisit, channel: Channel) -> list[str]:
    """Return the names of the acquirers' accounts that can take a payment of a channel."""
    connectors, case = visit.gateway.payments.connectors, RoutingCase(visit.merchant_id)
    ways = able(connectors, case, channel.first_steps)
    return list(dict.fromkeys(way.connector.name for way in ways))


def cost_of(plan: PricePlan | None, channel: Channel) -> str:
    """Return in words what a payment of a channel costs by a plan, without GST."""
    if plan is None:
        return "Nothing"
    prices = list(
        dict.fromkeys(
            band.price
            for cell, bands in plan.cells.items()
            if cell.channel == channel.code
            for band in bands
        )
    )
    if len(prices) == 1:
        return price_words(prices[0])
    cheapest = min(prices, key=_rank)
    dearest = max(prices, key=_rank)
    return f"{price_words(cheapest)} to {price_words(dearest)}, by card or amount"


def _rank(price: FeePrice) -> tuple[int, int, int]:
    return price.basis_points, price.fixed_paise, price.minimum_paise


def price_words(price: FeePrice) -> str:
    """Return a price in words."""
    parts = [f"{price.basis_points / 100:.2f} %"] if price.basis_points else []
    parts += [rupees(price.fixed_paise)] if price.fixed_paise else []
    words = [" + ".join(parts) or "Free"]
    words += [f"at least {rupees(price.minimum_paise)}"] if price.minimum_paise else []
    words += [f"at most {rupees(price.maximum_paise)}"] if price.maximum_paise else []
    return ", ".join(words)


def limits_of(code: str, mcc: str) -> str:
    """Return in words which amounts a channel carries in one payment. mcc: of the merchant."""
    least, most = limits.minimum(code), limits.maximum(code, mcc)
    words = [f"from {rupees(least)}"] if least else []
    words += [f"up to {rupees(most)}"] if most else []
    return " ".join(words) or "The bank's or card's own"


async def change(visit: ConsoleVisit) -> Response[Any]:
    """Save which methods are on, and their order."""
    before = merchant_of(visit).settings
    on = [code for code in CHANNELS if visit.form.get(f"on_{code}") == "1"]
    typed = {code: visit.form.get(f"place_{code}", "").strip() for code in CHANNELS}
    wrong = next((code for code in on if typed[code] and not _is_place(typed[code])), "")
    if not on or wrong:
        fault = (
            f"The place of {CHANNELS[wrong].name} was {typed[wrong][:20]!r}. Allowed: 1 to"
            f" {_PLACE_MAX}."
            if wrong
            else "One method has to be on: without any, nobody can pay you."
        )
        return await _shown(visit, on, places=typed, fault=fault)
    known = list(CHANNELS)
    channels = sorted(on, key=lambda code: (int(typed[code] or _PLACE_MAX), known.index(code)))
    settings = msgspec.structs.replace(before, channels=tuple(channels))
    await save(visit, before, settings, ("channels",))
    return visit.see(PATH, "settings_kept")


def _is_place(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= _PLACE_MAX


ROUTES = (
    ConsoleRoute("GET", PATH, show, Permission.SETTINGS_CHANGE),
    ConsoleRoute("POST", PATH, change, Permission.SETTINGS_CHANGE, fresh=True),
)
