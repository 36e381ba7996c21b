"""The clock of each case, its end, and the compensation after that; pure.

See docs/spec/domain.md#turn-around.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

CIRCULAR = "RBI/2019-20/67 of 20 September 2019, harmonisation of turn-around times"
OURS = "the gateway's own threshold"
A_DAY_PAISE = 10_000
"""The customer's compensation for each day of delay, in paise."""
SOON = timedelta(days=1)
"""How long before its end a clock is reported."""


class ClockName(StrEnum):
    """The kinds of open cases."""

    CARD = "card"
    """A card, bank account or wallet may be debited, and the merchant has no confirmation."""
    UPI = "upi"
    """A UPI payment to a merchant may be debited, and the merchant has no confirmation."""
    TRANSFER = "transfer"
    """A bank transfer was made and is not credited."""
    EXCESS = "excess"
    """Money that an order could not keep has not gone back."""
    REFUND = "refund"
    """A refund began and is not done."""


@dataclass(frozen=True, slots=True)
class Clock:
    """One rule.

    days: after T, the calendar day in India on which the case began. a_day_paise: for each day
    after that.
    """

    name: ClockName
    days: int
    a_day_paise: int
    source: str

    def ends_on(self, began: date) -> date:
        """Return the last day in time."""
        return began + timedelta(days=self.days)

    def days_late(self, began: date, today: date) -> int:
        """Return the days after the end, 0 in time."""
        return max((today - self.ends_on(began)).days, 0)

    def compensation_paise(self, began: date, today: date) -> int:
        """Return the compensation due to the customer, in paise."""
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
    """Return the clock for a method's payment that may be debited and is not confirmed."""
    if method in _TRANSFERS:
        return CLOCKS[ClockName.TRANSFER]
    return CLOCKS[ClockName.UPI if method.startswith("upi_") else ClockName.CARD]


class ClockStage(StrEnum):
    """The stage of a clock."""

    RUNNING = "running"
    """More than a day is left."""
    SOON = "soon"
    """Its last day is today or tomorrow."""
    OVER = "over"
    """It has ended: compensation accrues."""


@dataclass(frozen=True, slots=True)
class Hanging:
    """A payment or refund whose clock runs. cause_id: its attempt or refund. began: the day T."""

    merchant_id: int
    cause_id: int
    clock: Clock
    amount_paise: int
    began: date

    def stage(self, today: date) -> ClockStage:
        """Return the stage of its clock."""
        ends = self.clock.ends_on(self.began)
        if today > ends:
            return ClockStage.OVER
        return ClockStage.SOON if today + SOON >= ends else ClockStage.RUNNING
