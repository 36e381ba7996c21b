"""All SQL that reads the state of deliveries, their tries, and failing endpoints."""

from hundi.infra.postgres.database import Queries, Record
from hundi.infra.postgres.looks import look
from hundi.notifications.rules import (
    DeliveryKey,
    DeliveryOutcome,
    DeliveryState,
    DeliveryStatus,
    DeliveryTry,
    FailingEndpoint,
)

_STATUS = """
    SELECT d.merchant_id, d.payment_id, d.event_no, d.kind, d.state, d.created_at, d.due_at,
        d.tries, d.delivered_at, last.status AS last_status,
    coalesce(last.problem, '') AS last_problem
    FROM deliveries d
    LEFT JOIN delivery_attempts last ON last.merchant_id = d.merchant_id
        AND last.payment_id = d.payment_id
        AND last.event_no = d.event_no AND last.attempt_no = (
            SELECT max(a.attempt_no) FROM delivery_attempts a
            WHERE a.merchant_id = $1 AND a.payment_id = d.payment_id AND a.event_no = d.event_no)
"""

_STATUS_OF = _STATUS + "WHERE d.merchant_id = $1 AND d.payment_id = $2 AND d.event_no = $3"

# Payment ids begin with the time, so the newest payments are at the end of the key.
_NEWEST = (
    _STATUS
    + """
    WHERE d.merchant_id = $1 AND ($2::text IS NULL OR d.state = $2)
        AND ($3::bigint IS NULL OR d.payment_id = $3)
    ORDER BY d.payment_id DESC, d.event_no DESC LIMIT $4
"""
)

_TRIES_OF = """
    SELECT attempt_no, at, url, status, latency_ms, answer, problem FROM delivery_attempts
    WHERE merchant_id = $1 AND payment_id = $2 AND event_no = $3 ORDER BY attempt_no
"""

_FAILING = "SELECT merchant_id, since, problem, probe_at FROM failing_endpoints ORDER BY since"


async def status_of(db: Queries, key: DeliveryKey) -> DeliveryStatus | None:
    """Return the state of one delivery, or None."""
    row = await db.fetchrow(_STATUS_OF, key.merchant_id, key.payment_id, key.event_no)
    return _status_of_row(row) if row else None


async def newest(
    db: Queries,
    merchant_id: int,
    *,
    state: DeliveryState | None,
    payment_id: int | None,
    limit: int,
) -> tuple[DeliveryStatus, ...]:
    """Return a merchant's deliveries, newest first. state, payment_id: None for all."""
    rows = await db.fetch(_NEWEST, merchant_id, state, payment_id, limit)
    return tuple(_status_of_row(row) for row in rows)


async def tries_of(db: Queries, key: DeliveryKey) -> tuple[DeliveryTry, ...]:
    """Return every try of one delivery, oldest first."""
    rows = await db.fetch(_TRIES_OF, key.merchant_id, key.payment_id, key.event_no)
    return tuple(
        DeliveryTry(
            row["attempt_no"],
            row["at"],
            DeliveryOutcome(
                row["url"], row["status"], row["latency_ms"], row["answer"], row["problem"]
            ),
        )
        for row in rows
    )


async def failing_endpoints(db: Queries) -> tuple[FailingEndpoint, ...]:
    """Return failing endpoints of all merchants that can be reached, longest failing first."""
    rows = await look(db, _FAILING)
    return tuple(
        FailingEndpoint(row["merchant_id"], row["since"], row["problem"], row["probe_at"])
        for row in rows
    )


def _status_of_row(row: Record) -> DeliveryStatus:
    return DeliveryStatus(
        key=DeliveryKey(row["merchant_id"], row["payment_id"], row["event_no"]),
        kind=row["kind"],
        state=DeliveryState(row["state"]),
        created_at=row["created_at"],
        due_at=row["due_at"],
        tries=row["tries"],
        delivered_at=row["delivered_at"],
        last_status=row["last_status"],
        last_problem=row["last_problem"],
    )
