"""A merchant's announcements in the order of events, for servers that read the list."""

from dataclasses import dataclass

from hundi.infra.postgres.database import Queries
from hundi.notifications.rules import Delivery, DeliveryState
from hundi.notifications.store import delivery_of

SELECT_HORIZON = (
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text FROM merchants WHERE merchant_id = $1"
)
"""The oldest transaction that may still commit: everything before it is complete.

Run on the merchant's node, which counts its transactions.
"""
# The index of events has transaction and payment; the event's number is compared after that.
SELECT_ANNOUNCED = """
SELECT e.xact::text AS xact, d.merchant_id, d.payment_id, d.event_no, d.kind, d.facts, d.state,
    d.created_at, d.tries, d.tries_before, d.scheduled_from, false AS probe
FROM payment_events e
JOIN deliveries d ON d.merchant_id = $1 AND d.payment_id = e.payment_id AND d.event_no = e.event_no
WHERE e.merchant_id = $1 AND (e.xact, e.payment_id) >= ($2::text::xid8, $3::bigint)
    AND e.xact < $5::text::xid8
    AND (e.xact, e.payment_id, e.event_no::integer) > ($2::text::xid8, $3::bigint, $4::integer)
ORDER BY e.xact, e.payment_id, e.event_no LIMIT $6
"""


@dataclass(frozen=True, slots=True)
class Announced:
    """An announcement, its transaction, and the state of its delivery."""

    xact: int
    delivery: Delivery
    state: DeliveryState


async def horizon(db: Queries, merchant_id: int) -> int:
    """Return the transaction before which everything about a merchant is known."""
    return int(await db.fetchval(SELECT_HORIZON, merchant_id))


async def announced(
    db: Queries, merchant_id: int, after: tuple[int, int, int], until: int, limit: int
) -> list[Announced]:
    """Return a merchant's announcements in the order of events.

    after: transaction, payment and event of the last known one. until: a horizon.
    """
    xact, payment_id, event_no = after
    rows = await db.fetch(
        SELECT_ANNOUNCED, merchant_id, str(xact), payment_id, event_no, str(until), limit
    )
    return [
        Announced(int(row["xact"]), delivery_of(row), DeliveryState(row["state"])) for row in rows
    ]
