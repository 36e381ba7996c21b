"""Names and limits of channels, and amounts of instalments; pure."""

from dataclasses import dataclass

from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.instruments.emi import Instalments, instalments, no_cost
from hundi.instruments.methods import Channel
from hundi.kernel.money import Money
from hundi.payments.routing.health.rules import Health

SMALLEST_PAISE = 1
"""The smallest payment: neither the gateway nor any network sets a higher minimum."""


@dataclass(frozen=True, slots=True)
class MethodLine:
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
class EmiPlan:
    """One instalment plan for one amount."""

    plan: InstalmentPlan
    bank_name: str
    instalments: Instalments

    @property
    def key(self) -> str:
        """Return its value in the page's form."""
        return f"{self.plan.bank_code}-{self.plan.months}"


@dataclass(frozen=True, slots=True)
class EmiChoice:
    """The instalments that an order's customer can choose.

    plans: by bank and months, on our page. elsewhere: they are chosen at the acquirer's page.
    """

    plans: tuple[EmiPlan, ...] = ()
    elsewhere: bool = False

    @property
    def any(self) -> bool:
        """Return whether the order can be paid in instalments."""
        return self.elsewhere or bool(self.plans)


NO_EMI_CHOICE = EmiChoice()


def emi_plan(plan: InstalmentPlan, bank_name: str, amount: Money) -> EmiPlan:
    """Return a plan's terms for an amount."""
    worked_out = (no_cost if plan.no_cost else instalments)(
        amount.paise, plan.annual_rate_bps, plan.months
    )
    return EmiPlan(plan, bank_name, worked_out)
