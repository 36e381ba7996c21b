"""Saved cards: list a customer's, delete one.

See docs/spec/payment-interfaces.md#saved-cards.
"""

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.record import card_number, card_type
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.saved_cards import actions as saved_cards
from hundi.payments.saved_cards.rules import SavedCard
from hundi.wire.fields import customer
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.merchant.saved_cards import SavedCardData, parse_delete_card, parse_list_cards

LIST, DELETE = merchant_endpoint("savedcards", KeyScope.READ), merchant_endpoint("savedcards/delete", KeyScope.MANAGE)


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the cards of one customer, newest first."""
    return await serve(gateway, inbound, LIST, _list)


async def delete(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Delete a card and return what it was."""
    return await serve(gateway, inbound, DELETE, _delete)


async def _list(context: MerchantRequest) -> dict[str, object]:
    customer = parse_list_cards(context.values)
    found = await saved_cards.cards_of(context.gateway.db, context.sender.merchant_id, customer)
    data = {"cards": [msgspec.to_builtins(_data(each)) for each in found]}
    return replies.success(data, f"{len(found)} saved cards", context.request_id)


async def _delete(context: MerchantRequest) -> dict[str, object]:
    token = parse_delete_card(context.values)
    gone = await saved_cards.delete(context.gateway.payments, context.sender.merchant_id, token, context.now)
    return replies.success(msgspec.to_builtins(_data(gone)), "The card is deleted", context.request_id)


async def customer_of(context: MerchantRequest, asked: PaymentRequest) -> str:
    """Return whose payment is asked for, "" where no card is to be saved or used.

    Raises Refused (FIELD_INVALID) for a `token` that is no saved card of this merchant and customer.
    """
    if not context.sender.settings.saved_cards:
        return ""
    named = customer(asked.uid)
    if not asked.saved_card:
        return named
    card = await saved_cards.look_up(context.gateway.db, context.sender.merchant_id, asked.saved_card)
    if card is None or named not in {"", card.customer}:
        allowed = "a saved card of this customer"
        raise refuse(RefusalCode.FIELD_INVALID, field="token", received="not one of them", allowed=allowed)
    return card.customer


def _data(card: SavedCard) -> SavedCardData:
    facts = card.kept_by.card
    return SavedCardData(
        token=card.token,
        UID=card.customer,
        card_number=card_number(facts),
        card_scheme=facts.scheme,
        card_type=card_type(facts),
        bank_name=facts.issuer,
        saved_at=ist(card.agreed_at).isoformat(timespec="seconds"),
    )
