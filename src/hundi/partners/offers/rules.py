"""How many coupons an amount is worth, and until when; pure.

See docs/spec/partner-interfaces.md#coupons.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

STEPS = ((2_000_00, False, 8), (1_000_00, True, 4), (500_00, True, 2))
"""(paise, whether exactly that much is enough, coupons)."""
COUPON_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without letters that look alike."""
COUPON_LENGTH = 8
KEPT_FOR = timedelta(days=30)
"""How long a closed offer is kept (docs/spec/partner-interfaces.md#offer-limits)."""


@dataclass(frozen=True, slots=True)
class CouponOffer:
    """One customer's offer.

    expires_at: of the coupons. closes_at: of the page that shows them.
    """

    customer: str
    amount_paise: int
    transaction_at: datetime
    coupons: tuple[str, ...]
    expires_at: datetime
    closes_at: datetime

    def is_closed(self, now: datetime) -> bool:
        """Return whether the offer's page is closed."""
        return now >= self.closes_at

    def is_expired(self, now: datetime) -> bool:
        """Return whether the coupons have expired."""
        return now >= self.expires_at


def coupon_count(amount_paise: int, default: int) -> int:
    """Return how many coupons an amount is worth."""
    for paise, inclusive, count in STEPS:
        if amount_paise > paise or (inclusive and amount_paise == paise):
            return count
    return default
