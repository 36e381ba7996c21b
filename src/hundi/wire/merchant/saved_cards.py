"""Saved cards: the operations on them and their messages.

See docs/spec/payment-interfaces.md#saved-cards.
"""

from datetime import datetime

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation


@message()
class SavedCardsOf:
    """The customer whose saved cards to list, newest first."""

    customer_id: str = sent(kinds.CUSTOMER, "UID")


@message()
class SavedCardName:
    """The saved card to delete."""

    token: str = sent(kinds.SAVED_CARD, hidden=True)


@message()
class SavedCard:
    """One card that a customer lets a merchant keep.

    token: its name in `Order.saved_card` and in these calls. customer_id: the merchant's own name
    of its customer. number: masked, the last four digits only.
    """

    token: str = sent(kinds.NAME, hidden=True)
    customer_id: str = sent(kinds.NAME, "UID")
    number: str = sent(kinds.NAME, "card_number")
    scheme: str = sent(kinds.WORDS, "card_scheme")
    type: str = sent(kinds.WORDS, "card_type")
    issuer: str = sent(kinds.WORDS, "bank_name")
    saved_at: datetime | None = sent(kinds.MOMENT)


@message()
class SavedCards:
    """The saved cards of one customer, newest first."""

    cards: tuple[SavedCard, ...] = sent(kinds.objects(SavedCard))


_SECTION = "payment-interfaces.md#saved-cards"
LIST = Operation(
    "savedcards",
    "listSavedCards",
    "saved_cards",
    "List a customer's saved cards",
    _SECTION,
    ("savedcards/",),
    SavedCardsOf,
    SavedCards,
    "read",
    words="Safe to repeat.",
    gives="cards",
    echoes=("UID",),
)
DELETE = Operation(
    "savedcards/delete",
    "deleteSavedCard",
    "delete_saved_card",
    "Delete a saved card",
    _SECTION,
    ("savedcards/delete/",),
    SavedCardName,
    SavedCard,
    "manage",
    words="It cannot be used to pay any more. Never repeated here: after a TransportError ask "
    "`saved_cards`. Raises "
    "NotFoundError for a card you do not have.",
    echoes=("token",),
    repeats=False,  # a second one finds no card, and would hide that the first went through
)
