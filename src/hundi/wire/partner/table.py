"""Every operation of partners, by its matter and room.

The gateway serves and describes these, and the SDK calls them.
"""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from hundi.wire.operation import Tag
from hundi.wire.partner import gst, identity, leads, pos, pos_entries, prepaid_cards
from hundi.wire.partner.operation import PartnerOperation

TAGS: Mapping[Tag, tuple[ModuleType, ...]] = {
    Tag(
        "Aadhaar",
        "Who somebody is, by the Aadhaar number and with consent.",
        "aadhaar-verification",
    ): (identity,),
    Tag("GST", "Who is registered for GST, and how much it comes to.", "gst-verification"): (gst,),
    Tag("Prepaid cards", "Cards of a card programme.", "card-details"): (prepaid_cards,),
    Tag("Leads", "Businesses that a partner brings.", "createlead"): (leads,),
    Tag("Terminals", "What terminals sold.", "pos"): (pos, pos_entries),
}
ROOMS = tuple(room for rooms in TAGS.values() for room in rooms)


def operations_of(room: ModuleType) -> Iterator[PartnerOperation[Any, Any]]:
    """Yield the operations that a room declares, in their order."""
    for value in vars(room).values():
        if isinstance(value, PartnerOperation):
            yield value  # pyright: ignore[reportUnknownVariableType]


OPERATIONS = tuple(operation for room in ROOMS for operation in operations_of(room))
