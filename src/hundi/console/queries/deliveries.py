"""Rows for the list of deliveries: notifications with their last try, newest payments first."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from asyncpg import Record

from hundi.console.queries.bounded import ID_MAX, ListCursor, look, look_at_sums, midnight
from hundi.infra.postgres.database import Database

_ROW = """
SELECT d.payment_id, d.event_no, d.kind, d.state, d.created_at, d.due_at, d.tries, d.delivered_at,
    p.order_id, last.at AS tried_at, last.status, last.latency_ms,
    coalesce(last.problem, '') AS problem
FROM deliveries d
    LEFT JOIN payments p ON p.merchant_id = $1 AND p.payment_id = d.payment_id
    LEFT JOIN delivery_attempts last ON last.merchant_id = $1 AND last.payment_id = d.payment_id
        AND last.event_no = d.event_no AND last.attempt_no = (
            SELECT max(a.attempt_no) FROM delivery_attempts a
            WHERE a.merchant_id = $1 AND a.payment_id = d.payment_id AND a.event_no = d.event_no)
"""
_FITTING = """
WHERE d.merchant_id = $1 AND ($2::text IS NULL OR d.state::text = $2)
    AND ($3::text IS NULL OR d.kind = $3) AND d.created_at >= $4 AND d.created_at < $5
"""
SELECT_PAGE = f"""
{_ROW} {_FITTING} AND (d.payment_id, d.event_no) < ($6, $7)
ORDER BY d.payment_id DESC, d.event_no DESC LIMIT $8
"""
SELECT_PAGE_RISING = f"""
{_ROW} {_FITTING} AND (d.payment_id, d.event_no) > ($6, $7)
ORDER BY d.payment_id, d.event_no LIMIT $8
"""
SELECT_SUMS = f"""
SELECT count(*) AS number, count(*) FILTER (WHERE d.state = 'delivered') AS delivered
FROM deliveries d {_FITTING}
"""
"""In the order of the key: a page goes on where the one before it ended."""


_EVENT_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DeliveryFilters:
    """Filters of the list; None for any value.

    Indian days of the event, the last included.
    """

    state: str | None
    kind: str | None
    since: date
    until: date | None
    now: datetime

    @property
    def span(self) -> tuple[datetime, datetime]:
        """Return the beginning and the end of the days."""
        return span_of(self.since, self.until, self.now)


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
    cursor: ListCursor,
    limit: int,
) -> list[Record] | None:
    """Return a merchant's deliveries, nearest to the cursor first; None if it takes too long.

    cursor: by payment and event.
    """
    rising = cursor.reads_rising
    payment_id, event_no = (cursor.after or (0, 0)) if rising else (cursor.before or (ID_MAX, 0))
    values = *_values(filters), payment_id, min(event_no, _EVENT_MAX)
    return await look(
        db, SELECT_PAGE_RISING if rising else SELECT_PAGE, merchant_id, *values, limit
    )


async def select_sums(
    db: Database, merchant_id: int, filters: DeliveryFilters
) -> list[Record] | None:
    """Return the number of deliveries that fit; None where that takes too long."""
    return await look_at_sums(db, SELECT_SUMS, merchant_id, *_values(filters))


def _values(filters: DeliveryFilters) -> tuple[object, ...]:
    return filters.state, filters.kind, *filters.span
