"""Notifications for a machine that the gateway cannot reach: the operation and its messages.

See docs/spec/payment-interfaces.md#notification-operations.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

PLACE = kinds.matching(r"[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}", "the next of this list", "5017-0-0")


class Cursor(NamedTuple):
    """A position among the announcements.

    It is a transaction of the database, a payment, and an event of it.
    """

    xact: int
    payment_id: int
    event_no: int

    def __str__(self) -> str:
        """Return it as messages have it."""
        return f"{self.xact}-{self.payment_id}-{self.event_no}"


@message()
class NotificationsAfter:
    """Notifications, in the order of their events.

    after: `next` of the page before. Without it the list is empty, and `next` is the current
    position.
    """

    after: str = sent(
        PLACE, meaning="The next of the page before; empty for the present end", default=""
    )

    @property
    def place(self) -> Cursor | None:
        """The position before the page; None for the current one."""
        return Cursor(*map(int, self.after.split("-"))) if self.after else None


@message()
class AnnouncedNotification:
    """A notification as it is sent to your server, signed when it was read.

    state: of its delivery to your notification address. headers, body: the request; check it with
    `Callbacks`. text: the body as text.
    """

    webhook_id: str = sent(kinds.NAME)
    event: str = sent(kinds.WORDS)
    order_id: str = sent(kinds.WORDS, "orderid")
    transaction_id: str = sent(kinds.WORDS, "ap_transactionid")
    state: str = sent(kinds.WORDS)
    created_at: datetime | None = sent(kinds.MOMENT)
    content_type: str = sent(kinds.NAME)
    timestamp: str = sent(kinds.NAME, "webhook_timestamp")
    signature: str = sent(kinds.NAME, "webhook_signature")
    text: str = sent(kinds.NAME, "body", "The body of the request, signed when it was read")

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the request."""
        return {
            "content-type": self.content_type,
            "webhook-id": self.webhook_id,
            "webhook-timestamp": self.timestamp,
            "webhook-signature": self.signature,
        }

    @property
    def body(self) -> bytes:
        """The body of the request."""
        return self.text.encode()


@message()
class AnnouncedPage:
    """Notifications in the order of their events. next: the `after` of the next page."""

    notifications: tuple[AnnouncedNotification, ...] = sent(kinds.objects(AnnouncedNotification))
    next: str = sent(kinds.NAME)


LIST = Operation(
    "notification/list",
    "listNotifications",
    "notifications",
    "List notifications",
    "payment-interfaces.md#notification-operations",
    ("notification/list/",),
    NotificationsAfter,
    AnnouncedPage,
    "read",
    words="Each as it is sent. Safe to repeat.",
    takes=0,
)
