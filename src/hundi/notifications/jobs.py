"""The worker that delivers: claims what is due, calls the merchants' servers, and records how each call ended.

A call never happens inside a transaction, and results that come in while others are being written share the next
statement. One merchant's slow or dead server holds only that merchant's few places; when it stops answering, one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import random
from typing import Protocol

from asyncpg import PostgresError

from hundi.infra.addresses import AddressRefusedError
from hundi.infra.database import UNREACHABLE, Database
from hundi.infra.http_client import Answer, UnreachableError
from hundi.infra.logs import get_logger
from hundi.kernel.clock import utc_now
from hundi.merchants.directory.rules import Merchant
from hundi.notifications import rules, store
from hundi.notifications.actions import CHANNEL
from hundi.notifications.rules import Delivery, DeliveryState, Outcome, Rendered
from hundi.notifications.store import EndedTry

SEND_S_MAX = 10.0
"""Longest a merchant's server may take, from the look-up of its name to the end of its answer."""
LEASE = timedelta(seconds=30)
"""How long a claimed delivery stays with its worker; well over SEND_S_MAX, so only a dead worker's is claimed again."""
IN_FLIGHT_MAX = 160
"""Deliveries one worker has under way; below the connections of the outbound client."""
MERCHANT_IN_FLIGHT_MAX = 16
"""Deliveries one worker has under way for one merchant that takes them."""
TROUBLED_IN_FLIGHT_MAX = IN_FLIGHT_MAX // 2
"""Deliveries under way for all merchants whose last try failed, together; each of them has one at most."""
RECORD_ROWS_MAX = 200
POLL_S = 1.0
"""Wake-ups may be lost; a retry's time comes without any."""
PAUSE_S = 0.5
"""Before trying again when the database is away."""

_log = get_logger(__name__)

Render = Callable[[Merchant, Delivery], Rendered]
"""Makes the notification's body in the form the merchant chose; the interface layer hands it in."""


class Merchants(Protocol):
    """Where a merchant's endpoint and keys are found."""

    async def get(self, merchant_id: int) -> Merchant | None:
        """Return a merchant, or None."""
        ...


