"""Rules of a payment link's items: their bounds, their sum, and how people write one; pure."""

from collections.abc import Sequence

import msgspec

from hundi.kernel.money import PAISE_PER_RUPEE, paise_typed, rupees
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, Refused, refuse

ITEMS_MAX = 50
QUANTITY_MAX = 9_999
DESCRIPTION_LENGTH_MAX = 100
ITEM_WORDS = "what it is; how many; the amount of all of them in rupees"
"""How people write one item: `Silk saree; 2; 2400.00`."""
_PARTS = 3
_FIELD = "items"


class LinkItem(msgspec.Struct, frozen=True):
    """One line of what a link is for. amount_paise: of all its pieces together."""

    description: str
    quantity: int
    amount_paise: int


def parse_item(text: str) -> LinkItem:
    """Return the item that somebody typed. Raises Refused (FIELD_INVALID)."""
    parts = [part.strip() for part in text.rsplit(";", _PARTS - 1)]
    if len(parts) != _PARTS:
        raise _wrong(text, f"{ITEM_WORDS}, such as Silk saree; 2; 2400.00")
    description, quantity, amount = parts
    if not (quantity.isascii() and quantity.isdecimal()):
        raise _wrong(quantity, f"a quantity from 1 to {QUANTITY_MAX:,}")
    paise = paise_typed(amount)
    if paise is None:
        raise _wrong(amount, "an amount in rupees, such as 2400.00")
    return LinkItem(description, int(quantity), paise)


def item_text(item: LinkItem) -> str:
    """Return an item as `parse_item` reads it."""
    whole, rest = divmod(item.amount_paise, PAISE_PER_RUPEE)
    return f"{item.description}; {item.quantity}; {whole}.{rest:02d}"


def items_sum(items: Sequence[LinkItem]) -> int:
    """Return what items come to, in paise."""
    return sum(item.amount_paise for item in items)


def check_items(items: Sequence[LinkItem], amount_paise: int) -> None:
    """Raise Refused (FIELD_INVALID) unless items are in bounds and come to the amount exactly."""
    if len(items) > ITEMS_MAX:
        raise _wrong(f"{len(items)} items", f"{ITEMS_MAX} items at most")
    for place, item in enumerate(items):
        name = f"{_FIELD}[{place}]"
        if not is_name(item.description, DESCRIPTION_LENGTH_MAX):
            allowed = name_words(DESCRIPTION_LENGTH_MAX)
            raise _wrong(item.description, allowed, f"{name}.description")
        if not 1 <= item.quantity <= QUANTITY_MAX:
            raise _wrong(str(item.quantity), f"1 to {QUANTITY_MAX:,}", f"{name}.quantity")
        if item.amount_paise <= 0:
            raise _wrong(rupees(item.amount_paise), "an amount above zero", f"{name}.amount")
    total = items_sum(items)
    if items and total != amount_paise:
        raise _wrong(
            f"items of {rupees(total)}", f"items that add up to the amount, {rupees(amount_paise)}"
        )


def _wrong(received: str, allowed: str, field: str = _FIELD) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)
