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
        "A person's identity, by the Aadhaar number and with consent.",
        "aadhaar-verification",
    ): (identity,),
    Tag("GST", "Registrations for GST, and its calculation.", "gst-verification"): (gst,),
    Tag("Prepaid cards", "Cards of a card programme.", "card-details"): (prepaid_cards,),
    Tag("Leads", "Businesses that a partner refers as new merchants.", "createlead"): (leads,),
    Tag("Terminals", "Sales at terminals.", "pos"): (pos, pos_entries),
}
ROOMS = tuple(room for rooms in TAGS.values() for room in rooms)


def operations_of(room: ModuleType) -> Iterator[PartnerOperation[Any, Any]]:
    """Yield the operations that a room declares, in their order."""
    for value in vars(room).values():
        if isinstance(value, PartnerOperation):
            yield value  # pyright: ignore[reportUnknownVariableType]


OPERATIONS = tuple(operation for room in ROOMS for operation in operations_of(room))
