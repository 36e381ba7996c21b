"""Events of the plain interface: what a webhook in the standard form brings, and their list."""

from datetime import datetime

from hundi.wire import kinds
from hundi.wire.merchant.notifications import PLACE
from hundi.wire.message import message, sent
from hundi.wire.plain.operation import Listing, PlainOperation
from hundi.wire.plain.orders import PlainOrder

LISTED_MAX = 50
"""Events of one page."""


@message()
class PlainEventRefund:
    """The refund that an event is about."""

    refund_id: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY)
    state: str = sent(kinds.NAME)
    request_id: str = sent(kinds.WORDS)
    rrn: str = sent(kinds.WORDS)
    bank_code: str = sent(kinds.WORDS)
    bank_message: str = sent(kinds.WORDS)


@message()
class PlainEventDispute:
    """The dispute that an event is about."""

    dispute_id: str = sent(kinds.NAME)
    phase: str = sent(kinds.NAME)
    state: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY)
    held_paise: int = sent(kinds.MONEY)
    taken_paise: int = sent(kinds.MONEY)
    reason: str = sent(kinds.WORDS)
    respond_by: datetime | None = sent(kinds.MOMENT)


@message()
class PlainEventSubscription:
    """The subscription that an event is about."""

    subscription_id: str = sent(kinds.NAME)
    state: str = sent(kinds.NAME)
    period: int = sent(kinds.WHOLE)
    amount_paise: int = sent(kinds.MONEY)
    debit_at: datetime | None = sent(kinds.MOMENT)


@message()
class PlainEventData:
    """The facts at the moment of an event.

    order: in the state that it had then. excess_paise: what one payment brought beyond the order,
    where the event is about that. refund, dispute, subscription: null unless it is about one.
    """

    order: PlainOrder = sent(kinds.spread(PlainOrder))
    excess_paise: int = sent(kinds.MONEY)
    refund: PlainEventRefund | None = sent(kinds.spread(PlainEventRefund))
    dispute: PlainEventDispute | None = sent(kinds.spread(PlainEventDispute))
    subscription: PlainEventSubscription | None = sent(kinds.spread(PlainEventSubscription))


@message()
class PlainEvent:
    """An event, as the list has it and as a webhook in the standard form brings it.

    id: the webhook's `webhook-id`, the same with each delivery. timestamp: of the event.
    """

    id: str = sent(kinds.NAME)
    type: str = sent(kinds.NAME)
    timestamp: datetime | None = sent(kinds.MOMENT)
    data: PlainEventData = sent(kinds.spread(PlainEventData))


@message()
class PlainEventsAfter:
    """Events in their order, oldest first. cursor: `next_cursor` of the page before."""

    after: str = sent(PLACE, default="")


@message()
class PlainEvents:
    """A page of events."""

    events: tuple[PlainEvent, ...] = sent(kinds.objects(PlainEvent))
    next: str = sent(kinds.NAME)


LIST = PlainOperation(
    "listEvents",
    "List events",
    "GET",
    "events",
    PlainEventsAfter,
    PlainEvents,
    "read",
    "payment-interfaces.md#notification-operations",
    Listing("events", "after", is_open=True, most=LISTED_MAX),
)
