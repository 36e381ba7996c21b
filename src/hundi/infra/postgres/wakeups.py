"""Wake-ups between processes over LISTEN and NOTIFY; without them work is only found later.

A NOTIFY inside a transaction makes commits queue behind one lock, so it is sent after the commit,
and many wake-ups become one.
"""

import asyncio
from collections.abc import Callable

import asyncpg

from hundi.infra.logs import get_logger
from hundi.infra.postgres.connecting import connect_to_one
from hundi.infra.postgres.pool import Pool, end_at_once

_log = get_logger(__name__)

_GAP_S_MAX = 0.02
_GAP_S_PER_PAYLOAD = 0.006
"""A busy channel carries more payloads at once.

For one customer alone a wake-up hardly ever waits.
"""
_PAYLOADS_WAITING_MAX = 1_000
_HEARTBEAT_S = 15.0
_ANSWER_S_MAX = 5
_PAUSE_S_MIN = 0.1
_PAUSE_S_MAX = 5.0
# The client library calls it an internal error when the connection breaks between two of its
# messages.
_LOST = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)

# One wake-up a payload: PostgreSQL drops equal ones of one transaction. They need no disk, but
# their commit would wait for it.
_NOTIFY = """
select set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
from unnest($2::text[]) as payload
"""


class Wakeups:
    """Sends at once on a quiet channel, else together at the end of the gap."""

    def __init__(self, pool: Pool) -> None:
        """Send over connections of this pool."""
        self._pool = pool
        self._waiting: dict[str, set[str]] = {}
        self._senders: dict[str, asyncio.Task[None]] = {}

    def send(self, channel: str, payload: str) -> None:
        """Note one wake-up; it leaves within the gap."""
        waiting = self._waiting.setdefault(channel, set())
        # More payloads mean the same as "look at everything", which is the empty payload.
        waiting.add(payload if len(waiting) < _PAYLOADS_WAITING_MAX else "")
        if channel not in self._senders:
            self._senders[channel] = asyncio.create_task(self._send_all(channel))

    async def _send_all(self, channel: str) -> None:
        try:
            while payloads := self._waiting.pop(channel, None):
                try:
                    await self._pool.fetch(_NOTIFY, channel, list(payloads))
                except _LOST as error:
                    # The listeners' own poll finds the work; what was noted meanwhile still goes.
                    _log.warning("wakeup_lost", channel=channel, error=type(error).__name__)
                await asyncio.sleep(min(_GAP_S_MAX, _GAP_S_PER_PAYLOAD * len(payloads)))
        finally:
            del self._senders[channel]

    async def close(self) -> None:
        """Wait until the noted wake-ups have left."""
        await asyncio.gather(*self._senders.values(), return_exceptions=True)


class Listener:
    """One connection that listens on every requested channel, and is reopened when lost."""

    def __init__(self, url: str) -> None:
        """Prepare; the connection is opened by the first `listen`."""
        self._url = url
        self._callbacks: dict[str, list[Callable[[str], None]]] = {}
        self._connection: asyncpg.Connection | None = None
        self._keeper: asyncio.Task[None] | None = None
        # A connection does one thing at a time: several callers of `listen`, and the heartbeat,
        # take turns.
        self._turn = asyncio.Lock()
        self._next_question: asyncio.Task[None] | None = None

    async def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Listen on one more channel; return once wake-ups sent from now on will arrive."""
        async with self._turn:
            is_open = channel in self._callbacks
            callbacks = self._callbacks.setdefault(channel, [])
            callbacks.append(callback)
            try:
                if self._connection is None:
                    self._connection = await self._connect()
                elif not is_open:
                    await self._connection.add_listener(channel, self._on_notify)
            except BaseException:
                # Whoever tries again is then neither deaf nor told everything twice.
                callbacks.remove(callback)
                if not callbacks:
                    del self._callbacks[channel]
                raise
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep())

    async def catch_up(self) -> None:
        """Return once every wake-up sent before this call has arrived.

        PostgreSQL delivers a connection's waiting notices before it answers the next query over it.
        Callers during a query share the next one. Raises TimeoutError, or the client library's
        error when the connection is lost.
        """
        if self._next_question is None:
            self._next_question = asyncio.create_task(self._ask())
        await asyncio.shield(self._next_question)

    async def _ask(self) -> None:
        try:
            async with asyncio.timeout(_ANSWER_S_MAX), self._turn:
                # A caller from now on may wait for a wake-up for which this query is too early.
                self._next_question = None
                if self._connection is not None:
                    await self._connection.execute("select 1")
        finally:
            if self._next_question is asyncio.current_task():
                self._next_question = None

    async def close(self) -> None:
        """Stop listening."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._connection is not None:
            end_at_once(self._connection)

    async def _connect(self) -> asyncpg.Connection:
        connection = await connect_to_one(
            self._url,
            timeout_s=_ANSWER_S_MAX,
            command_timeout=_ANSWER_S_MAX,
            server_settings={"application_name": "hundi listener"},
        )
        try:
            for channel in self._callbacks:
                await connection.add_listener(channel, self._on_notify)
        except BaseException:
            end_at_once(connection)
            raise
        return connection

    def _on_notify(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        for callback in self._callbacks.get(channel, ()):
            try:
                callback(str(payload))
            except Exception:  # noqa: BLE001 (one listener's fault must not silence the others)
                _log.exception("listener_failed", channel=channel)

    async def _keep(self) -> None:
        """Notice a dead connection (an event, or no answer to a heartbeat) and open another."""
        while self._connection is not None:
            lost = asyncio.Event()
            self._connection.add_termination_listener(lambda _, lost=lost: lost.set())
            while not self._connection.is_closed():
                # Not wait_for: it loses a cancellation that comes at the moment the connection is
                # lost.
                try:
                    async with asyncio.timeout(_HEARTBEAT_S):
                        await lost.wait()
                except TimeoutError:
                    await self._beat(self._connection)
            async with self._turn:
                self._connection = await self._reconnect()
            for channel in self._callbacks:
                self._on_notify(None, 0, channel, "")

    async def _beat(self, connection: asyncpg.Connection) -> None:
        try:
            async with self._turn:
                await connection.execute("select 1")
        except _LOST:
            end_at_once(connection)

    async def _reconnect(self) -> asyncpg.Connection:
        pause_s = _PAUSE_S_MIN
        while True:
            try:
                return await self._connect()
            except _LOST as error:
                _log.warning("listener_waits", error=type(error).__name__, pause_s=pause_s)
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, _PAUSE_S_MAX)
