"""The actions of saved cards: agree, list, find, delete.

`payments.methods.card` pays with one.
"""

from datetime import datetime

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.cards import TokenisesCards
from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import Payment
from hundi.payments.saved_cards import rules, store
from hundi.payments.saved_cards.rules import StoredCard

ENDED_AT_ONCE_MAX = 100


async def agree(db: Database, payment: Payment, token: str, now: datetime) -> None:
    """Record that the customer of a payment agrees to save the card under a token."""
    await store.agree(db, payment.merchant_id, token, payment.buyer.customer, now)


async def cards_of(db: Database, merchant_id: int, customer: str) -> tuple[StoredCard, ...]:
    """Return a customer's cards, newest first, each once."""
    return rules.each_once(await store.of_customer(db, merchant_id, customer))[: rules.SHOWN_MAX]


async def look_up(db: Database, merchant_id: int, token: str) -> StoredCard | None:
    """Return a merchant's card, None when it was deleted or is another merchant's."""
    return await store.select(db, merchant_id, token)


async def find(db: Database, merchant_id: int, token: str) -> StoredCard:
    """Return a merchant's card, as `look_up` does. Raises Refused (NO_RECORDS)."""
    card = await look_up(db, merchant_id, token)
    if card is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return card


async def delete(
    context: PaymentContext, merchant_id: int, token: str, now: datetime
) -> StoredCard:
    """Delete a card, and those that look like it: to its customer they are one.

    It cannot be used from now on; if a network does not answer, it is told later. Raises Refused
    (NO_RECORDS).
    """
    card = await find(context.db, merchant_id, token)
    gone = rules.alike(await store.of_customer(context.db, merchant_id, card.customer), card)
    await store.delete(context.db, merchant_id, card.customer, [each.token for each in gone], now)
    for each in gone:
        await _end(context, each, now)
    return card


async def sweep(context: PaymentContext, now: datetime) -> None:
    """Tell networks of deleted cards whose tokens they have not ended yet."""
    for merchant_id, token in await store.to_end(context.db, ENDED_AT_ONCE_MAX):
        card = await store.select_deleted(context.db, merchant_id, token)
        if card is not None:
            await _end(context, card, now)


async def _end(context: PaymentContext, card: StoredCard, now: datetime) -> None:
    connector = context.connectors.get(card.kept_by.connector)
    answer = (
        await connector.end_token(card.kept_by.card.token)
        if isinstance(connector, TokenisesCards)
        else Unknown()
    )
    if not isinstance(answer, Unknown):
        await store.ended(context.db, card, now)
