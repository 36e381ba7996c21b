"""Every operation of merchants, by its room.

What the gateway serves, describes, and the SDK calls.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from hundi.wire.merchant import (
    banks,
    completions,
    disputes,
    links,
    notifications,
    refunds,
    saved_cards,
    settlements,
    subscriptions,
    terms,
    token,
    upi_address,
    verify,
)
from hundi.wire.operation import Operation

ROOMS: tuple[ModuleType, ...] = (
    token,
    verify,
    banks,
    upi_address,
    completions,
    refunds,
    subscriptions,
    saved_cards,
    links,
    settlements,
    terms,
    disputes,
    notifications,
)


def operations_of(room: ModuleType) -> Iterator[Operation[Any, Any]]:
    """Yield the operations that a room declares, in their order."""
    for value in vars(room).values():
        if isinstance(value, Operation):
            yield value  # pyright: ignore[reportUnknownVariableType]


OPERATIONS = tuple(operation for room in ROOMS for operation in operations_of(room))
