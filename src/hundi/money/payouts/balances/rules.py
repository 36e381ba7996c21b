"""Balances that payouts leave from; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

READ_EVERY = timedelta(minutes=5)
"""How often each provider is asked for its balance."""
FRESH_FOR = timedelta(minutes=15)
"""The age up to which a balance decides; an older one stops no payout."""


@dataclass(frozen=True, slots=True)
class ProviderBalance:
    """A provider's balance, in paise.

    available_paise: as the provider counted it at counted_at. left_paise: without what was sent
    since. read_at: when it was asked.
    """

    connector: str
    available_paise: int
    left_paise: int
    counted_at: datetime
    read_at: datetime

    def is_fresh(self, now: datetime) -> bool:
        """Return whether the balance still decides."""
        return now - self.counted_at <= FRESH_FOR
