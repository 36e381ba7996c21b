"""A merchant's endpoints that listen at one server, and events that wait for them."""

from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.notifications.endpoints.jobs import EndpointRecipient
from hundi.notifications.endpoints.rules import (
    EndpointDelivery,
    EndpointState,
    EndpointTarget,
    WebhookEndpoint,
)
from hundi.notifications.rules import Rendered
from tests.notifications.shop_server import AT, WEBHOOK_KEY

MERCHANT = 1
_ADD = """
INSERT INTO webhook_endpoints (merchant_id, endpoint_no, name, state, events, form, sealed_target,
    made_at, changed_at)
VALUES ($1, $2, 'Books', 'enabled', '{paid}', 'json', $3, $4, $4) ON CONFLICT DO NOTHING
"""
_TELL = """
INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind, facts, state,
    created_at, due_at, scheduled_from)
VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7, $7)
"""


async def add(db: Database, *endpoints: int) -> None:
    """Add enabled endpoints."""
    for number in endpoints:
        sealed = msgspec.json.encode(EndpointTarget("", ()))
        await db.execute(_ADD, MERCHANT, number, sealed, AT)


async def tell(
    db: Database,
    endpoint: int,
    payment: int,
    event: int = 1,
    kind: Kind = Kind.PAID,
    at: datetime = AT,
) -> str:
    """Write one event for an endpoint, and return its webhook id."""
    await db.execute(_TELL, MERCHANT, endpoint, payment, event, kind, {"at": str(at)}, at)
    return f"ipn_{MERCHANT}_{payment}_{event}_{endpoint}"


async def state(db: Database, endpoint: int, payment: int, event: int = 1) -> str:
    """Return the state of an event at an endpoint."""
    query = (
        "SELECT state FROM endpoint_deliveries WHERE merchant_id = 1 AND endpoint_no = $1"
        " AND payment_id = $2 AND event_no = $3"
    )
    return str(await db.fetchval(query, endpoint, payment, event))


@dataclass
class Endpoints:
    """Every endpoint listens at the server, under its number. states: where not enabled."""

    url: str
    states: dict[int, EndpointState] = field(default_factory=dict)

    async def __call__(self, merchant_id: int, endpoint_no: int) -> EndpointRecipient | None:
        endpoint = WebhookEndpoint(
            merchant_id=merchant_id,
            endpoint_no=endpoint_no,
            name="Books",
            state=self.states.get(endpoint_no, EndpointState.ENABLED),
            url=self.url.format(merchant_id=endpoint_no),
            form="json",
            events=("paid",),
            made_at=AT,
            changed_at=AT,
            keys=(WEBHOOK_KEY,),
        )
        return EndpointRecipient(endpoint, _rendered)


def _rendered(item: EndpointDelivery) -> Rendered:
    return Rendered("application/json", msgspec.json.encode({"webhook_id": item.webhook_id}))
