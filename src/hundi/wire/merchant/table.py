"""Every operation of merchants, by its matter and room.

The gateway serves and describes these, and the SDK calls them.
"""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from hundi.wire.merchant import (
    banks,
    completions,
    disputes,
    links,
    notifications,
    qr_orders,
    refunds,
    saved_cards,
    seamless,
    settlements,
    splits,
    subscriptions,
    terms,
    token,
    upi_address,
    verify,
)
from hundi.wire.operation import Operation, Tag

TAGS: Mapping[Tag, tuple[ModuleType, ...]] = {
    Tag(
        "Tokens",
        "Access tokens of a merchant. Each call carries one, and one serves many calls.",
        "token",
    ): (token,),
    Tag(
        "Payments",
        "Payments that a merchant's server begins, looks up, captures or voids.",
        "payment",
    ): (verify, banks, upi_address, completions, qr_orders, seamless),
    Tag("Refunds", "Money that goes back to a customer.", "refund"): (refunds,),
    Tag("Subscriptions", "Debits that a customer approved once.", "subscriptions"): (
        subscriptions,
    ),
    Tag("Saved cards", "Cards that a customer let the gateway keep as tokens.", "saved-cards"): (
        saved_cards,
    ),
    Tag("Payment links", "Addresses at which an amount can be paid.", "payment-links"): (links,),
    Tag("Settlements", "What the merchant is owed, and what was paid out.", "merchant-money"): (
        settlements,
        terms,
    ),
    Tag("Split settlement", "Shares of a payment that linked accounts get.", "split"): (splits,),
    Tag("Disputes", "Payments that a customer's bank disputes.", "disputes"): (disputes,),
    Tag("Notifications", "Notifications that were made for the merchant's server.", "callbacks"): (
        notifications,
    ),
}
ROOMS = tuple(room for rooms in TAGS.values() for room in rooms)


def operations_of(room: ModuleType) -> Iterator[Operation[Any, Any]]:
    """Yield the operations that a room declares, in their order."""
    for value in vars(room).values():
        if isinstance(value, Operation):
            yield value  # pyright: ignore[reportUnknownVariableType]


OPERATIONS = tuple(operation for room in ROOMS for operation in operations_of(room))
