"""The message about notifications in `encdata`, and `data` of its reply.

See docs/spec/payment-interfaces.md#notification-operations.
"""

import re
from typing import NamedTuple

import msgspec

from hundi.wire.fields import FieldError
from hundi.wire.merchant.values import Values, refuse_page_fields, text

CURSOR = r"[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}"
_CURSOR = re.compile(CURSOR + r"\Z")


class Cursor(NamedTuple):
    """A place in what was announced: a transaction of the database, a payment, an event of it."""

    xact: int
    payment_id: int
    event_no: int

    def __str__(self) -> str:
        """Return it as messages have it."""
        return f"{self.xact}-{self.payment_id}-{self.event_no}"


class NotificationData(msgspec.Struct, frozen=True, kw_only=True):
    """One notification as it is sent. state: of its delivery. created_at: ISO 8601, India.

    content_type, webhook_timestamp, webhook_signature, body: the request, signed now.
    """

    webhook_id: str
    event: str
    orderid: str
    ap_transactionid: str
    state: str
    created_at: str
    content_type: str
    webhook_timestamp: str
    webhook_signature: str
    body: str


class NotificationsData(msgspec.Struct, frozen=True, kw_only=True):
    """A page of notifications in the order of their events. next: the `after` of the next page."""

    notifications: tuple[NotificationData, ...]
    next: str


def parse_list_notifications(values: Values) -> Cursor | None:
    """Return the place after which a page begins; None for now. Raises FieldError."""
    refuse_page_fields(values, "after")
    after = text(values, "after")
    if not after:
        return None
    if not _CURSOR.match(after):
        raise FieldError("after", after, "the next of this list")
    return Cursor(*map(int, after.split("-")))
