"""What acquirers can do of card payments in instalments (EMI).

One protocol for each way to make them.

The order is paid with its whole amount at once. Interest, and what the bank takes for its work, is
between the card's holder and the bank. What an acquirer says of the instalments it made is in the
facts of the card of its approval.
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
    """Turns cards that it authenticates into instalments: `Charge.emi_months` says which."""

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return what the cards' banks offer."""
        ...


@runtime_checkable
class ChargesInstalments(ChargesCards, Protocol):
    """Charges typed cards in instalments: `Charge.emi_months` of `charge_card` says which."""

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return what the cards' banks offer."""
        ...


@runtime_checkable
class HostsInstalments(HostsCheckout, Protocol):
    """Lets customers choose instalments at its own page: `start_checkout` with the method `emi`.

    instalments_from_paise: the smallest amount that can be paid so there; less is declined at once.
    """

    instalments_from_paise: int
