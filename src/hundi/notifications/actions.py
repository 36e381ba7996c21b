"""What is done with notifications: announce an event, and send an announcement once more."""

from datetime import datetime

from hundi.infra.database import Connection
from hundi.notifications import store
from hundi.notifications.rules import Kind

CHANNEL = "hundi_deliveries"
"""NOTIFY channel: whoever committed an announcement wakes it (`db.wake`), so that the delivery leaves at once."""


async def announce(
    conn: Connection, merchant_id: int, payment_id: int, event_no: int, kind: Kind, facts: object, now: datetime
) -> None:
    """Queue the notification of one event in the transaction of its cause; after the commit the caller wakes `CHANNEL`.

    event_no: the payment's revision that the event made. facts: what is true now, anything msgspec turns into a JSON object.
    """
    await store.insert(conn, merchant_id, payment_id, event_no, kind, facts, now)
