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
        return now - self.read_at <= FRESH_FOR


@dataclass(frozen=True, slots=True)
class BalanceNeed:
    """A provider's balance beside what waits for it.

    waiting_paise, waiting: approved payouts that leave by a connector. balance: None where the
    provider tells none.
    """

    connector: str
    balance: ProviderBalance | None
    waiting_paise: int = 0
    waiting: int = 0

    @property
    def short_paise(self) -> int:
        """Return how much is missing for all that waits, 0 for nothing or an unknown balance."""
        if self.balance is None:
            return 0
        return max(self.waiting_paise - self.balance.left_paise, 0)
