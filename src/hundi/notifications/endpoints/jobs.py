"""Sends events to merchants' endpoints, apart from the address of the settings and each other."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import random

from hundi.infra.background.due import Claimed, DueLoop, Pace, Peer, Places, Work
from hundi.infra.logs import get_logger
from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import world_now
from hundi.notifications import actions, rules
from hundi.notifications.actions import CHANNEL, SEND_S_MAX, Posts
from hundi.notifications.endpoints import store
from hundi.notifications.endpoints.rules import EndpointDelivery, EndpointState, WebhookEndpoint
from hundi.notifications.endpoints.store import ClaimLimits, EndedEndpointTry, EndpointWork
from hundi.notifications.rules import DeliveryOutcome, DeliveryState, Rendered, signature_headers

LEASE = timedelta(seconds=60)
"""How long a claimed delivery belongs to one worker; more than a call takes at most."""
IN_FLIGHT_MAX = 64
ENDPOINT_IN_FLIGHT_MAX = 8
TROUBLED_IN_FLIGHT_MAX = 24
"""Places of all endpoints whose last try failed, together; each has one."""
DISABLED_GAP = timedelta(minutes=1)
"""When a delivery is looked at again whose endpoint was disabled after the claim."""
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EndpointRecipient:
    """An endpoint as one delivery needs it. render: makes its body under a webhook id."""

    endpoint: WebhookEndpoint
    render: Callable[[EndpointDelivery], Rendered]


EndpointRecipients = Callable[[int, int], Awaitable[EndpointRecipient | None]]
"""Finds an endpoint by merchant and number; given by the interface layer."""


def endpoint_deliveries(
    db: Database, recipients: EndpointRecipients, http: Posts
) -> DueLoop[EndpointDelivery]:
    """Return the loop that sends to endpoints.

    It hears of each announcement, and looks at most once a second.
    """
    work = EndpointDeliveries(db, recipients, http)
    return DueLoop(work, hints=partial(db.listen, CHANNEL))


def _peer(merchant_id: int, endpoint_no: int) -> Peer:
    return f"{merchant_id}/{endpoint_no}"


class EndpointDeliveries(Work[EndpointDelivery]):
    """One worker's deliveries to endpoints; the peer of each is its endpoint."""

    name = "endpoint deliveries"
    pace = Pace(
        poll_s=1.0,
        in_flight_max=IN_FLIGHT_MAX,
        peer_in_flight_max=ENDPOINT_IN_FLIGHT_MAX,
        drain_s=SEND_S_MAX + 1.0,
        idle_s=10.0,
    )

    def __init__(self, db: Database, recipients: EndpointRecipients, http: Posts) -> None:
        """Store the parts."""
        self._db = db
        self._recipients = recipients
        self._http = http
        self._troubled: set[Peer] = set()
        self._delivered_at: dict[Peer, datetime] = {}

    def peer(self, item: EndpointDelivery) -> Peer:
        """Return the endpoint that is called."""
        return _peer(item.delivery.key.merchant_id, item.endpoint_no)

    def labels(self, item: EndpointDelivery) -> Mapping[str, object]:
        """Return the delivery's webhook id."""
        return {"webhook_id": item.webhook_id}

    def share(self, peer: Peer, in_flight: Counter[Peer]) -> int:
        """Return an endpoint's share of places: one if its last try failed, of a few for those."""
        if peer not in self._troubled:
            return self.pace.peer_in_flight_max
        troubled = sum(count for each, count in in_flight.items() if each in self._troubled)
        return 1 if troubled < TROUBLED_IN_FLIGHT_MAX else 0

    async def claim(
        self, now: datetime, places: Places, named: Collection[int] | None
    ) -> Claimed[EndpointDelivery]:
        """Claim what is due of each endpoint that has places; a failing one gets its probe."""
        del named
        items: list[EndpointDelivery] = []
        behind: set[Peer] = set()
        later: list[datetime] = []
        cut = False
        for work in await store.work(self._db, self.span):
            begins = max(work.due_at, work.probe_at or work.due_at)
            if begins > now:
                later.append(begins)
                continue
            peer = _peer(work.merchant_id, work.endpoint_no)
            room, free = places.room(peer), places.free - len(items)
            if room <= 0 or free <= 0:
                behind.add(peer)
                cut = cut or free <= 0
                continue
            claimed = await self._claim(work, now, min(room, free))
            items += claimed
            if len(claimed) >= room:
                behind.add(peer)
        return Claimed(items, frozenset(behind), more=cut, next_due=min(later, default=None))

    async def _claim(self, work: EndpointWork, now: datetime, most: int) -> list[EndpointDelivery]:
        probe = work.probe_at is not None
        again_at = rules.next_probe(now, retry_after_s=0, jitter=random()) if probe else None  # noqa: S311 (spreads load, guards nothing)
        limits = ClaimLimits(1 if probe else most, now + LEASE, self.span, again_at)
        place = work.merchant_id, work.endpoint_no
        return await store.claim(self._db, place, now, limits)

    async def act(self, item: EndpointDelivery, now: datetime) -> None:
        """Send one delivery and record the result."""
        key = item.delivery.key
        traces.note(key.merchant_id, key.payment_id)
        try:
            outcome = await self._send(item)
        except Exception:  # noqa: BLE001 (logged, and the delivery is tried again)
            _log.exception("endpoint_delivery_broke", webhook_id=item.webhook_id)
            outcome = DeliveryOutcome(
                "", None, 0, problem="our fault: the notification could not be made"
            )
        if outcome is None:
            await store.release(self._db, item, now + DISABLED_GAP)
            return
        peer, ended_at = self.peer(item), now + timedelta(milliseconds=outcome.latency_ms)
        last = self._delivered_at.get(peer)
        quiet = last is None or ended_at - last > timedelta(seconds=rules.QUIET_S)
        verdict = rules.verdict(item.delivery, outcome, ended_at, quiet=quiet, jitter=random())  # noqa: S311 (spreads load)
        if verdict.state is DeliveryState.DELIVERED:
            self._delivered_at[peer] = ended_at
            self._troubled.discard(peer)
        elif verdict.state is not DeliveryState.UNWANTED:
            self._troubled.add(peer)
        await store.record(self._db, EndedEndpointTry(item, now, outcome, verdict))

    async def _send(self, item: EndpointDelivery) -> DeliveryOutcome | None:
        """Return the result of one call; None where the endpoint is disabled by now."""
        recipient = await self._recipients(item.delivery.key.merchant_id, item.endpoint_no)
        if recipient is None or recipient.endpoint.state is EndpointState.REMOVED:
            return rules.UNWANTED
        endpoint = recipient.endpoint
        if endpoint.state is EndpointState.DISABLED:
            return None
        rendered = recipient.render(item)
        headers = signature_headers(item.webhook_id, rendered, endpoint.keys, world_now())
        called = await actions.call(
            self._http, endpoint.url, rendered.body, headers, redirect_delivers=False
        )
        return called.outcome
