"""All SQL about the cards of the simulated programme."""

from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from hundi_testbed.bank.cards.rules import BankProgrammeCard
from hundi_testbed.bank.database import BankDatabase

_CARD = "programme, entity_id, kit_no, number, expiry, status, kind"
_COUNT_CARDS = "SELECT count(*) FROM registered_cards"
_NEW_CARDS = """jsonb_to_recordset({}::text::jsonb) AS each (programme text, entity_id text,
    kit_no text, number text, expiry text, status text, kind text)"""
_PUT_CARDS = f"""
INSERT INTO registered_cards ({_CARD})
SELECT {_CARD} FROM {_NEW_CARDS.format("$1")}
ON CONFLICT DO NOTHING
"""
_CARDS_OF = f"""
SELECT {_CARD} FROM registered_cards WHERE programme = $1 AND entity_id = $2 ORDER BY kit_no
"""
_CARD_OF_KIT = f"SELECT {_CARD} FROM registered_cards WHERE programme = $1 AND kit_no = $2"
_MOVE_CARD = f"""
WITH moved AS (
    UPDATE registered_cards SET status = $4, reason = $5, changed_at = now()
    WHERE programme = $1 AND kit_no = $2 AND status = $3 RETURNING kit_no
), replaced AS (
    INSERT INTO registered_cards ({_CARD})
    SELECT {_CARD} FROM {_NEW_CARDS.format("$6")} WHERE EXISTS (SELECT FROM moved)
)
SELECT kit_no FROM moved
"""


async def count_cards(db: BankDatabase) -> int:
    """Return how many cards there are."""
    return await db.fetchval(_COUNT_CARDS)


async def put_cards(db: BankDatabase, entries: Sequence[dict[str, str]]) -> None:
    """Write new cards."""
    await db.fetch(_PUT_CARDS, msgspec.json.encode(entries).decode())


async def cards_of(db: BankDatabase, programme: str, entity_id: str) -> list[BankProgrammeCard]:
    """Return a customer's cards, by kit."""
    return [
        BankProgrammeCard(**dict(row)) for row in await db.fetch(_CARDS_OF, programme, entity_id)
    ]


async def card_of_kit(db: BankDatabase, programme: str, kit_no: str) -> BankProgrammeCard | None:
    """Return the card of a kit."""
    row = await db.fetchrow(_CARD_OF_KIT, programme, kit_no)
    return BankProgrammeCard(**dict(row)) if row else None


async def move_card(
    db: BankDatabase,
    card: BankProgrammeCard,
    status: str,
    reason: str,
    replacement: BankProgrammeCard | None = None,
) -> bool:
    """Write a card's new state and its replacement, unless its state has changed meanwhile."""
    fresh = [asdict(replacement)] if replacement else []
    arguments = (
        card.programme,
        card.kit_no,
        card.status,
        status,
        reason,
        msgspec.json.encode(fresh).decode(),
    )
    return await db.fetchval(_MOVE_CARD, *arguments) is not None


async def next_kit(db: BankDatabase) -> int:
    """Return an unused serial number for a kit."""
    return await db.fetchval("SELECT nextval('card_kits')")
