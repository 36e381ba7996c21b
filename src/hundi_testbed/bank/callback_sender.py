"""Sends callbacks after their commit, then from the outbox until they are accepted."""

import asyncio
import logging
import secrets
import time
from collections.abc import Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import aiohttp
import msgspec
from yarl import URL

from hundi_testbed.bank import signing
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.database import AWAY, BankDatabase
from hundi_testbed.bank.fault_injection import FaultInjector
from hundi_testbed.bank.messages import CallbackBody
from hundi_testbed.bank.outbox import store as outbox
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.rules import NEVER, BankCardFacts
from hundi_testbed.bank.scheduler import Scheduler
from hundi_testbed.bank.states import BankPayment

RETRY_GAPS_S = (0.2, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between one failed sending and the next; the last one repeats until GIVE_UP_AFTER."""
REFUSED_GAPS_S = (*RETRY_GAPS_S, 60.0, 120.0, 300.0)
"""The same after an HTTP status 4xx: repeated at longer intervals, some 300 times at most."""
GIVE_UP_AFTER = timedelta(hours=24)
_REFUSALS = "HTTP 4"
_POST_TIMEOUT_S = 5.0
_CLOCK_PATH = "/demo/clock"
# The gateway waits for its worker up to 60 s.
_CLOCK_TIMEOUT_S = 90.0
_ANSWER_BYTES_MAX = 4_096
# Longer than one sending may take, so that a callback under way is not claimed a second time.
_LEASE_S = 8.0
_IN_FLIGHT_MAX = 500
_CONNECTIONS_MAX = 32
_CLAIM_LIMIT = 100
# Delivered callbacks are deleted in batches. If the process is killed before that, the gateway gets
# them twice.
_NOTE_AFTER_S = 0.1
_DRAIN_S = 2.0
# Longer than a callback that is under way, with its copy, waits for an answer.
_BEFORE_CLOCK_MOVES_S = 12.0

_log = logging.getLogger("simbank.callbacks")


class GatewaySilentError(Exception):
    """The gateway did not move its clock; the text is the reason."""


class ClockAnswer(msgspec.Struct, frozen=True):
    """The result of a move of the clock at the gateway.

    worked: the number of events. next_due_in_s: when something falls due that the clock may not
    pass. waiting: the number of tries due again soon, because their bank did not answer.
    again_in_s: when the first of these is due.
    """

    worked: int
    next_due_in_s: float | None
    waiting: int = 0
    again_in_s: float | None = None


class CallbackSender:
    """Sends callbacks; nothing else in the simulator calls the gateway."""

    def __init__(
        self, db: BankDatabase, url: str, key: bytes, faults: FaultInjector, scheduler: Scheduler
    ) -> None:
        """Send to this url, signed with this key, with injected faults.

        Call this inside the running event loop.
        """
        self._db, self._url, self._key, self._faults, self._scheduler = (
            db,
            URL(url),
            key,
            faults,
            scheduler,
        )
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS_MAX, keepalive_timeout=60),
            timeout=aiohttp.ClientTimeout(total=_POST_TIMEOUT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        self._sendings: set[asyncio.Task[None]] = set()
        # Tasks that only sleep: callbacks on hold, and the note of delivered ones.
        self._waiting: set[asyncio.Task[None]] = set()
        self._delivered: list[str] = []

    async def move_clock(self, ahead_s: float, *, hasty: bool = False) -> ClockAnswer:
        """Have the gateway move its clock and do what became due. Raises GatewaySilentError.

        hasty: only repeated tries are due, so the gateway need not wait long. Callbacks under way
        are awaited: otherwise the gateway could store one with the time before the move, after
        events of the moved clock.
        """
        if not await self._is_drained():
            raise GatewaySilentError(
                f"callbacks were still under way after {_BEFORE_CLOCK_MOVES_S} s"
            )
        body = msgspec.json.encode({"ahead_s": ahead_s, "hasty": hasty})
        signature = signing.sign(self._key, body, now_s=int(time.time()))
        timeout = aiohttp.ClientTimeout(total=_CLOCK_TIMEOUT_S)
        try:
            async with self._session.post(
                self._url.with_path(_CLOCK_PATH),
                data=body,
                headers={signing.CALLBACK_HEADER: signature},
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                if response.status != HTTPStatus.OK:
                    raise GatewaySilentError(f"the gateway answered HTTP {response.status}")
                return msgspec.json.decode(await response.read(), type=ClockAnswer)
        except (
            aiohttp.ClientError,
            TimeoutError,
            OSError,
            msgspec.MsgspecError,
            RecursionError,
        ) as problem:
            raise GatewaySilentError(type(problem).__name__) from problem

    def callback_for(
        self,
        payment: BankPayment,
        kind: str = "payment",
        card: BankCardFacts | None = None,
        account: str = "",
    ) -> Callback:
        """Return the callback about a payment's new status.

        Commit it in the same statement as the payment. account: the reference whose account or
        voucher got a transfer, "" for a payment of our own reference.
        """
        event_id = "evt_" + secrets.token_hex(12)
        body = CallbackBody.of(event_id, payment, kind, card, account)
        return self.callback_with(event_id, payment.reference, body, payment.at)

    def callback_with(
        self, event_id: str, reference: str, body: msgspec.Struct, at: datetime
    ) -> Callback:
        """Return a callback with this body and with injected faults."""
        faults = self._faults.next_callback()
        return Callback(
            event_id=event_id,
            reference=reference,
            body=msgspec.json.encode(body).decode(),
            created_at=at,
            due_at=at + timedelta(seconds=faults.hold_s + _LEASE_S),
            hold_s=faults.hold_s,
            copies=faults.copies,
        )

    def send_soon(self, callback: Callback | None) -> None:
        """Start to send a committed callback.

        When too many are under way, the outbox sends it later.
        """
        if callback is not None and self._in_flight() < _IN_FLIGHT_MAX:
            self._start(callback)

    async def send_due(self, now: datetime) -> int:
        """Start to send the due callbacks of the outbox and return their number."""
        room = min(_CLAIM_LIMIT, _IN_FLIGHT_MAX - self._in_flight())
        if room <= 0:
            return 0
        callbacks = await outbox.claim_callbacks(
            self._db, now, now + timedelta(seconds=_LEASE_S), room
        )
        for callback in callbacks:
            self._start(callback)
        return len(callbacks)

    async def close(self) -> None:
        """Wait at most _DRAIN_S for sendings under way, then stop; the outbox keeps the rest."""
        under_way = self._sendings | self._waiting
        if under_way:
            await asyncio.wait(under_way, timeout=_DRAIN_S)
        for task in (*self._sendings, *self._waiting):
            task.cancel()
        await self._session.close()

    async def _is_drained(self) -> bool:
        """Wait until no callback is under way, at most _BEFORE_CLOCK_MOVES_S; return whether so."""
        give_up = time.monotonic() + _BEFORE_CLOCK_MOVES_S
        while self._sendings and (left_s := give_up - time.monotonic()) > 0:
            await asyncio.wait(self._sendings, timeout=left_s)
        return not self._sendings

    def _in_flight(self) -> int:
        return len(self._sendings) + len(self._waiting)

    def _start(self, callback: Callback) -> None:
        if callback.hold_s:
            self._run(self._hold(callback), self._waiting)
        else:
            self._run(self._deliver(callback), self._sendings)

    def _run(self, work: Coroutine[Any, Any, None], among: set[asyncio.Task[None]]) -> None:
        task = asyncio.create_task(work)
        among.add(task)
        task.add_done_callback(among.discard)

    async def _hold(self, callback: Callback) -> None:
        await asyncio.sleep(callback.hold_s)
        self._run(self._deliver(callback), self._sendings)

    async def _deliver(self, callback: Callback) -> None:
        answer = await self._post(callback)
        for _ in range(callback.copies - 1):
            await self._post(callback)
        if not answer:
            self._note_delivered(callback.event_id)
            return
        # A lost database costs nothing: the callback stays due and is sent again.
        with suppress(*AWAY):
            await self._postpone(callback, answer)

    async def _post(self, callback: Callback) -> str:
        body = callback.body.encode()
        headers = {
            "Content-Type": "application/json",
            signing.CALLBACK_HEADER: signing.sign(self._key, body, now_s=int(time.time())),
        }
        try:
            async with self._session.post(
                self._url, data=body, headers=headers, allow_redirects=False
            ) as response:
                # A connection whose answer was left unread is not used again.
                await response.content.read(_ANSWER_BYTES_MAX)
                return "" if 200 <= response.status < 300 else f"HTTP {response.status}"  # noqa: PLR2004
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            return type(problem).__name__

    async def _postpone(self, callback: Callback, answer: str) -> None:
        gaps = REFUSED_GAPS_S if answer.startswith(_REFUSALS) else RETRY_GAPS_S
        gap_s = gaps[min(callback.tries, len(gaps) - 1)]
        now, tries = clock.now(), callback.tries + 1
        given_up = answer == NEVER or now - callback.created_at > GIVE_UP_AFTER
        if given_up or answer != callback.last_answer:
            words = "given up" if given_up else f"told again in {gap_s} s"
            _log.warning(
                "callback %s for %s: %s at try %d, %s",
                callback.event_id,
                callback.reference,
                answer,
                tries,
                words,
            )
        due_at = None if given_up else now + timedelta(seconds=gap_s)
        await outbox.postpone_callback(self._db, callback.event_id, tries, answer, due_at)
        self._scheduler.wake_in(gap_s)

    def _note_delivered(self, event_id: str) -> None:
        self._delivered.append(event_id)
        if len(self._delivered) == 1:
            self._run(self._note_soon(), self._waiting)

    async def _note_soon(self) -> None:
        await asyncio.sleep(_NOTE_AFTER_S)
        noted, self._delivered = self._delivered, []
        # A lost database costs nothing: the callbacks stay due and are sent again.
        with suppress(*AWAY):
            await outbox.drop_delivered(self._db, noted)
