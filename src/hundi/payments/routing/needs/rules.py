"""What an order needs of its acquirer, and which ways can do it; pure."""

from collections.abc import Iterable

import msgspec

from hundi.acquirers.port.cards import IdentifiesCards
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.payments import (
    ChargesCurrencies,
    CompletesAuthorisations,
    NamesPayerAccounts,
)
from hundi.acquirers.registry import CAPABILITY, Way
from hundi.instruments.methods import (
    CARD_MOTO,
    CARD_PAGE,
    CARDS,
    CHANNEL_OF_METHOD,
    EMI_PAGE,
    Channel,
    Flow,
    Method,
)
from hundi.kernel.states import PaymentKind

RUPEES = "INR"


class Needs(msgspec.Struct, frozen=True):
    """What an order needs of its acquirer.

    payer_account: to say from which account a UPI payment came. card_types: to say what a card is
    before it is charged. months: the number of instalments that the order asks for.
    """

    kind: PaymentKind = PaymentKind.SALE
    currency: str = RUPEES
    payer_account: bool = False
    card_types: bool = False
    months: bool = False


NO_NEEDS = Needs()


def steps_of(channel: Channel, kind: PaymentKind) -> tuple[Method, ...]:
    """Return the methods by which a payment of a kind begins in a channel that can make it."""
    match kind:
        case PaymentKind.MOTO:
            return (CARD_MOTO,)
        case _:
            return channel.first_steps


def lacks(way: Way, needs: Needs) -> str:
    """Return which of an order's needs a way cannot meet, for people; "" if it meets all."""
    return "" if needs == NO_NEEDS else _lacks_kind(way, needs.kind) or _lacks_more(way, needs)


def _lacks_kind(way: Way, kind: PaymentKind) -> str:
    if kind is PaymentKind.SUBSCRIPTION and not _takes_mandates(way):
        return "it takes no mandates"
    if kind is not PaymentKind.AUTHORISE or way.method.flow is Flow.CHALLENGED:
        return ""
    # An acquirer must not hold what it can neither capture nor void.
    completes = isinstance(way.connector, CompletesAuthorisations)
    return "" if completes else "it can neither collect nor give back what it holds"


def _lacks_more(way: Way, needs: Needs) -> str:
    connector, of_cards = way.connector, CHANNEL_OF_METHOD[way.method.name] is CARDS
    charged = connector.currencies if isinstance(connector, ChargesCurrencies) else ()
    if needs.currency != RUPEES and needs.currency not in charged:
        return f"it does not charge {needs.currency}"
    if needs.months and way.method is EMI_PAGE:
        return "its page lets the customer choose how many instalments"
    if needs.payer_account and not isinstance(connector, NamesPayerAccounts):
        return "it does not say from which account a payment came"
    if (
        needs.card_types
        and of_cards
        and (way.method is CARD_PAGE or not isinstance(connector, IdentifiesCards))
    ):
        return "it does not say what a card is before it is charged"
    return ""


def _takes_mandates(way: Way) -> bool:
    connector, channel = way.connector, CHANNEL_OF_METHOD[way.method.name]
    return (
        channel.debits is not None
        and isinstance(connector, CAPABILITY[channel.debits.name])
        and isinstance(connector, TakesMandates)
        and channel.code in connector.mandate_terms
        and way.method.name in connector.mandate_methods
    )


def able(ways: Iterable[Way], needs: Needs) -> tuple[Way, ...]:
    """Return the ways that meet an order's needs, the first one of each acquirer."""
    by_acquirer: dict[str, Way] = {}
    for way in ways:
        if way.connector.name not in by_acquirer and not lacks(way, needs):
            by_acquirer[way.connector.name] = way
    return tuple(by_acquirer.values())
