"""Which clock runs for what, when it ends, and what compensation accrues after that.

See docs/spec/domain.md#turn-around.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

CIRCULAR = "RBI/2019-20/67 of 20 September 2019, harmonisation of turn-around times"
OURS = "the gateway's own threshold"
A_DAY_PAISE = 10_000
"""What a customer is compensated for each day of delay."""
SOON = timedelta(days=1)
"""How long before its end a clock is reported."""


class ClockName(StrEnum):
    """What hangs."""

    CARD = "card"
    """A card, bank account or wallet may be debited, and the merchant has no confirmation."""
    UPI = "upi"
    """A UPI payment to a merchant may be debited, and the merchant has no confirmation."""
    TRANSFER = "transfer"
    """A bank transfer was made and is not credited."""
    EXCESS = "excess"
    """Money that an order could not keep has not gone back."""
    REFUND = "refund"
    """A refund was begun and is not done."""


@dataclass(frozen=True, slots=True)
class Clock:
    """One rule.

    days: after T, the calendar day in India on which it began. a_day_paise: for each day after
    that.
    """

    name: ClockName
    days: int
    a_day_paise: int
    source: str

    def ends_on(self, began: date) -> date:
        """Return the last day that is in time."""
        return began + timedelta(days=self.days)

    def days_late(self, began: date, today: date) -> int:
        """Return how many days are over the end, 0 in time."""
        return max((today - self.ends_on(began)).days, 0)

    def compensation_paise(self, began: date, today: date) -> int:
        """Return what has accrued for the customer."""
        return self.days_late(began, today) * self.a_day_paise


CLOCKS = {
    each.name: each
    for each in (
        Clock(ClockName.CARD, 5, A_DAY_PAISE, CIRCULAR),
        Clock(ClockName.UPI, 5, A_DAY_PAISE, CIRCULAR),
        Clock(ClockName.TRANSFER, 1, A_DAY_PAISE, CIRCULAR),
        Clock(ClockName.EXCESS, 5, A_DAY_PAISE, CIRCULAR),
        Clock(ClockName.REFUND, 7, 0, OURS),
    )
}
_TRANSFERS = {"virtual_account", "rtgs_account", "remittance"}


def clock_of(method: str) -> Clock:
    """Return the clock of a payment that may be debited and is not confirmed, by its method."""
    if method in _TRANSFERS:
        return CLOCKS[ClockName.TRANSFER]
    return CLOCKS[ClockName.UPI if method.startswith("upi_") else ClockName.CARD]


class ClockStage(StrEnum):
    """How far a clock is."""

    RUNNING = "running"
    """More than a day is left."""
    SOON = "soon"
    """Its last day is today or tomorrow."""
    OVER = "over"
    """It has ended: compensation accrues."""


@dataclass(frozen=True, slots=True)
class Hanging:
    """One payment or refund whose clock runs. cause_id: the attempt or refund. began: the day T."""

    merchant_id: int
    cause_id: int
    clock: Clock
    amount_paise: int
    began: date

    def stage(self, today: date) -> ClockStage:
        """Return how far its clock is."""
        ends = self.clock.ends_on(self.began)
        if today > ends:
            return ClockStage.OVER
        return ClockStage.SOON if today + SOON >= ends else ClockStage.RUNNING
