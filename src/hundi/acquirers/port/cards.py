"""Capabilities of acquirers that take cards."""

from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Authentication,
    Declined,
    Redirect,
    Unknown,
)
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardFacts, CardNumber


@runtime_checkable
class AuthenticatesCards(Protocol):
    """Runs 3-D Secure and charges cards.

    browser_origins: where the customer's browser is sent for the challenge.
    """

    browser_origins: tuple[str, ...]

    async def authenticate(
        self, charge: Charge, card: CardNumber, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Send the card to the acquirer and return the address of the challenge."""
        ...

    async def authentication(self, authentication_id: str) -> Authentication | Unknown:
        """Return how the challenge ended, as the network says and never as the browser does."""
        ...

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge (or hold) the amount, after an authentication that allows it."""
        ...


@runtime_checkable
class TokenisesCards(AuthenticatesCards, Protocol):
    """Saves cards: a charge with `save_card` that succeeds brings a token with the card's facts."""

    async def authenticate_token(
        self, charge: Charge, token: str, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Begin a payment by a saved card and return the address of the challenge."""
        ...

    async def end_token(self, token: str) -> Accepted | Declined | Unknown:
        """End a token, so that nobody pays with it any more; ending it again changes nothing."""
        ...


@runtime_checkable
class IdentifiesCards(Protocol):
    """Knows a card's facts before it is charged."""

    async def identify_card(self, card: CardNumber) -> CardFacts | Declined | Unknown:
        """Return type (credit, debit or prepaid), issuer and country.

        An unknown type is "".
        """
        ...


@runtime_checkable
class ChargesMoto(Protocol):
    """Charges cards without their holder: mail order and telephone order."""

    async def charge_moto(
        self, charge: Charge, card: CardNumber, *, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge (or hold) the amount without a challenge."""
        ...


@runtime_checkable
class TakesCardMandates(TakesMandates, Protocol):
    """Lets a card's challenge or its own page approve a mandate, which is `Charge.mandate`.

    It is valid once the charge is paid. The acquirer keeps the card, under the reference of that
    charge.
    """

    takes_card_mandates: bool
