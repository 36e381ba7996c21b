"""The order's part of a customer's payment, where the acquirer added a fee."""

from collections.abc import Collection, Sequence

from hundi.kernel.money import Money


def order_part(paid: Money, order: Money | None, fee_paise: int | None) -> Money:
    """Return the order's amount if it and the fee make up what was paid, else what was paid.

    A fee alone proves nothing: acquirers report the merchant's fee in the same field. order: the
    acquirer's amount of it, None if unknown. fee_paise: None if it was not reported.
    """
    if order is None or not fee_paise or fee_paise < 0:
        return paid
    return order if paid == Money(order.paise + fee_paise, order.currency) else paid


def order_told(
    amounts: Collection[Money], orders: Sequence[Money | None], fee_paise: int | None
) -> Money | None:
    """Return the order that explains each amount of an answer, alone or with the fee.

    None if none does.

    amounts: all of the answer. orders: possible orders, the likeliest first; None is skipped.
    """
    for order in orders:
        if order is not None and all(
            order_part(each, order, fee_paise) == order for each in amounts
        ):
            return order
    return None
