"""Requests to inquire about an attempt, stored at once and carried out by the inquiries."""

from datetime import datetime, timedelta

from hundi.kernel.ids import parse_reference
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext

DUE_CHANNEL = "inquiries_due"
"""NOTIFY channel: an inquiry was brought forward."""
HASTEN_GAP = timedelta(seconds=5)
"""The least time between two inquiries that messages cause for one attempt.

See docs/spec/payment-interfaces.md#limits.
"""


async def ask_soon(context: PaymentContext, connector: str, reference: str, now: datetime) -> None:
    """Bring the next inquiry forward: all that an unproven message can cause."""
    key = parse_reference(reference)
    if key is not None:
        await store.hasten_inquiry(context.db, connector, *key, now, now - HASTEN_GAP)
        context.db.wake(DUE_CHANNEL)


async def ask_now(context: PaymentContext, connector: str, reference: str, now: datetime) -> None:
    """Request an inquiry about a reference, as a proven message asks. It is stored on return.

    connector: the sender; attempts at other connectors stay as they are. Includes failed attempts,
    because acquirers sometimes charge after a decline. Another message within HASTEN_GAP causes one
    more inquiry at its end.
    """
    key = parse_reference(reference)
    if key is not None:
        await store.ask_again(context.db, connector, *key, now, HASTEN_GAP)
        context.db.wake(DUE_CHANNEL)
