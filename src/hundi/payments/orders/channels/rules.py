"""Which channels an order can be paid by.

The merchant's channels, as far as an acquirer can do what the order needs.
"""

from hundi.acquirers.registry import Registry, Way
from hundi.instruments import limits
from hundi.instruments.methods import CARDS, CHANNELS, EMI, SCANNED, codes_for
from hundi.instruments.surcharge import surcharges
from hundi.kernel.money import rupees
from hundi.kernel.refusals import Cure, RefusalCode, refuse
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import NewOrder, Payment
from hundi.payments.routing.actions import able
from hundi.payments.routing.needs.rules import RUPEES, Needs, steps_of
from hundi.payments.routing.rules import RoutingCase

IN_ANY_CURRENCY = frozenset({PaymentKind.SALE, PaymentKind.MOTO})
"""Kinds of payment possible in other currencies: those charged at once.

See docs/spec/domain.md#currencies.
"""


def needs_of(order: NewOrder | Payment) -> Needs:
    """Return what an order needs of its acquirer."""
    restrictions = order.restrictions
    return Needs(
        order.kind,
        order.amount.currency,
        bool(restrictions.payer_account),
        bool(restrictions.card_types),
        bool(order.emi_months),
    )


def emi_way(connectors: Registry, payment: Payment) -> Way | None:
    """Return the first way to make instalments of an order: each acquirer has terms of its own."""
    return next(
        iter(
            able(connectors, RoutingCase(payment.merchant_id, needs_of(payment)), EMI.first_steps)
        ),
        None,
    )


def channels_of(connectors: Registry, merchant: Merchant, order: NewOrder) -> tuple[str, ...]:
    """Return the channels of an order, in the merchant's order.

    Raises Refused: CHANNEL_NOT_ENABLED, NO_CHANNEL_SERVED.
    """
    whole = needs_of(order)
    _check_currency(connectors, merchant, order)
    if order.restrictions.payer_account:
        _check_payer_account(connectors, merchant, order)
    may = codes_for(order.kind) & _of_needs(whole)
    enabled = tuple(
        each
        for each in merchant.settings.channels
        if each in may and ways_of(connectors, merchant, each, whole)
    )
    channels = tuple(each for each in enabled if not order.channels or each in order.channels)
    if not channels:
        received, allowed = (
            "_".join(order.channels),
            "_".join(enabled) or "none: no acquirer is connected",
        )
        served = any(
            ways_of(connectors, merchant, each, Needs()) for each in merchant.settings.channels
        )
        code = RefusalCode.CHANNEL_NOT_ENABLED if served else RefusalCode.NO_CHANNEL_SERVED
        cures = channel_cures(connectors, merchant, order, whole)
        raise refuse(code, field="chmod", received=received, allowed=allowed, cures=cures)
    return _carrying(channels, merchant, order.amount.paise)


def _of_needs(needs: Needs) -> frozenset[str]:
    """Return the channels that can carry an order's needs, whoever serves them."""
    if needs.payer_account:
        return SCANNED
    return frozenset(CHANNELS) if needs.currency == RUPEES else frozenset({CARDS.code})


def ways_of(connectors: Registry, merchant: Merchant, code: str, needs: Needs) -> tuple[Way, ...]:
    """Return every way that can take a merchant's orders with these needs by a channel."""
    return able(
        connectors, RoutingCase(merchant.merchant_id, needs), steps_of(CHANNELS[code], needs.kind)
    )


def channel_cures(
    connectors: Registry, merchant: Merchant, order: NewOrder, needs: Needs
) -> tuple[Cure, ...]:
    """Return the channels that would take the order if the merchant switched them on."""
    may = codes_for(order.kind) & _of_needs(needs)
    off = [
        each
        for each in order.channels or CHANNELS
        if each in may and each not in merchant.settings.channels
    ]
    served = [each for each in off if ways_of(connectors, merchant, each, needs)]
    return (Cure("channels", "_".join(served)),) if served else ()


def _check_currency(connectors: Registry, merchant: Merchant, order: NewOrder) -> None:
    """Refuse a currency that the merchant is not enabled for, or that no card can be charged in.

    Raises Refused (CHANNEL_NOT_ENABLED).
    """
    currency, allowed = order.amount.currency, ", ".join(merchant.settings.currencies)
    needs, cures = Needs(order.kind, currency), ()
    charged, is_enabled = currency == RUPEES, currency in merchant.settings.currencies
    if not charged and order.kind not in IN_ANY_CURRENCY:
        allowed = f"{RUPEES} for this kind of payment"
    elif not charged and CARDS.code not in (order.channels or merchant.settings.channels):
        allowed = f"{RUPEES}; other currencies are for cards (pg)"
        cures = channel_cures(connectors, merchant, order, needs) if is_enabled else ()
    elif not charged:
        charged = bool(ways_of(connectors, merchant, CARDS.code, needs))
    if charged and not is_enabled:
        cures = (Cure("currencies", currency),)
    if not charged or not is_enabled:
        code = RefusalCode.CHANNEL_NOT_ENABLED
        raise refuse(code, field="currency_code", received=currency, allowed=allowed, cures=cures)


def _check_payer_account(connectors: Registry, merchant: Merchant, order: NewOrder) -> None:
    """Refuse an order whose payer's account cannot be checked.

    Raises Refused (CHANNEL_NOT_ENABLED).
    """
    codes = (
        set(order.channels or merchant.settings.channels)
        & SCANNED
        & set(merchant.settings.channels)
    )
    checked = any(ways_of(connectors, merchant, each, Needs(payer_account=True)) for each in codes)
    if not checked or order.kind is not PaymentKind.SALE:
        code, allowed = (
            RefusalCode.CHANNEL_NOT_ENABLED,
            "none: the paying account is checked for sales by UPI only",
        )
        is_sale = order.kind is PaymentKind.SALE
        cures = (
            channel_cures(connectors, merchant, order, Needs(payer_account=True)) if is_sale else ()
        )
        raise refuse(
            code, field="upi_tpv_account", received="(not shown)", allowed=allowed, cures=cures
        )


def _carrying(channels: tuple[str, ...], merchant: Merchant, paise: int) -> tuple[str, ...]:
    """Return the channels whose networks carry an amount with its surcharge.

    Raises Refused (CHANNEL_NOT_ENABLED) when none does.
    """
    mcc, fees = merchant.settings.mcc, merchant.settings.surcharges
    carrying = tuple(
        each
        for each in channels
        if limits.carries(each, mcc, paise + sum(surcharges(fees, (each,), paise)))
    )
    if not carrying:
        code, allowed = (
            RefusalCode.CHANNEL_NOT_ENABLED,
            ", ".join(f"{each} {_bounds(each, mcc)}" for each in channels),
        )
        cures = [Cure("surcharges", each) for each in channels if limits.carries(each, mcc, paise)]
        if not mcc and any(limits.carries_somewhere(each, paise) for each in channels):
            cures.append(Cure("mcc"))
        raise refuse(
            code, field="amount", received=rupees(paise), allowed=allowed, cures=tuple(cures)
        )
    return carrying


def _bounds(channel: str, mcc: str) -> str:
    least, most = limits.minimum(channel), limits.maximum(channel, mcc)
    return f"from {rupees(least)}" if least else f"up to {rupees(most or 0)}"
