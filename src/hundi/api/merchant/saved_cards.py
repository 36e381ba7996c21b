"""Saved cards: list a customer's, delete one.

See docs/spec/payment-interfaces.md#saved-cards.
"""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.api.merchant.record import card_number, card_type
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.saved_cards import actions as saved_cards
from hundi.payments.saved_cards import rules
from hundi.wire.fields import customer
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.merchant.saved_cards import (
    DELETE,
    LIST,
    SavedCard,
    SavedCardName,
    SavedCards,
    SavedCardsOf,
)


async def _list(context: MerchantRequest, asked: SavedCardsOf) -> Answer[SavedCards]:
    """Return the cards of one customer, newest first."""
    found = await saved_cards.cards_of(
        context.gateway.db, context.sender.merchant_id, asked.customer_id
    )
    return Answer(SavedCards(cards=tuple(map(_card, found))), f"{len(found)} saved cards")


async def _delete(context: MerchantRequest, asked: SavedCardName) -> Answer[SavedCard]:
    """Delete a card and return it."""
    gone = await saved_cards.delete(
        context.gateway.payments, context.sender.merchant_id, asked.token, context.now
    )
    return Answer(_card(gone), "The card is deleted")


async def customer_of(context: MerchantRequest, asked: PaymentRequest) -> str:
    """Return the merchant's name of a payment's customer, "" where no card is to be saved or used.

    Raises Refused (FIELD_INVALID) for a `token` that is no saved card of this merchant and
    customer.
    """
    if not context.sender.settings.saved_cards:
        return ""
    named = customer(asked.uid)
    if not asked.saved_card:
        return named
    card = await saved_cards.look_up(
        context.gateway.db, context.sender.merchant_id, asked.saved_card
    )
    if card is None or named not in {"", card.customer}:
        allowed = "a saved card of this customer"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="token", received="not one of them", allowed=allowed
        )
    return card.customer


def _card(card: rules.StoredCard) -> SavedCard:
    facts = card.kept_by.card
    return SavedCard(
        token=card.token,
        customer_id=card.customer,
        number=card_number(facts),
        scheme=facts.scheme,
        type=card_type(facts),
        issuer=facts.issuer,
        saved_at=card.agreed_at,
    )


HANDLERS = {
    LIST: serving(LIST, _list),
    DELETE: serving(DELETE, _delete),
}
