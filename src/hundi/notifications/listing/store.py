"""What was announced to a merchant, in the order of the events, for servers that read it."""

from dataclasses import dataclass

from hundi.infra.postgres.database import Queries
from hundi.notifications.rules import Delivery, DeliveryState
from hundi.notifications.store import delivery_of

SELECT_HORIZON = (
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text FROM merchants WHERE merchant_id = $1"
)
"""The oldest transaction that may still commit: what came before it is whole.

Asked where the merchant's rows are, whose node counts their transactions.
"""
# The index of events goes by transaction and payment; the number of the event is compared behind
# it.
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
    """What was announced, by which transaction, and where its delivery stands."""

    xact: int
    delivery: Delivery
    state: DeliveryState


async def horizon(db: Queries, merchant_id: int) -> int:
    """Return the transaction up to which everything about a merchant is known, itself left out."""
    return int(await db.fetchval(SELECT_HORIZON, merchant_id))


async def announced(
    db: Queries, merchant_id: int, after: tuple[int, int, int], until: int, limit: int
) -> list[Announced]:
    """Return what was announced to a merchant, in the order of the events.

    after: transaction, payment and event of the last that is known. until: a horizon.
    """
    xact, payment_id, event_no = after
    rows = await db.fetch(
        SELECT_ANNOUNCED, merchant_id, str(xact), payment_id, event_no, str(until), limit
    )
    return [
        Announced(int(row["xact"]), delivery_of(row), DeliveryState(row["state"])) for row in rows
    ]
