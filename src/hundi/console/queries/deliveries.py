"""Rows for the list of deliveries: notifications with their last try, newest payments first."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from asyncpg import Record

from hundi.console.queries.bounded import ID_MAX, look, midnight
from hundi.infra.postgres.database import Database

SELECT_PAGE = """
SELECT d.payment_id, d.event_no, d.kind, d.state, d.created_at, d.due_at, d.tries, d.delivered_at,
    p.order_id, last.at AS tried_at, last.status, last.latency_ms,
    coalesce(last.problem, '') AS problem
FROM deliveries d
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = d.payment_id
    LEFT JOIN delivery_attempts last ON last.merchant_id = $1 AND last.payment_id = d.payment_id
        AND last.event_no = d.event_no AND last.attempt_no = (
            SELECT max(a.attempt_no) FROM delivery_attempts a
            WHERE a.merchant_id = $1 AND a.payment_id = d.payment_id AND a.event_no = d.event_no)
WHERE d.merchant_id = $1 AND (d.payment_id, d.event_no) < ($2, $3)
    AND ($4::text IS NULL OR d.state::text = $4)
    AND ($5::text IS NULL OR d.kind = $5) AND d.created_at >= $6 AND d.created_at < $7
ORDER BY d.payment_id DESC, d.event_no DESC LIMIT $8
"""
"""In the order of the key: a page goes on where the one before it ended."""


@dataclass(frozen=True, slots=True)
class DeliveryFilters:
    """Filters of the list; None for any value.

    Indian days of the event, the last included.
    """

    state: str | None
    kind: str | None
    since: date
    until: date | None


def span_of(since: date, until: date | None, now: datetime) -> tuple[datetime, datetime]:
    """Return the beginning and end of a span of Indian days.

    Without a last day it ends with tomorrow.
    """
    return midnight(since), midnight(until) + timedelta(days=1) if until else now + timedelta(
        days=1
    )


async def select_page(
    db: Database,
    merchant_id: int,
    filters: DeliveryFilters,
    before: tuple[int, int],
    limit: int,
    now: datetime,
) -> list[Record] | None:
    """Return a merchant's deliveries; None where that takes too long.

    before: payment and event of the last one on the page before, (0, 0) for the first page.
    """
    key = before if before[0] else (ID_MAX, 0)
    values = (
        merchant_id,
        *key,
        filters.state,
        filters.kind,
        *span_of(filters.since, filters.until, now),
        limit,
    )
    return await look(db, SELECT_PAGE, *values)
