"""The order's part of what a customer paid, where the acquirer added a fee to it."""

from collections.abc import Collection, Sequence

from hundi.kernel.money import Money


def order_part(paid: Money, order: Money | None, fee_paise: int | None) -> Money:
    """Return the order's amount where it and the fee make up what was paid, else what was paid.

    A fee alone proves nothing: acquirers tell the one that the merchant bears in the same field.
    order: as the acquirer has it, None where nobody knows it. fee_paise: None where none was told.
    """
    if order is None or not fee_paise or fee_paise < 0:
        return paid
    return order if paid == Money(order.paise + fee_paise, order.currency) else paid


def order_told(
    told: Collection[Money], orders: Sequence[Money | None], fee_paise: int | None
) -> Money | None:
    """Return the order that explains each amount of an answer, alone or with the fee.

    None if none does.

    told: all amounts that the answer says. orders: what may be the order, the likeliest first; None
    counts for nothing.
    """
    for order in orders:
        if order is not None and all(order_part(each, order, fee_paise) == order for each in told):
            return order
    return None
