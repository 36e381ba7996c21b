"""Announced notifications as they are sent, for a developer's machine.

Reading marks nothing as delivered. See docs/spec/payment-interfaces.md#notification-operations.
"""

from hundi.api.merchant import ipn
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.kernel.clock import world_now
from hundi.notifications.listing import store
from hundi.notifications.listing.store import Announced
from hundi.notifications.rules import Recipient, signed_headers
from hundi.wire.merchant.notifications import (
    LIST,
    AnnouncedNotification,
    AnnouncedPage,
    Cursor,
    NotificationsAfter,
)

LISTED_MAX = 50
"""Notifications of one page."""


async def _list(context: MerchantRequest, asked: NotificationsAfter) -> Answer[AnnouncedPage]:
    """Return the announcements after a position; without one, only the current position."""
    after, merchant = asked.place, context.sender
    horizon = await store.horizon(context.gateway.db, merchant.merchant_id)
    if after is None or after.xact > horizon:
        return Answer(
            AnnouncedPage(notifications=(), next=str(Cursor(horizon, 0, 0))), "0 notifications"
        )
    found = await store.announced(
        context.gateway.db, merchant.merchant_id, after, horizon, LISTED_MAX
    )
    recipient = ipn.recipient_of(merchant)
    last = found[-1] if len(found) == LISTED_MAX else None
    place = (
        Cursor(last.xact, last.delivery.key.payment_id, last.delivery.key.event_no)
        if last
        else Cursor(horizon, 0, 0)
    )
    shown = tuple(
        _notification(each, recipient) for each in found if recipient.hears(each.delivery.kind)
    )
    return Answer(
        AnnouncedPage(notifications=shown, next=str(place)), f"{len(shown)} notifications"
    )


def _notification(announced: Announced, recipient: Recipient) -> AnnouncedNotification:
    delivery = announced.delivery
    rendered = recipient.render(delivery)
    headers = signed_headers(delivery.key, rendered, recipient.keys, world_now())
    return AnnouncedNotification(
        webhook_id=delivery.key.webhook_id,
        event=delivery.kind,
        order_id=str(delivery.facts.get("order_id", "")),
        transaction_id=str(delivery.key.payment_id),
        state=announced.state,
        created_at=delivery.created_at,
        content_type=rendered.content_type,
        timestamp=headers["webhook-timestamp"],
        signature=headers["webhook-signature"],
        text=rendered.body.decode(),
    )


HANDLERS = {LIST: serving(LIST, _list)}
