"""Notifications by the SDK, for a developer's machine that the gateway cannot reach.

See docs/spec/payment-interfaces.md#notification-operations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from hundi.sdk import incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import checked
from hundi.wire.merchant import notifications as wire

_LIST = "/gateway/pay/v4/api/notification/list/"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedNotification:
    """A notification as it is sent to your server, signed when it was read.

    state: of its delivery to your notification address. headers, body: the request; check it with `Callbacks`.
    """

    webhook_id: str
    event: str
    order_id: str
    transaction_id: str
    state: str
    created_at: datetime | None
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncedPage:
    """Notifications in the order of their events. next: the `after` of the next page."""

    notifications: tuple[AnnouncedNotification, ...]
    next: str


def listing(calls: Calls, after: str) -> Steps[AnnouncedPage]:
    """Return a page of what was announced."""
    payload = {"after": after} if after else {}
    _ = checked(wire.parse_list_notifications, payload)
    envelope = yield from calls.ask(_LIST, payload)
    data = incoming.data(envelope, "notification/list")
    listed = incoming.records(data.get("notifications"), "notification/list")
    return AnnouncedPage(notifications=tuple(map(_read, listed)), next=incoming.demanded(data, "next"))


def _read(record: Record) -> AnnouncedNotification:
    webhook_id = incoming.demanded(record, "webhook_id")
    return AnnouncedNotification(
        webhook_id=webhook_id,
        event=incoming.text(record, "event"),
        order_id=incoming.text(record, "orderid"),
        transaction_id=incoming.text(record, "ap_transactionid"),
        state=incoming.text(record, "state"),
        created_at=incoming.moment(incoming.text(record, "created_at"), "created_at"),
        headers={
            "content-type": incoming.demanded(record, "content_type"),
            "webhook-id": webhook_id,
            "webhook-timestamp": incoming.demanded(record, "webhook_timestamp"),
            "webhook-signature": incoming.demanded(record, "webhook_signature"),
        },
        body=incoming.demanded(record, "body").encode(),
    )
