"""Capabilities of acquirers for card payments in instalments (EMI), one for each way.

The order is paid with its whole amount at once. Interest and the bank's fee are between the
cardholder and the bank. The card's facts in an approval have the instalments that the acquirer
made.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout


@dataclass(frozen=True, slots=True)
class InstalmentPlan:
    """An EMI plan of an issuer.

    Months, yearly rate in basis points, smallest amount, who bears the cost.

    has_fee: the bank takes a processing fee from its customer beside the interest.
    """

    bank_code: str
    months: int
    annual_rate_bps: int
    minimum_paise: int
    no_cost: bool = False
    has_fee: bool = False


@runtime_checkable
class OffersInstalments(AuthenticatesCards, Protocol):
    """Turns cards that it authenticates into instalments, given by `Charge.emi_months`."""

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return the plans of the cards' banks."""
        ...


@runtime_checkable
class ChargesInstalments(ChargesCards, Protocol):
    """Charges typed cards in instalments, given by `Charge.emi_months` of `charge_card`."""

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return the plans of the cards' banks."""
        ...


@runtime_checkable
class HostsInstalments(HostsCheckout, Protocol):
    """Lets customers choose instalments at its own page: `start_checkout` with the method `emi`.

    instalments_from_paise: the smallest amount that can be paid like that; less is declined at
    once.
    """

    instalments_from_paise: int
