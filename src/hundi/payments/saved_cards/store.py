"""All SQL about saved cards.

A card is saved as soon as the attempt with its customer's consent has succeeded with a network
token, so nothing has to be written then.
"""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.orders.store import ATTEMPT
from hundi.payments.saved_cards.rules import StoredCard

AGREE = "INSERT INTO saved_cards (merchant_id, token, customer, agreed_at) VALUES ($1, $2, $3, $4)"
_KEPT_BY = """a.merchant_id = s.merchant_id AND a.saved_card = s.token
    AND a.state IN ('paid', 'authorised') AND a.card->>'token' <> ''"""
_KEPT = f"""
SELECT DISTINCT ON (s.token) s.merchant_id, s.token, s.customer, s.agreed_at, {ATTEMPT.listed("a")}
FROM saved_cards s JOIN attempts a ON {_KEPT_BY}
"""
_FIRST = " ORDER BY s.token, a.created_at"
SELECT_OF_CUSTOMER = (
    _KEPT + "WHERE s.merchant_id = $1 AND s.customer = $2 AND s.deleted_at IS NULL" + _FIRST
)
SELECT_ONE = _KEPT + "WHERE s.merchant_id = $1 AND s.token = $2 AND s.deleted_at IS NULL" + _FIRST
DELETE = f"""
UPDATE saved_cards s SET deleted_at = $4 WHERE s.merchant_id = $1 AND s.customer = $2
    AND s.deleted_at IS NULL
AND (s.token = ANY ($3) OR NOT EXISTS (SELECT FROM attempts a WHERE a.merchant_id = $1
    AND {_KEPT_BY}))
"""
FORGET = """
UPDATE saved_cards SET deleted_at = $3 WHERE merchant_id = $1 AND customer = $2
    AND deleted_at IS NULL
RETURNING token
"""
SELECT_DELETED = (
    _KEPT + "WHERE s.merchant_id = $1 AND s.token = $2 AND s.deleted_at IS NOT NULL" + _FIRST
)
SELECT_TO_END = f"""
SELECT s.merchant_id, s.token FROM saved_cards s
WHERE s.deleted_at IS NOT NULL AND s.ended_at IS NULL
    AND EXISTS (SELECT FROM attempts a WHERE {_KEPT_BY})
ORDER BY s.deleted_at LIMIT $1
"""
"""Across merchants: deleted cards whose network is still to be told."""
ENDED = (
    "UPDATE saved_cards SET ended_at = $3 WHERE merchant_id = $1 AND token = $2 AND "
    "ended_at IS NULL"
)
_OWN_COLUMNS = 4


async def agree(db: Database, merchant_id: int, token: str, customer: str, now: datetime) -> None:
    """Record that a customer agrees to save a card."""
    await db.execute(AGREE, merchant_id, token, customer, now)


async def of_customer(db: Database, merchant_id: int, customer: str) -> list[StoredCard]:
    """Return a customer's cards."""
    return [_card(row) for row in await db.fetch(SELECT_OF_CUSTOMER, merchant_id, customer)]


async def select(db: Database, merchant_id: int, token: str) -> StoredCard | None:
    """Return a card that was saved and not deleted."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, token)
    return _card(row) if row else None


async def delete(
    db: Database, merchant_id: int, customer: str, tokens: Sequence[str], now: datetime
) -> None:
    """Delete cards of a customer; from now on nobody pays with them.

    Consents in payments that are not decided yet end as well: it may be the same card.
    """
    await db.execute(DELETE, merchant_id, customer, tokens, now)


async def forget(conn: Queries, merchant_id: int, customer: str, now: datetime) -> int:
    """Delete all cards of a customer, and the consents of payments that are not decided yet.

    Nobody pays with one from now on, and the worker's sweep tells its network. Return how many.
    """
    return len(await conn.fetch(FORGET, merchant_id, customer, now))


async def to_end(db: Database, limit: int) -> list[tuple[int, str]]:
    """Return merchant and token of deleted cards whose network was not told yet."""
    return [(row["merchant_id"], row["token"]) for row in await look(db, SELECT_TO_END, limit)]


async def select_deleted(db: Database, merchant_id: int, token: str) -> StoredCard | None:
    """Return a card that was saved and deleted."""
    row = await db.fetchrow(SELECT_DELETED, merchant_id, token)
    return _card(row) if row else None


async def ended(db: Database, card: StoredCard, now: datetime) -> None:
    """Record that the network has ended a card's token."""
    await db.execute(ENDED, card.merchant_id, card.token, now)


def _card(row: Record) -> StoredCard:
    kept_by = ATTEMPT.read(row, _OWN_COLUMNS)
    return StoredCard(row[0], row[1], row[2], row[3], kept_by)
