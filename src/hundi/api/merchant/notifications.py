"""Notifications as merchants read them, for a developer's machine: what was announced, as it is sent.

Reading marks nothing as delivered. See docs/spec/payment-interfaces.md#notification-operations.
"""

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant import ipn
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.settlements import moment_text
from hundi.kernel.clock import world_now
from hundi.merchants.directory.api_keys import KeyScope
from hundi.notifications.listing import store
from hundi.notifications.listing.store import Announced
from hundi.notifications.rules import Recipient, signed_headers
from hundi.wire.merchant.notifications import Cursor, NotificationData, NotificationsData, parse_list_notifications

LIST = merchant_endpoint("notification/list", KeyScope.READ)
LISTED_MAX = 50
"""Notifications of one page."""


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return what was announced after a place; without one, the place that is now."""
    return await serve(gateway, inbound, LIST, _list)


async def _list(context: MerchantRequest) -> dict[str, object]:
    after, merchant = parse_list_notifications(context.values), context.sender
    horizon = await store.horizon(context.gateway.db, merchant.merchant_id)
    if after is None or after.xact > horizon:
        data = NotificationsData(notifications=(), next=str(Cursor(horizon, 0, 0)))
        return replies.success(msgspec.to_builtins(data), "0 notifications", context.request_id)
    found = await store.announced(context.gateway.db, merchant.merchant_id, after, horizon, LISTED_MAX)
    recipient = ipn.recipient_of(merchant)
    last = found[-1] if len(found) == LISTED_MAX else None
    place = (
        Cursor(last.xact, last.delivery.key.payment_id, last.delivery.key.event_no) if last else Cursor(horizon, 0, 0)
    )
    shown = tuple(_notification(each, recipient) for each in found if recipient.hears(each.delivery.kind))
    data = NotificationsData(notifications=shown, next=str(place))
    return replies.success(msgspec.to_builtins(data), f"{len(shown)} notifications", context.request_id)


def _notification(announced: Announced, recipient: Recipient) -> NotificationData:
    delivery = announced.delivery
    rendered = recipient.render(delivery)
    headers = signed_headers(delivery.key, rendered, recipient.keys, world_now())
    return NotificationData(
        webhook_id=delivery.key.webhook_id,
        event=delivery.kind,
        orderid=str(delivery.facts.get("order_id", "")),
        ap_transactionid=str(delivery.key.payment_id),
        state=announced.state,
        created_at=moment_text(delivery.created_at),
        content_type=rendered.content_type,
        webhook_timestamp=headers["webhook-timestamp"],
        webhook_signature=headers["webhook-signature"],
        body=rendered.body.decode(),
    )
