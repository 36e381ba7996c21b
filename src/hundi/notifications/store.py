"""Deliveries in PostgreSQL."""

from datetime import datetime

from hundi.infra.database import Connection

DELIVERY_CLAUSE = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at, scheduled_from)
    SELECT merchant_id, payment_id, event_no, announced_kind, facts, 'waiting', at, at, at
    FROM settled WHERE announced_kind <> ''
"""
"""Announces each row of a CTE named `settled`: `WITH settled AS (UPDATE …), announced AS ({DELIVERY_CLAUSE}) …`.

For the one step that is hot enough to be a single statement; `announce` is the plain form. `settled` has to return the columns
merchant_id bigint, payment_id bigint, event_no integer (the payment's new revision), announced_kind text ('' announces
nothing, else a `rules.Kind`), facts jsonb, at timestamptz. After the commit the caller wakes `CHANNEL`.
"""

_ANNOUNCE = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at, scheduled_from)
    VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6, $6)
"""


async def insert(
    conn: Connection, merchant_id: int, payment_id: int, event_no: int, kind: str, facts: object, now: datetime
) -> None:
    """Write one delivery. facts: anything that msgspec turns into a JSON object."""
    await conn.execute(_ANNOUNCE, merchant_id, payment_id, event_no, kind, facts, now)
