"""Orders of which a merchant was told that they are paid: what no failover may lose."""

from collections.abc import Iterable

from tests.system.shop import Shop

Facts = tuple[str, str, int]
"""The transaction of an order, its reference number at the bank, and its status."""


def verified(shop: Shop, order_ids: Iterable[str]) -> dict[str, Facts]:
    """Return what verify says of each order."""
    told = {each: shop.verify(each) for each in order_ids}
    return {each: (one.transaction_id, one.rrn, one.status_code) for each, one in told.items()}


def told_paid(shop: Shop, order_ids: list[str]) -> list[str]:
    """Return those orders of which the merchant was told that they are paid."""
    told = {
        each.transaction.order_id
        for each in shop.endpoint.read(shop.merchant)
        if each.event == "paid"
    }
    return [each for each in order_ids if each in told]
