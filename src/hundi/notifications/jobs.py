"""The due-loop's work for deliveries: calls the recipients' servers, and records each try.

A call never happens inside a transaction. A merchant's slow or dead server takes only that
merchant's few places; once it stops answering, one.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import partial
from random import random

from asyncpg import PostgresError

from hundi.infra.background.due import PAUSE_S, Claimed, DueLoop, Pace, Peer, Places, Work
from hundi.infra.background.due_rows import NOT_SENT_GAP, claim_each
from hundi.infra.logs import get_logger
from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.notifications import actions, rules, store
from hundi.notifications.actions import CHANNEL, SEND_S_MAX, Posts
from hundi.notifications.rules import Delivery, DeliveryOutcome, DeliveryState, Recipient
from hundi.notifications.status import store as status_store
from hundi.notifications.store import EndedTry

LEASE = timedelta(seconds=30)
"""How long a claimed delivery stays with its worker.

Well over SEND_S_MAX, so only a dead worker's delivery is claimed again.
"""
IN_FLIGHT_MAX = 160
"""Deliveries in flight in one worker; below the connections of the outbound client."""
MERCHANT_IN_FLIGHT_MAX = 16
"""Deliveries in flight in one worker for one merchant whose server takes them."""
TROUBLED_IN_FLIGHT_MAX = IN_FLIGHT_MAX // 2
"""Deliveries in flight for all merchants whose last try failed; each of them has one at most."""
RECORD_ROWS_MAX = 200
"""Tries that one statement records."""
REFUSED_GAP = timedelta(minutes=10)
"""How long a worker leaves a merchant to others if its own setting forbids the address."""
FORBIDDEN_WITHIN = timedelta(days=7)
"""How long a delivery waits for a worker that may call its address; then it fails."""
POLL_S = 1.0
IDLE_S = 10.0
"""Wake-ups may be lost: then a merchant is told this much later.

Every look sees retries that are due.
"""

_log = get_logger(__name__)

Recipients = Callable[[int], Awaitable[Recipient | None]]
"""Finds a recipient's endpoint, keys and form of notifications; given by the interface layer."""


class Recorder:
    """Records the results of tries; tries of one merchant that end together share a statement."""

    def __init__(self, db: Database) -> None:
        """Write to this database."""
        self._db = db
        self._waiting: defaultdict[int, list[tuple[EndedTry, asyncio.Future[None]]]] = defaultdict(
            list
        )
        self._writers: dict[int, asyncio.Task[None]] = {}

    async def record(self, ended: EndedTry) -> None:
        """Write one try; return once it is written, however long the database is away."""
        merchant_id = ended.delivery.key.merchant_id
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[merchant_id].append((ended, written))
        if merchant_id not in self._writers:
            self._writers[merchant_id] = asyncio.create_task(self._write_all(merchant_id))
        await written

    async def close(self) -> None:
        """Stop writing."""
        writers = list(self._writers.values())
        for each in writers:
            each.cancel()
        await asyncio.gather(*writers, return_exceptions=True)

    async def _write_all(self, merchant_id: int) -> None:
        waiting = self._waiting[merchant_id]
        try:
            while waiting:
                batch = waiting[:RECORD_ROWS_MAX]
                try:
                    await store.record(self._db.shared, merchant_id, [ended for ended, _ in batch])
                except (PostgresError, *UNREACHABLE) as error:
                    # Written later; a try that is not written within its lease is sent again, with
                    # the same id.
                    _log.warning(
                        "tries_not_recorded", error=type(error).__name__, waiting=len(waiting)
                    )
                    await asyncio.sleep(PAUSE_S)
                else:
                    del waiting[: len(batch)]
                    for _, written in batch:
                        if not written.done():
                            written.set_result(None)
        except Exception as error:  # noqa: BLE001 (a bug of ours: told to those who wait, who log it)
            for _, written in waiting:
                if not written.done():
                    written.set_exception(error)
        finally:
            del self._writers[merchant_id], self._waiting[merchant_id]


