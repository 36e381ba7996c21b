"""All SQL about the cards of the simulated programme."""

from collections.abc import Sequence

import msgspec

from hundi.simbank.cards.rules import Card
from hundi.simbank.database import Books

_CARD = "programme, entity_id, kit_no, number, expiry, status, kind"
_COUNT_CARDS = "SELECT count(*) FROM registered_cards"
_PUT_CARDS = f"""
INSERT INTO registered_cards ({_CARD})
SELECT {_CARD} FROM jsonb_to_recordset($1::text::jsonb) AS each (programme text, entity_id text, kit_no text,
    number text, expiry text, status text, kind text)
ON CONFLICT DO NOTHING
"""  # noqa: S608 (constants only)
_CARDS_OF = f"""
SELECT {_CARD} FROM registered_cards WHERE programme = $1 AND entity_id = $2 ORDER BY kit_no
"""  # noqa: S608 (constants only)
_CARD_OF_KIT = f"SELECT {_CARD} FROM registered_cards WHERE programme = $1 AND kit_no = $2"  # noqa: S608
_MOVE_CARD = """
UPDATE registered_cards SET status = $4, reason = $5, changed_at = now()
WHERE programme = $1 AND kit_no = $2 AND status = $3 RETURNING kit_no
"""


async def count_cards(db: Books) -> int:
    """Return how many cards there are."""
    return await db.fetchval(_COUNT_CARDS)


async def put_cards(db: Books, entries: Sequence[dict[str, str]]) -> None:
    """Write new cards."""
    await db.fetch(_PUT_CARDS, msgspec.json.encode(entries).decode())


async def cards_of(db: Books, programme: str, entity_id: str) -> list[Card]:
    """Return a customer's cards, by kit."""
    return [Card(**dict(row)) for row in await db.fetch(_CARDS_OF, programme, entity_id)]


async def card_of_kit(db: Books, programme: str, kit_no: str) -> Card | None:
    """Return the card of a kit."""
    row = await db.fetchrow(_CARD_OF_KIT, programme, kit_no)
    return Card(**dict(row)) if row else None


async def move_card(db: Books, card: Card, status: str, reason: str) -> bool:
    """Write a card's new state if it is still in the one it was decided on."""
    return await db.fetchval(_MOVE_CARD, card.programme, card.kit_no, card.status, status, reason) is not None


async def next_kit(db: Books) -> int:
    """Return a serial number that no kit has."""
    return await db.fetchval("SELECT nextval('card_kits')")
