"""Cards that customers let you keep (docs/spec/payment-interfaces.md#saved-cards)."""

from dataclasses import dataclass, field
from datetime import datetime

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import checked
from hundi.wire.merchant.saved_cards import parse_delete_card, parse_list_cards

LIST_PATH = "/gateway/pay/v4/api/savedcards/"
DELETE_PATH = "/gateway/pay/v4/api/savedcards/delete/"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCard:
    """One card of a customer.

    token: its name in `Order.saved_card` and in these calls. number: masked, the last four digits only.
    """

    token: str = field(repr=False)
    customer_id: str
    number: str
    scheme: str
    type: str
    issuer: str
    saved_at: datetime | None


def saved_cards(calls: Calls, customer_id: str) -> Steps[tuple[SavedCard, ...]]:
    """Return the cards of one customer, newest first."""
    payload = {"UID": customer_id}
    _ = checked(parse_list_cards, payload)
    envelope = yield from calls.ask(LIST_PATH, payload)
    listed = incoming.data(envelope, "savedcards").get("cards")
    found = tuple(map(_read, incoming.records(listed, "savedcards")))
    for each in found:
        if each.customer_id != customer_id:
            raise errors.MismatchError("UID", customer_id, each.customer_id)
    return found


def delete(calls: Calls, token: str) -> Steps[SavedCard]:
    """Delete a card."""
    payload = {"token": token}
    _ = checked(parse_delete_card, payload)
    # Not repeated: a second one finds no card, and would hide that the first went through.
    envelope = yield from calls.ask(DELETE_PATH, payload, repeats=False)
    gone = _read(incoming.data(envelope, "savedcards/delete"))
    if gone.token != token:
        raise errors.MismatchError("token", "the card asked for", "another card")
    return gone


def _read(record: Record) -> SavedCard:
    return SavedCard(
        token=incoming.demanded(record, "token"),
        customer_id=incoming.demanded(record, "UID"),
        number=incoming.demanded(record, "card_number"),
        scheme=incoming.text(record, "card_scheme"),
        type=incoming.text(record, "card_type"),
        issuer=incoming.text(record, "bank_name"),
        saved_at=incoming.moment(incoming.text(record, "saved_at"), "saved_at"),
    )