def deliveries(db: Database, recipients: Recipients, http: Posts) -> DueLoop[Delivery]:
    """Return the loop that delivers."""
    work = Deliveries(db, recipients, http)
    return DueLoop(work, listen=partial(db.listen, CHANNEL))


class Deliveries(Work[Delivery]):
    """One worker's deliveries; the peer of each is its merchant."""

    name = "deliveries"
    pace = Pace(
        poll_s=POLL_S,
        in_flight_max=IN_FLIGHT_MAX,
        peer_in_flight_max=MERCHANT_IN_FLIGHT_MAX,
        # A call that begins now ends within SEND_S_MAX; then its result is recorded.
        drain_s=SEND_S_MAX + PAUSE_S,
        idle_s=IDLE_S,
    )
    by_merchant = True

    def __init__(self, db: Database, recipients: Recipients, http: Posts) -> None:
        """Store the parts."""
        self._db = db
        self._recipients = recipients
        self._http = http
        self._recorder = Recorder(db)
        self._troubled: set[Peer] = set()
        self._delivered_at: dict[int, datetime] = {}
        self._left_until: dict[int, datetime] = {}

    def peer(self, item: Delivery) -> Peer:
        """Return the recipient whose server is called."""
        return item.key.merchant_id

    def labels(self, item: Delivery) -> Mapping[str, object]:
        """Return the delivery's webhook id."""
        return {"webhook_id": item.key.webhook_id}

    def share(self, peer: Peer, in_flight: Counter[Peer]) -> int:
        """Return a merchant's share of places.

        One for a merchant whose last try failed, within a limit for all of those.
        """
        if peer not in self._troubled:
            return self.pace.peer_in_flight_max
        troubled = sum(count for each, count in in_flight.items() if each in self._troubled)
        return 1 if troubled < TROUBLED_IN_FLIGHT_MAX else 0

    async def close(self) -> None:
        """Stop recording; a try that is not recorded is sent again when its lease ends."""
        await self._recorder.close()

    async def claim(
        self, now: datetime, places: Places, named: Collection[int] | None
    ) -> Claimed[Delivery]:
        """Claim due deliveries of the named merchants.

        Without names, of all, and probes as well.
        """
        for returned in [each for each, until in self._left_until.items() if until <= now]:
            del self._left_until[returned]
        if named is not None:
            merchants = (each for each in named if each not in self._left_until)
            return await self._claim_due(dict.fromkeys(merchants), places, places.free, now)
        failing = await status_store.failing_endpoints(self._db)
        ours = [each for each in failing if each.merchant_id not in self._left_until]
        to_probe = sorted(
            (each.probe_at, each.merchant_id) for each in ours if each.probe_at <= now
        )[: places.free]
        again_at = rules.next_probe(now, retry_after_s=0, jitter=random())  # noqa: S311 (spreads load, guards nothing)
        probes = await claim_each(
            {
                each: store.claim_probe(self._db, each, now, now + LEASE, again_at, self.span)
                for _, each in to_probe
            }
        )
        resting = {each.merchant_id for each in failing} | self._left_until.keys()
        outstanding, later = await store.outstanding(self._db, now, self.span)
        waiting = {
            each.merchant_id: each.due for each in outstanding if each.merchant_id not in resting
        }
        due = await self._claim_due(waiting, places, places.free - len(probes), now)
        # A due delivery that was not claimed waits for another event of its payment, or another
        # worker has it.
        times = [now] if waiting else [each.probe_at for each in ours if each.probe_at > now]
        times += [*self._left_until.values(), *([] if later is None else [later])]
        return replace(due, items=[*probes, *due.items], next_due=min(times, default=None))

    async def _claim_due(
        self, waiting: Mapping[int, int | None], places: Places, free: int, now: datetime
    ) -> Claimed[Delivery]:
        """Claim for each merchant as many deliveries as it has places.

        waiting: how many are due, None for unknown.
        """
        rooms = {merchant_id: places.room(merchant_id) for merchant_id in waiting}
        limits = {
            each: room if (due := waiting[each]) is None else min(room, due)
            for each, room in rooms.items()
        }
        got = rules.share_out(limits, free)
        claimed = await claim_each(
            {
                each: store.claim(self._db.shared, each, now, now + LEASE, count, self.span)
                for each, count in got.items()
            }
        )
        counts = Counter(each.key.merchant_id for each in claimed)
        # The claim was filled: more may wait until one of the merchant's places becomes free.
        behind = frozenset(
            each
            for each, due in waiting.items()
            if counts[each] >= got.get(each, 0) and (due is None or due > counts[each])
        )
        return Claimed(
            claimed, behind, more=any(limits[each] and each not in got for each in waiting)
        )

    async def act(self, item: Delivery, now: datetime) -> None:
        """Send one delivery and record the result."""
        traces.note(item.key.merchant_id, item.key.payment_id)
        try:
            outcome = await self._send(item)
        except Exception:  # noqa: BLE001 (logged, and the delivery is tried again)
            # A bug of ours must neither leave the delivery to its lease for ever nor stop the
            # others.
            _log.exception("delivery_broke", webhook_id=item.key.webhook_id)
            outcome = DeliveryOutcome(
                "", None, 0, problem="our fault: the notification could not be made"
            )
        if outcome.forbidden_here and now - item.created_at < FORBIDDEN_WITHIN:
            await self._leave(item, now, outcome)
            return
        merchant_id = item.key.merchant_id
        ended_at = now + timedelta(milliseconds=outcome.latency_ms)
        last = self._delivered_at.get(merchant_id)
        quiet = last is None or ended_at - last > timedelta(seconds=rules.QUIET_S)
        verdict = rules.verdict(item, outcome, ended_at, quiet=quiet, jitter=random())  # noqa: S311 (spreads load)
        if verdict.state is DeliveryState.DELIVERED:
            self._delivered_at[merchant_id] = ended_at
            self._troubled.discard(merchant_id)
        elif verdict.state not in (DeliveryState.NO_ENDPOINT, DeliveryState.UNWANTED):
            self._troubled.add(merchant_id)
        await self._recorder.record(EndedTry(item, now, outcome, verdict))

    async def _leave(self, delivery: Delivery, now: datetime, outcome: DeliveryOutcome) -> None:
        """Leave a merchant to workers whose setting allows its address.

        The first try records the reason; it takes no part of the schedule, because the server was
        not called.
        """
        merchant_id = delivery.key.merchant_id
        if merchant_id not in self._left_until:
            _log.warning(
                "merchant_left_to_others", merchant_id=merchant_id, problem=outcome.problem
            )
        self._left_until[merchant_id] = now + REFUSED_GAP
        if delivery.attempt_no > 1:
            await store.release(self._db, delivery, now + NOT_SENT_GAP, REFUSED_GAP)
            return
        verdict = rules.DeliveryVerdict(DeliveryState.WAITING, now + NOT_SENT_GAP)
        await self._recorder.record(EndedTry(delivery, now, outcome, verdict))
        await store.uncount(self._db, delivery, REFUSED_GAP)

    async def _send(self, delivery: Delivery) -> DeliveryOutcome:
        recipient = await self._recipients(delivery.key.merchant_id)
        if recipient is not None and not recipient.hears(delivery.kind):
            return rules.UNWANTED
        if recipient is None or not recipient.url:
            return rules.NO_ENDPOINT
        url, rendered = recipient.url, recipient.render(delivery)
        headers = rules.signed_headers(delivery.key, rendered, recipient.keys, world_now())
        called = await actions.call(
            self._http, url, rendered.body, headers, redirect_delivers=recipient.redirect_delivers
        )
        return called.outcome
