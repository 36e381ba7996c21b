"""The order's part of what a customer paid, where the acquirer added a fee to it."""

from hundi.kernel.money import Money


def order_part(paid: Money, order: Money | None, fee_paise: int | None) -> Money:
    """Return the order's amount where it and the fee told make up what was paid, else what was paid.

    A fee alone proves nothing: acquirers tell the one that the merchant bears in the same field.
    order: as the acquirer has it, None where nobody knows it. fee_paise: None where none was told.
    """
    if order is None or not fee_paise or fee_paise < 0:
        return paid
    return order if paid == Money(order.paise + fee_paise, order.currency) else paid
