"""The business verbs of offers: open one, by asking the affiliate once; show the same from then on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cachetools import TTLCache

from hundi.infra.database import Database
from hundi.infra.vault import Vault
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.offers import rules, store
from hundi.offers.rules import Offer
from hundi.partners.rules import Partner

ASKED_AGAIN_AFTER_S = 10.0
"""How long an affiliate is not asked again about an id it did not grant. [ours]"""
ASKS_A_MINUTE_MAX = 120
"""Questions to affiliates that one visitor's address may cause in a minute. [ours]"""
_REFUSED_MAX = 16_384
_asked_lately: TTLCache[tuple[str, int], int, float] = TTLCache(_REFUSED_MAX, 60.0)
_refused_lately: TTLCache[tuple[str, str], bool, float] = TTLCache(_REFUSED_MAX, ASKED_AGAIN_AFTER_S)


@dataclass(frozen=True, slots=True)
class Granted:
    """What an affiliate says of a unique id. expiry_days: None where it names none."""

    customer: str
    amount_paise: int
    at: datetime
    expiry_days: int | None


Ask = Callable[[Partner, str], Awaitable[Granted | None]]
"""Asks an affiliate about a unique id: None for a no. Raises Refused (PROVIDER_SILENT) when nothing usable came."""


async def opened(  # noqa: PLR0913 (the world, whose, which, how, for whom, when)
    db: Database, vault: Vault, partner: Partner, unique_id: str, ask: Ask, visitor: str, now: datetime
) -> Offer | None:
    """Return what a customer was granted, None when the affiliate grants nothing.

    visitor: the address of whoever opens the page: nobody tries ids out, and nobody uses up what others may ask.
    Raises Refused (PROVIDER_SILENT, TOO_MANY_REQUESTS).
    """
    known = await store.select(db, vault, partner.affiliate, unique_id)
    if known is not None:
        return known
    key = partner.affiliate, unique_id
    if key in _refused_lately:
        return None
    _count(visitor, now)
    granted = await ask(partner, unique_id)
    if granted is None:
        _refused_lately[key] = True
        return None
    offer = _offer(partner, granted)
    async with db.transaction() as conn:
        return await store.insert(conn, vault, partner.affiliate, unique_id, offer, now)


def _count(visitor: str, now: datetime) -> None:
    key = visitor, int(now.timestamp() // 60)
    asked = _asked_lately[key] = _asked_lately.get(key, 0) + 1
    if asked > ASKS_A_MINUTE_MAX:
        allowed = f"{ASKS_A_MINUTE_MAX} new offers a minute"
        raise refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed)


def _offer(partner: Partner, granted: Granted) -> Offer:
    settings = partner.settings
    days = granted.expiry_days or settings.offers_expiry_days
    count = rules.coupon_count(granted.amount_paise, settings.offers_coupons)
    return Offer(
        customer=granted.customer,
        amount_paise=granted.amount_paise,
        transaction_at=granted.at,
        coupons=tuple(rules.new_coupon() for _ in range(count)),
        expires_at=granted.at + timedelta(days=days),
        closes_at=granted.at + timedelta(days=settings.offers_open_days),
    )


async def sweep(db: Database, now: datetime) -> None:
    """Delete offers that were closed long enough ago (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.KEPT_FOR)
