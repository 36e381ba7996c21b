"""All SQL of an aggregator's orders, their tries and their refunds."""

from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

import asyncpg

from hundi_testbed.bank.aggregator.rules import AggregatorOrder, CardTry
from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.rules import BankCardFacts, IssuerDecision

_COLUMNS = ", ".join(each.name for each in fields(AggregatorOrder))
_INSERT = f"""
INSERT INTO aggregator_orders ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    $12)
ON CONFLICT DO NOTHING RETURNING true
"""
_SELECT = f"SELECT {_COLUMNS} FROM aggregator_orders"
_FIND = {name: f"{_SELECT} WHERE {name} = $1" for name in ("order_id", "reference", "page")}
_INSERT_TRY = """
INSERT INTO aggregator_tries (try_id, order_id, at, step, last4, scheme, type, issuer, country,
    issuer_decision, code, words, trans_status)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
"""
_TRY = """
SELECT try_id, order_id, at, step, last4, scheme, type, issuer, country, issuer_decision, otps,
    code, words, trans_status
FROM aggregator_tries
"""
_TAKE_OTP = """
UPDATE aggregator_tries SET otps = otps + 1 WHERE try_id = $1 AND step = 'otp' AND otps < $2
    RETURNING otps - 1
"""
_END_TRY = """
WITH ended AS (
    UPDATE aggregator_tries SET step = 'over', code = $2, words = $3, trans_status = $4
    WHERE try_id = $1 AND step = 'otp' RETURNING order_id),
closed AS (
    UPDATE aggregator_orders o SET closed_code = $2, closed_words = $3
    FROM ended WHERE o.order_id = ended.order_id AND o.once AND $2 <> '' RETURNING true),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $5, $6, $7, $8, $9::timestamptz FROM ended WHERE $5::text IS NOT NULL)
SELECT count(*) FROM ended
"""
_CLOSE = """
WITH closed AS (
    UPDATE aggregator_orders SET closed_code = $2, closed_words = $3 WHERE order_id = $1
        AND closed_code = ''
    RETURNING true),
queued AS (
    INSERT INTO callbacks (event_id, reference, body, created_at, due_at)
    SELECT $4, $5, $6, $7, $8::timestamptz FROM closed)
SELECT count(*) FROM closed
"""
_REFUND = """
SELECT a.refund_id, r.reference, r.original, r.amount_paise, r.currency, r.status, r.code,
    r.message, r.rrn, r.told_from
FROM aggregator_refunds a JOIN refunds r ON r.reference = a.reference
"""
_QUEUE = (
    "INSERT INTO callbacks (event_id, reference, body, created_at, due_at) VALUES ($1, $2, $3, $4,"
    " $5)"
)


async def insert(db: BankDatabase, order: AggregatorOrder) -> bool:
    """Write an order; False when its receipt is taken."""
    return await db.fetchval(_INSERT, *asdict(order).values()) is True


async def find(db: BankDatabase, name: str, value: str) -> AggregatorOrder | None:
    """Return an order by order_id, reference or page."""
    row = await db.fetchrow(_FIND[name], value)
    return AggregatorOrder(**dict(row)) if row else None


async def insert_try(db: BankDatabase, each: CardTry) -> None:
    """Write a try."""
    card = each.card
    facts = (card.last4, card.scheme, card.type, card.issuer, card.country, each.issuer_decision)
    end = (each.code, each.words, each.trans_status)
    await db.fetch(_INSERT_TRY, each.try_id, each.order_id, each.at, each.step, *facts, *end)


async def find_try(db: BankDatabase, try_id: str) -> CardTry | None:
    """Return a try by its id."""
    return _read(await db.fetchrow(f"{_TRY} WHERE try_id = $1", try_id))


async def last_try(db: BankDatabase, order_id: str) -> CardTry | None:
    """Return the newest try of an order."""
    return _read(
        await db.fetchrow(f"{_TRY} WHERE order_id = $1 ORDER BY at DESC LIMIT 1", order_id)
    )


def _read(row: asyncpg.Record | None) -> CardTry | None:
    if row is None:
        return None
    values: dict[str, Any] = dict(row)
    card = BankCardFacts(
        *(values.pop(name) for name in ("last4", "scheme", "type", "issuer", "country"))
    )
    return CardTry(
        card=card, issuer_decision=IssuerDecision(values.pop("issuer_decision")), **values
    )


async def take_otp(db: BankDatabase, try_id: str, most: int) -> int | None:
    """Use one password try; return the number of used ones, None when none is left."""
    return await db.fetchval(_TAKE_OTP, try_id, most)


def _queued(callback: Callback | None) -> tuple[object, ...]:
    if callback is None:
        return (None, None, None, None, None)
    return (
        callback.event_id,
        callback.reference,
        callback.body,
        callback.created_at,
        callback.due_at,
    )


async def end_try(
    db: BankDatabase,
    each: CardTry,
    code: str,
    words: str,
    trans_status: str,
    callback: Callback | None,
) -> bool:
    """Write the end of a try, close an order without further tries, and queue its callback."""
    return (
        await db.fetchval(_END_TRY, each.try_id, code, words, trans_status, *_queued(callback)) == 1
    )


async def close(
    db: BankDatabase, order: AggregatorOrder, code: str, words: str, callback: Callback
) -> bool:
    """Close an order for tries, and queue its callback; False when it was closed before."""
    return await db.fetchval(_CLOSE, order.order_id, code, words, *_queued(callback)) == 1


async def insert_refund(connection: asyncpg.Connection, refund_id: str, reference: str) -> None:
    """Write an aggregator's id of a refund, in its transaction."""
    await connection.execute(
        "INSERT INTO aggregator_refunds (refund_id, reference) VALUES ($1, $2)",
        refund_id,
        reference,
    )


async def queue(connection: asyncpg.Connection, callback: Callback, due_at: datetime) -> None:
    """Queue a callback to send at its time."""
    body = (callback.event_id, callback.reference, callback.body, callback.created_at)
    await connection.execute(_QUEUE, *body, due_at)


async def find_refund(db: BankDatabase, refund_id: str) -> asyncpg.Record | None:
    """Return a refund by the aggregator's id of it."""
    return await db.fetchrow(f"{_REFUND} WHERE a.refund_id = $1", refund_id)


async def refund_of(db: BankDatabase, reference: str) -> asyncpg.Record | None:
    """Return a refund by the gateway's reference of it."""
    return await db.fetchrow(f"{_REFUND} WHERE a.reference = $1", reference)


async def refunds_of(db: BankDatabase, original: str) -> list[asyncpg.Record]:
    """Return the refunds of a payment."""
    return await db.fetch(f"{_REFUND} WHERE r.original = $1 ORDER BY r.at", original)
