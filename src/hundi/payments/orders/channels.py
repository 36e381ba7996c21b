"""Which channels an order can be paid by: the merchant's, as far as acquirers can do what it asks for."""

from hundi.acquirers.port import ChargesCurrencies, IdentifiesCards, NamesPayerAccounts
from hundi.acquirers.registry import Registry, Way
from hundi.instruments import limits
from hundi.instruments.methods import CARD_MOTO, CARD_PAGE, CARDS, SCANNED
from hundi.instruments.surcharge import surcharges
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import NewOrder

RUPEES = "INR"
IN_ANY_CURRENCY = frozenset({PaymentKind.SALE, PaymentKind.MOTO})
"""Kinds of payment in other currencies: what is charged at once (docs/spec/domain.md#currencies)."""


def channels_of(connectors: Registry, merchant: Merchant, order: NewOrder) -> tuple[str, ...]:
    """Return the channels of an order, in the merchant's order.

    Raises Refused: CHANNEL_NOT_ENABLED, NO_CHANNEL_SERVED.
    """
    able = connectors.channels_for(order.kind) & _of_currency(connectors, merchant, order)
    if order.restrictions.card_types and not _identifies_cards(connectors, order.kind):
        able -= {CARDS.code}
    if order.restrictions.payer_account:
        able &= _of_one_account(connectors, merchant, order)
    enabled = tuple(each for each in merchant.settings.channels if each in able)
    channels = tuple(each for each in enabled if not order.channels or each in order.channels)
    if not channels:
        received, allowed = "_".join(order.channels), "_".join(enabled) or "none: no acquirer is connected"
        served = not connectors.channels.isdisjoint(merchant.settings.channels)
        code = RefusalCode.CHANNEL_NOT_ENABLED if served else RefusalCode.NO_CHANNEL_SERVED
        raise refuse(code, field="chmod", received=received, allowed=allowed)
    return _carrying(channels, merchant, order.amount.paise)


def _of_currency(connectors: Registry, merchant: Merchant, order: NewOrder) -> frozenset[str]:
    """Return the channels that can take an order's currency: cards, or all of them for rupees.

    Raises Refused (CHANNEL_NOT_ENABLED) when the merchant is not enabled for it, or no card can pay the order.
    """
    currency, allowed = order.amount.currency, ", ".join(merchant.settings.currencies)
    if currency == RUPEES and currency in merchant.settings.currencies:
        return frozenset(merchant.settings.channels)
    way = _of_cards(connectors, order.kind)
    connector = way and way.connector
    charges = connector.currencies if isinstance(connector, ChargesCurrencies) else frozenset[str]()
    if order.kind not in IN_ANY_CURRENCY:
        charges, allowed = frozenset[str](), f"{RUPEES} for this kind of payment"
    elif CARDS.code not in (order.channels or merchant.settings.channels):
        charges, allowed = frozenset[str](), f"{RUPEES}; other currencies are for cards (pg)"
    if currency not in merchant.settings.currencies or currency not in charges:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="currency_code", received=currency, allowed=allowed)
    return frozenset({CARDS.code})


def _of_one_account(connectors: Registry, merchant: Merchant, order: NewOrder) -> frozenset[str]:
    """Return the channels whose payers' accounts are known.

    Raises Refused (CHANNEL_NOT_ENABLED) when the account of this order's payer cannot be checked.
    """
    ways = {code: connectors.way(code) for code in SCANNED}
    named = frozenset(code for code, way in ways.items() if way and isinstance(way.connector, NamesPayerAccounts))
    wanted = set(order.channels or merchant.settings.channels) & named & set(merchant.settings.channels)
    if not wanted or order.kind is not PaymentKind.SALE:
        allowed = "none: the paying account is checked for sales by UPI only"
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="upi_tpv_account", received="(not shown)", allowed=allowed)
    return named


def _identifies_cards(connectors: Registry, kind: PaymentKind) -> bool:
    """Return whether the acquirer of cards can say what a card is before it is charged: not one at its own page."""
    way = _of_cards(connectors, kind)
    return way is not None and way.method is not CARD_PAGE and isinstance(way.connector, IdentifiesCards)


def _of_cards(connectors: Registry, kind: PaymentKind) -> Way | None:
    return connectors.first_way((CARD_MOTO,) if kind is PaymentKind.MOTO else CARDS.first_steps)


def _carrying(channels: tuple[str, ...], merchant: Merchant, paise: int) -> tuple[str, ...]:
    """Return the channels whose networks carry an amount with its surcharge.

    Raises Refused (CHANNEL_NOT_ENABLED) when none does.
    """
    mcc, fees = merchant.settings.mcc, merchant.settings.surcharges
    carrying = tuple(
        each for each in channels if limits.carries(each, mcc, paise + sum(surcharges(fees, (each,), paise)))
    )
    if not carrying:
        allowed = ", ".join(f"{each} {_bounds(each, mcc)}" for each in channels)
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="amount", received=rupees(paise), allowed=allowed)
    return carrying


def _bounds(channel: str, mcc: str) -> str:
    least, most = limits.minimum(channel), limits.maximum(channel, mcc)
    return f"from {rupees(least)}" if least else f"up to {rupees(most or 0)}"
