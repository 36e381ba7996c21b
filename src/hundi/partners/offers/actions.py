"""The actions of offers: open one by asking the affiliate once, and show it again."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cachetools import TTLCache

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import MINUTE_S, left_of
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.directory.rules import Partner
from hundi.partners.offers import rules, store
from hundi.partners.offers.rules import CouponOffer

ASKED_AGAIN_AFTER_S = 10.0
"""Seconds until an affiliate is asked again about an id that it did not grant.

See docs/spec/partner-interfaces.md#offer-limits.
"""
ASKS_A_MINUTE_MAX = 120
"""Questions to affiliates per minute that one visitor's address may cause.

See docs/spec/partner-interfaces.md#offer-limits.
"""
_REMEMBERED_MAX = 16_384


@dataclass(frozen=True, slots=True)
class Granted:
    """An affiliate's answer about a unique id. expiry_days: None where it names none."""

    customer: str
    amount_paise: int
    at: datetime
    expiry_days: int | None


Ask = Callable[[Partner, str], Awaitable[Granted | None]]
"""Asks an affiliate about a unique id: None if it grants nothing.

Raises Refused (PROVIDER_SILENT) when there is no usable answer.
"""


class Openings:
    """Opens offers, in one process. ask: asks an affiliate."""

    def __init__(self, db: Database, vault: Vault, ask: Ask) -> None:
        """Keep the dependencies."""
        self._db, self._vault, self._ask = db, vault, ask
        self._asked: TTLCache[tuple[str, int], int, float] = TTLCache(_REMEMBERED_MAX, 60.0)
        self._refused: TTLCache[tuple[str, str], bool, float] = TTLCache(
            _REMEMBERED_MAX, ASKED_AGAIN_AFTER_S
        )
        self._under_way: dict[tuple[str, str], asyncio.Task[CouponOffer | None]] = {}

    async def open(
        self, partner: Partner, unique_id: str, visitor: str, now: datetime
    ) -> CouponOffer | None:
        """Return a customer's offer, None when the affiliate grants nothing.

        visitor: by address or network, so that nobody can try ids, or use up others' questions.
        Only questions to the affiliate are counted: a stored offer is shown to everybody. Raises
        Refused (PROVIDER_SILENT, TOO_MANY_REQUESTS).
        """
        offer = await store.select(self._db, self._vault, partner.affiliate, unique_id)
        if offer is not None:
            return offer
        key = partner.affiliate, unique_id
        if key in self._refused:
            return None
        # Concurrent openings of one page ask once, and share the answer or its absence.
        question = self._under_way.get(key)
        if question is None:
            question = self._under_way[key] = asyncio.create_task(
                self._asked_for(partner, unique_id, visitor, now)
            )
            question.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(question)

    async def _asked_for(
        self, partner: Partner, unique_id: str, visitor: str, now: datetime
    ) -> CouponOffer | None:
        # Somebody may have asked between our look and our turn.
        stored = await store.select(self._db, self._vault, partner.affiliate, unique_id)
        if stored is not None:
            return stored
        self._count(visitor, now)
        granted = await self._ask(partner, unique_id)
        if granted is None:
            self._refused[partner.affiliate, unique_id] = True
            return None
        offer = _offer(partner, granted)
        async with self._db.transaction() as conn:
            return await store.insert(conn, self._vault, partner.affiliate, unique_id, offer, now)

    def _count(self, visitor: str, now: datetime) -> None:
        key = visitor, int(now.timestamp() // 60)
        count = self._asked[key] = self._asked.get(key, 0) + 1
        if count > ASKS_A_MINUTE_MAX:
            wait_s = left_of(MINUTE_S, now.timestamp())
            allowed = f"{ASKS_A_MINUTE_MAX} new offers a minute"
            raise refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed, retry_after_s=wait_s)


def _new_coupon() -> str:
    """Return a code that nobody can guess."""
    return "".join(secrets.choice(rules.COUPON_LETTERS) for _ in range(rules.COUPON_LENGTH))


def _offer(partner: Partner, granted: Granted) -> CouponOffer:
    settings = partner.settings
    days = granted.expiry_days or settings.offers_expiry_days
    count = rules.coupon_count(granted.amount_paise, settings.offers_coupons)
    return CouponOffer(
        customer=granted.customer,
        amount_paise=granted.amount_paise,
        transaction_at=granted.at,
        coupons=tuple(_new_coupon() for _ in range(count)),
        expires_at=granted.at + timedelta(days=days),
        closes_at=granted.at + timedelta(days=settings.offers_open_days),
    )


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every offer with the newest key; return how many had an older one."""
    return await store.reseal(db, vault)


async def sweep(db: Database, now: datetime) -> None:
    """Delete offers long after they were closed (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.KEPT_FOR)
