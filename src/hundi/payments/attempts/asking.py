"""Wishes to ask about an attempt: written down at once, and carried out by the inquiries."""

from datetime import datetime, timedelta

from hundi.kernel.ids import parse_reference
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentContext

DUE_CHANNEL = "inquiries_due"
"""NOTIFY channel: an inquiry was brought forward."""
HASTEN_GAP = timedelta(seconds=5)
"""Between two questions that messages cause about one attempt
(docs/spec/payment-interfaces.md#limits).
"""


async def ask_soon(context: PaymentContext, connector: str, reference: str, now: datetime) -> None:
    """Bring the next inquiry of an acquirer forward: all that an unproven message can cause."""
    named = parse_reference(reference)
    if named is not None:
        await store.hasten_inquiry(context.db, connector, *named, now, now - HASTEN_GAP)
        context.db.wake(DUE_CHANNEL)


async def ask_now(context: PaymentContext, connector: str, reference: str, now: datetime) -> None:
    """Have a reference asked about, as its acquirer wishes by a proven message.

    Written when this returns.

    connector: whose message it is; of the attempts of others it has nothing to say. Also an attempt
    that came to nothing: acquirers charge after saying no. Another message within HASTEN_GAP causes
    one more question at its end, so that none is lost and many cost little.
    """
    named = parse_reference(reference)
    if named is not None:
        await store.ask_again(context.db, connector, *named, now, HASTEN_GAP)
        context.db.wake(DUE_CHANNEL)
