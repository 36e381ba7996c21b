"""Events of the plain interface: their list, in the form of a standard webhook."""

import msgspec

from hundi.api.merchant.plain.endpoint import PlainCall
from hundi.api.merchant.plain.facts import event_of
from hundi.notifications.listing import store
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.wire.merchant.notifications import Cursor, NotificationsAfter
from hundi.wire.plain.events import LIST, LISTED_MAX, PlainEvents, PlainEventsAfter

_FIRST = Cursor(0, 0, 0)


async def _list(call: PlainCall, asked: PlainEventsAfter) -> PlainEvents:
    """Return the events after a position that the merchant's server is told of."""
    db, merchant = call.context.gateway.db, call.context.sender
    after = NotificationsAfter(after=asked.after).place or _FIRST
    horizon = await store.horizon(db, merchant.merchant_id)
    if after.xact > horizon:
        return PlainEvents(events=(), next=str(Cursor(horizon, 0, 0)))
    found = await store.announced(db, merchant.merchant_id, after, horizon, LISTED_MAX)
    place = Cursor(horizon, 0, 0)
    if len(found) == LISTED_MAX:
        key = found[-1].delivery.key
        place = Cursor(found[-1].xact, key.payment_id, key.event_no)
    events = tuple(
        event_of(
            delivery.key.webhook_id,
            delivery.kind,
            delivery.created_at,
            msgspec.convert(delivery.facts, PaymentFacts),
        )
        for delivery in (each.delivery for each in found)
        if merchant.settings.hears(delivery.kind)
    )
    return PlainEvents(events=events, next=str(place))


ACTS = {LIST: _list}
