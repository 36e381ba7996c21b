"""Capabilities of aggregators: make the UPI link, host the page, charge a card in one step.

An aggregator decides without us once the customer is with it. So no call here is repeated, and only
an inquiry brings the outcome: a webhook only says when to ask (`SendsTriggers`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber


@dataclass(frozen=True, slots=True)
class UpiLink:
    """A `upi://` link that an acquirer made, shown unchanged.

    expires_at: when it ends, UTC.
    """

    url: str
    expires_at: datetime


@runtime_checkable
class MakesUpiLinks(Protocol):
    """Makes one UPI link for each reference; customers scan it as a QR or open it on a phone."""

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge, and approves its mandate if it has one.

        Unknown: no link came, so nobody can have paid. It is not requested again under this
        reference.
        """
        ...


@runtime_checkable
class HostsCheckout(Protocol):
    """Has a payment page of its own; no card number reaches us.

    checkout_origins: where the customer's browser may be sent.
    """

    checkout_origins: tuple[str, ...]

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the page on which a charge is paid.

        method: what it offers: `card`, or `emi` of `HostsInstalments`. capture: False holds the
        amount.
        """
        ...


@runtime_checkable
class ChargesCards(Protocol):
    """Charges typed cards in one step.

    After a passed challenge the money has moved or is held. direct_origins: where the customer's
    browser may be sent for the challenge.
    """

    direct_origins: tuple[str, ...]

    async def charge_card(
        self, charge: Charge, card: CardNumber, *, return_url: str, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Send the card and return the address of its challenge.

        It is not repeated under this reference, even after a lost answer.
        """
        ...


@runtime_checkable
class BringsBack(Protocol):
    """Sends every customer back to one address of ours, by a form.

    Other connectors get a return address with each charge.
    """

    async def read_return(self, form: Mapping[str, str], *, now_s: int) -> str | None:
        """Return the reference of an authentic return, None for any other form.

        It proves no outcome.
        """
        ...


@dataclass(frozen=True, slots=True)
class Trigger:
    """An authenticated webhook: it proves no outcome, and says which references to ask about now.

    event_id: the acquirer's, "" where it has none. references: ours, of attempts and refunds.
    mandates: mandates that may stand otherwise now, by our reference or `MandateStanding.name`.
    """

    event_id: str
    references: tuple[str, ...]
    mandates: tuple[str, ...] = ()


@runtime_checkable
class SendsTriggers(Protocol):
    """Sends webhooks that cause inquiries; they come at least once and in any order."""

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the trigger of an authenticated webhook.

        None when signature, age or form is wrong. headers: names in small letters. body: the signed
        raw bytes.
        """
        ...