class Posts(Protocol):
    """The outbound client."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float, allow_private: bool
    ) -> Answer:
        """Send one POST; raises AddressRefusedError, UnreachableError."""
        ...


class DeliveryRun:
    """One worker's deliveries. Any number of workers may run; the claims keep them apart."""

    def __init__(self, db: Database, directory: Merchants, http: Posts, render: Render, *, allow_private: bool) -> None:
        """Keep the parts. allow_private: whether merchants' servers may be on private addresses."""
        self._db = db
        self._directory = directory
        self._http = http
        self._render = render
        self._allow_private = allow_private
        self._in_flight: Counter[int] = Counter()
        self._troubled: set[int] = set()
        self._delivered_at: dict[int, datetime] = {}
        self._behind: set[int] = set()
        self._crowded = False
        self._ended: list[EndedTry] = []
        self._swept_at = datetime.min.replace(tzinfo=UTC)
        self._named: set[int] = set()
        self._wake = asyncio.Event()
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def once(self, now: datetime) -> int:
        """Claim what is due, send it, record it, and return how many deliveries that were: one round."""
        claimed = await self._claim(now, None)
        await asyncio.gather(*(self._deliver(each, now) for each in claimed))
        await self._record()
        return len(claimed)

    async def forever(self, stop: asyncio.Event) -> None:
        """Deliver until told to stop; then finish the calls under way (at most SEND_S_MAX) and record them."""
        await self._db.listen(CHANNEL, self._hear)
        ending = asyncio.create_task(self._wake_at(stop))
        recorder = asyncio.create_task(self._record_forever())
        try:
            while not stop.is_set():
                self._wake.clear()
                await self._start_due()
                await self._rest()
                if recorder.done():
                    # Nothing would ever be recorded again: end loudly, and let a fresh worker take the leases over.
                    recorder.result()
        finally:
            ending.cancel()
            await self._finish(recorder)

    async def _finish(self, recorder: asyncio.Task[None]) -> None:
        """Let the calls under way end and record them; what cannot be recorded is sent again when its lease ends."""
        if self._tasks:
            _, hanging = await asyncio.wait(self._tasks, timeout=SEND_S_MAX + PAUSE_S)
            for task in hanging:
                task.cancel()
        recorder.cancel()
        await asyncio.gather(recorder, return_exceptions=True)
        try:
            await self._record()
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("tries_not_recorded", error=type(error).__name__, waiting=len(self._ended))

    async def _start_due(self) -> None:
        """Begin sending what is due."""
        now = utc_now()
        named, self._named = self._named, set()
        if now - self._swept_at >= timedelta(seconds=POLL_S):
            named, self._swept_at = None, now
        elif not named:
            return
        try:
            claimed = await self._claim(now, named)
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("deliveries_not_claimed", error=type(error).__name__)
            await asyncio.sleep(PAUSE_S)
            self._sweep_soon()
            return
        for each in claimed:
            task = asyncio.create_task(self._deliver(each, now))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _hear(self, payload: str) -> None:
        """Take a wake-up: a merchant's, or one that says that anything may have happened."""
        if payload.isdigit():
            self._named.add(int(payload))
            self._wake.set()
        else:
            self._sweep_soon()

    def _sweep_soon(self) -> None:
        """Let the next claim look at every merchant."""
        self._swept_at = datetime.min.replace(tzinfo=UTC)
        self._wake.set()

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(POLL_S):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _claim(self, now: datetime, named: set[int] | None) -> list[Delivery]:
        """Claim what is due of the named merchants; of all of them, probes included, when none are named."""
        free = IN_FLIGHT_MAX - self._in_flight.total()
        claimed: list[Delivery] = []
        if named is None and free > 0:
            again_at = rules.next_probe(now, retry_after_s=0, jitter=random())  # noqa: S311 (spreads load, guards nothing)
            claimed += await store.claim_probes(self._db, now, now + LEASE, again_at, free)
        if len(claimed) < free:
            claimed += await self._claim_due(now, named, free - len(claimed))
        else:
            self._crowded = True
        self._in_flight.update(each.key.merchant_id for each in claimed)
        return claimed

    async def _claim_due(self, now: datetime, named: set[int] | None, limit: int) -> list[Delivery]:
        """Claim, and note who may have more waiting: when a place of theirs comes free they are looked at again."""
        rooms = self._rooms()
        # Before the claim: a place that comes free while it runs must not go unnoticed.
        self._behind |= {merchant_id for merchant_id, room in rooms.items() if not room}
        claimed = await store.claim(
            self._db, now, now + LEASE, rooms=rooms, room=MERCHANT_IN_FLIGHT_MAX, limit=limit, named=named
        )
        taken = Counter(each.key.merchant_id for each in claimed)
        looked_at = self._behind if named is None else named
        self._behind -= {each for each in looked_at if taken[each] < rooms.get(each, MERCHANT_IN_FLIGHT_MAX)}
        self._behind |= {each for each, count in taken.items() if count >= rooms.get(each, MERCHANT_IN_FLIGHT_MAX)}
        self._crowded = len(claimed) == limit
        return claimed

    def _rooms(self) -> dict[int, int]:
        """Return how many more each merchant may have under way, where that is not the usual number."""
        rooms = {merchant_id: max(0, MERCHANT_IN_FLIGHT_MAX - count) for merchant_id, count in self._in_flight.items()}
        troubled = sum(self._in_flight[merchant_id] for merchant_id in self._troubled)
        most = 1 if troubled < TROUBLED_IN_FLIGHT_MAX else 0
        for merchant_id in self._troubled:
            rooms[merchant_id] = max(0, most - self._in_flight[merchant_id])
        return rooms

    async def _deliver(self, delivery: Delivery, now: datetime) -> None:
        """Send one delivery and leave how it ended to be recorded."""
        try:
            outcome = await self._send(delivery, now)
        except Exception:  # noqa: BLE001 (logged, and the delivery is tried again)
            # A bug of ours must not leave the delivery to its lease for ever, nor stop the others.
            _log.exception("delivery_broke", webhook_id=delivery.key.webhook_id)
            outcome = Outcome("", None, 0, problem="our fault: the notification could not be made")
        merchant_id = delivery.key.merchant_id
        ended_at = now + timedelta(milliseconds=outcome.latency_ms)
        last = self._delivered_at.get(merchant_id)
        quiet = last is None or ended_at - last > timedelta(seconds=rules.QUIET_S)
        verdict = rules.verdict(delivery, outcome, ended_at, quiet=quiet, jitter=random())  # noqa: S311 (spreads load)
        if verdict.state is DeliveryState.DELIVERED:
            self._delivered_at[merchant_id] = ended_at
            self._troubled.discard(merchant_id)
        elif verdict.state is not DeliveryState.NO_ENDPOINT:
            self._troubled.add(merchant_id)
        self._ended.append(EndedTry(delivery, now, outcome, verdict))
        self._news.set()

    async def _send(self, delivery: Delivery, now: datetime) -> Outcome:
        merchant = await self._directory.get(delivery.key.merchant_id)
        url = merchant.settings.notification_url if merchant else ""
        if merchant is None or not url:
            return rules.NO_ENDPOINT
        rendered = self._render(merchant, delivery)
        headers = rules.signed_headers(delivery.key, rendered, merchant.keys.webhook_keys, now)
        try:
            answer = await self._http.post(
                url, rendered.body, headers, timeout_s=SEND_S_MAX, allow_private=self._allow_private
            )
        except AddressRefusedError as refused:
            return Outcome(url, None, 0, problem=f"address refused: {refused}")
        except UnreachableError as error:
            return Outcome(url, None, error.latency_ms, problem=f"no answer: {error.reason}")
        outcome = Outcome(
            url,
            answer.status,
            answer.latency_ms,
            # PostgreSQL's text holds no NUL.
            answer=answer.body.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}"),
            retry_after=answer.headers.get("retry-after", ""),
        )
        return outcome if outcome.delivered else replace(outcome, problem=f"answered {answer.status}")

    async def _record_forever(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._ended:
                try:
                    await self._record()
                except (PostgresError, *UNREACHABLE) as error:
                    # Kept and written later; what stays unwritten past its lease is sent again, with the same id.
                    _log.warning("tries_not_recorded", error=type(error).__name__, waiting=len(self._ended))
                    await asyncio.sleep(PAUSE_S)

    async def _record(self) -> None:
        while ended := self._ended[:RECORD_ROWS_MAX]:
            await store.record(self._db, ended)
            del self._ended[: len(ended)]
            self._let_go(ended)

    def _let_go(self, ended: list[EndedTry]) -> None:
        """Give back the places of recorded deliveries, and claim again for those who wait for one."""
        for each in ended:
            merchant_id = each.delivery.key.merchant_id
            self._in_flight[merchant_id] -= 1
            if not self._in_flight[merchant_id]:
                del self._in_flight[merchant_id]
            if merchant_id in self._behind:
                self._named.add(merchant_id)
                self._wake.set()
        if self._crowded:
            self._sweep_soon()
