"""Banks and their health, and what each channel is called and may carry; pure."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from hundi.acquirers.port import InstalmentPlan
from hundi.instruments.emi import Instalments, instalments, no_cost
from hundi.instruments.methods import Channel
from hundi.kernel.money import Money

LOOKED_BACK = timedelta(minutes=15)
"""Whose attempts the health of a bank is read from (docs/spec/payment-interfaces.md#bank-health)."""
LOOKED_AT_MIN = 5
"""Attempts that came to an end below which nothing is said about a bank.

See docs/spec/payment-interfaces.md#bank-health.
"""
DEGRADED_FROM, DOWN_FROM = 0.3, 0.7
"""The parts of attempts that came to nothing through no fault of the customer.

See docs/spec/payment-interfaces.md#bank-health.
"""
NOBODYS_FAULT = frozenset({"91", "96", "15", "U20", "U30", "unreachable"})
"""Bank codes that say that a bank, not its customer, was in the way (docs/spec/domain.md#upi-codes)."""
SMALLEST_PAISE = 1
"""Of one payment: the gateway itself asks for no more, nor does any network."""


class Health(StrEnum):
    """How a bank does."""

    UP = "up"
    """Nothing is known against it."""
    DEGRADED = "degraded"
    """Many attempts come to nothing."""
    DOWN = "down"
    """Most attempts come to nothing, or nobody can be reached."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list: a bank of a channel, or the channel itself.

    code, name: "" where there is no bank.

    maximum_paise: the network's own bound for the merchant; None: no bound.
    """

    channel: Channel
    code: str = ""
    name: str = ""
    health: Health = Health.UP
    minimum_paise: int = SMALLEST_PAISE
    maximum_paise: int | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of one bank's latest attempts. ended: all. troubled: those that a fault ended."""

    ended: int
    troubled: int


def health(outcomes: Outcomes | None) -> Health:
    """Return how a bank does, by its latest attempts."""
    if outcomes is None or outcomes.ended < LOOKED_AT_MIN:
        return Health.UP
    part = outcomes.troubled / outcomes.ended
    if part >= DOWN_FROM:
        return Health.DOWN
    return Health.DEGRADED if part >= DEGRADED_FROM else Health.UP


@dataclass(frozen=True, slots=True)
class EmiPlan:
    """One plan of instalments for one amount."""

    plan: InstalmentPlan
    bank_name: str
    instalments: Instalments

    @property
    def key(self) -> str:
        """Return what the page's form calls it."""
        return f"{self.plan.bank_code}-{self.plan.months}"


def emi_plan(plan: InstalmentPlan, bank_name: str, amount: Money) -> EmiPlan:
    """Return what a plan comes to for an amount."""
    worked_out = (no_cost if plan.no_cost else instalments)(amount.paise, plan.annual_rate_bps, plan.months)
    return EmiPlan(plan, bank_name, worked_out)
