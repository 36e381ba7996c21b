"""The messages about saved cards in `encdata`, parsed and checked, and `data` of their replies.

See docs/spec/payment-interfaces.md#saved-cards.
"""

import msgspec

from hundi.wire.fields import customer, free_text
from hundi.wire.merchant.values import Values, refuse_page_fields, required


class SavedCardData(msgspec.Struct, frozen=True, kw_only=True):
    """One card that a customer lets a merchant keep.

    token: its name in payments and in these interfaces. UID: the merchant's own name of its customer. card_number: the
    last four digits only. saved_at: ISO 8601, India.
    """

    token: str
    UID: str
    card_number: str
    card_scheme: str
    card_type: str
    bank_name: str
    saved_at: str


def parse_list_cards(values: Values) -> str:
    """Return whose cards to list. Raises FieldError."""
    refuse_page_fields(values, "UID")
    return customer(required(values, "UID"))


def parse_delete_card(values: Values) -> str:
    """Return which card to delete. Raises FieldError."""
    refuse_page_fields(values, "token")
    return free_text(required(values, "token"), "token")
