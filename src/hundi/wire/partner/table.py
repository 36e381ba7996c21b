"""Every operation of partners, by its room.

What the gateway serves, describes, and the SDK calls.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from hundi.wire.partner import gst, identity, leads, pos, pos_entries, prepaid_cards
from hundi.wire.partner.operation import PartnerOperation

ROOMS: tuple[ModuleType, ...] = (identity, gst, prepaid_cards, leads, pos, pos_entries)


def operations_of(room: ModuleType) -> Iterator[PartnerOperation[Any, Any]]:
    """Yield the operations that a room declares, in their order."""
    for value in vars(room).values():
        if isinstance(value, PartnerOperation):
            yield value  # pyright: ignore[reportUnknownVariableType]


OPERATIONS = tuple(operation for room in ROOMS for operation in operations_of(room))
