"""One lasting connection to a bank's switch: sign-on, echo, and many requests at once.

A message is 2 bytes of length (the higher first) and the message itself. Answers find their request
by type and trace.
"""

import asyncio
import contextlib
import ssl
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from hundi.acquirers.iso8583 import rules
from hundi.acquirers.iso8583.dialects import Dialect
from hundi.acquirers.iso8583.wire import MESSAGE_BYTES_MAX, Codec, Message, UnreadableMessageError

LENGTH_BYTES = 2
SIGN_OFF_S_MAX = 1.0
IN_FLIGHT_MAX = 500
"""Requests on one connection that wait for an answer; more are not sent."""
SILENCES_MAX = 3
"""Requests in a row without an answer, after which the connection is opened anew."""
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds without connecting, by the number of failures."""
_log = structlog.get_logger(__name__)


class NotConnectedError(Exception):
    """There is no signed-on connection, so nothing was sent."""


class SwitchSilenceError(Exception):
    """A message left, or may have left, and no answer came."""


@dataclass(frozen=True, slots=True)
class SwitchAddress:
    """Where the switch listens. tls: None for a line that is safe by itself. Times in seconds."""

    host: str
    port: int
    tls: ssl.SSLContext | None
    connect_s: float
    answer_s: float
    echo_s: float


class SwitchLink:
    """The connection of one process. It opens with the first request and again after a loss.

    ask_network: makes a message about the connection, with a fresh trace. late: gets each answer
    that nobody waits for any more.
    """

    def __init__(
        self,
        address: SwitchAddress,
        dialect: Dialect,
        codec: Codec,
        ask_network: Callable[[str], Awaitable[Message]],
        late: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Keep the configuration; the first request opens a connection."""
        self._address, self._dialect, self._codec = address, dialect, codec
        self._ask_network, self._late = ask_network, late
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._signed_on = False
        self._waiting: dict[tuple[str, int], list[asyncio.Future[Message | None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures, self._not_before, self._silences, self._heard_at = 0, 0.0, 0, 0.0

    def reachable(self) -> bool:
        """Return whether a call would be made now: not shortly after connecting failed."""
        return self._signed_on or time.monotonic() >= self._not_before

    async def ready(self) -> None:
        """Ensure a connection that is signed on. Raises NotConnectedError."""
        async with self._opening:
            if self._signed_on:
                return
            if time.monotonic() < self._not_before:
                why = "the switch could not be reached a moment ago"
                raise NotConnectedError(why)
            try:
                await self._open()
            except (OSError, TimeoutError, SwitchSilenceError, NotConnectedError) as error:
                self._drop("sign_on")
                self._not_before = (
                    time.monotonic() + BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)]
                )
                self._failures += 1
                raise NotConnectedError(
                    _why_not(error, tls=self._address.tls is not None)
                ) from None
            self._failures, self._silences = 0, 0

    async def ask(self, message: Message, timeout_s: float | None = None) -> Message:
        """Send a message and return its answer.

        Raises NotConnectedError: it was not sent; SwitchSilenceError: the outcome is unknown.
        """
        if not self._signed_on:
            why = "the connection is lost"
            raise NotConnectedError(why)
        return await self._asked(
            message, self._address.answer_s if timeout_s is None else timeout_s
        )

    async def echo(self) -> bool:
        """Return whether the switch answers an echo.

        Raises NotConnectedError, SwitchSilenceError.
        """
        await self.ready()
        answer = await self.ask(await self._ask_network(self._dialect.echo))
        return answer.get(39) in self._dialect.approved

    async def close(self) -> None:
        """Sign off, if that is quick, and close."""
        if self._signed_on:
            with contextlib.suppress(NotConnectedError, SwitchSilenceError):
                await self.ask(await self._ask_network(self._dialect.sign_off), SIGN_OFF_S_MAX)
        writer = self._writer
        self._drop("closed")
        if writer is not None:
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _open(self) -> None:
        async with asyncio.timeout(self._address.connect_s):
            reader, writer = await asyncio.open_connection(
                self._address.host,
                self._address.port,
                ssl=self._address.tls,
                limit=2 * MESSAGE_BYTES_MAX,
            )
        self._writer = writer
        self._begin(self._read(reader, writer))
        answer = await self._asked(
            await self._ask_network(self._dialect.sign_on), self._address.answer_s
        )
        if answer.get(39) not in self._dialect.approved:
            refused = f"the switch refused the sign-on with {answer.get(39)}"
            raise NotConnectedError(refused)
        self._signed_on, self._heard_at = True, time.monotonic()
        self._begin(self._keep_awake(writer))
        _log.info("iso8583_signed_on", host=self._address.host, port=self._address.port)

    async def _asked(self, message: Message, timeout_s: float) -> Message:
        writer = self._writer
        if writer is None or len(self._waiting) >= IN_FLIGHT_MAX:
            why = "too many questions wait for an answer" if writer else "the connection is lost"
            raise NotConnectedError(why)
        key = (rules.answer_type(message.mti), int(message.fields[11]))
        answered: asyncio.Future[Message | None] = asyncio.get_running_loop().create_future()
        frame = self._framed(message)
        # A message and its repeat have the same answer: both waiters get the first that comes.
        together = self._waiting.setdefault(key, [])
        together.append(answered)
        try:
            async with asyncio.timeout(timeout_s):
                writer.write(frame)
                await writer.drain()
                why = await answered
        except (OSError, TimeoutError) as error:
            self._count_silence(writer)
            reason = (
                "no answer in time"
                if isinstance(error, TimeoutError)
                else "the connection was lost"
            )
            raise SwitchSilenceError(reason) from None
        finally:
            together.remove(answered)
            if not together and self._waiting.get(key) is together:
                del self._waiting[key]
        if why is None:
            reason = "the connection was lost"
            raise SwitchSilenceError(reason)
        self._silences = 0
        return why

    def _framed(self, message: Message) -> bytes:
        raw = self._codec.encode(message)
        return len(raw).to_bytes(LENGTH_BYTES, "big") + raw

    def _count_silence(self, writer: asyncio.StreamWriter) -> None:
        """Drop a connection after several requests without an answer: another one may work."""
        self._silences += 1
        if self._silences >= SILENCES_MAX and writer is self._writer:
            self._drop("silent")

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand every message on until the connection ends."""
        why = "ended"
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(LENGTH_BYTES), "big")
                if length > MESSAGE_BYTES_MAX:
                    why = "too_long"
                    return
                raw = await reader.readexactly(length)
                self._heard_at = time.monotonic()
                if raw:
                    self._hand_on(raw, writer)
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            if writer is self._writer:
                self._drop(why)

    def _hand_on(self, raw: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            answer = self._codec.decode(raw)
            key = (answer.mti, int(answer.get(11) or -1))
        except (UnreadableMessageError, ValueError) as error:
            # Nothing of it is believed or logged: the waiter gets no answer.
            _log.warning("iso8583_unreadable", length=len(raw), error=type(error).__name__)
            return
        waiting = [each for each in self._waiting.get(key, ()) if not each.done()]
        for answered in waiting:
            answered.set_result(answer)
        if waiting:
            return
        if answer.mti[1:2] == "8" and answer.mti[2:3] in {"0", "2"}:
            with contextlib.suppress(KeyError, ValueError):
                writer.write(self._framed(rules.network_answer(answer, self._dialect)))
        else:
            _log.info("iso8583_late_answer", said=repr(answer))
            self._begin(self._late(answer))

    async def _keep_awake(self, writer: asyncio.StreamWriter) -> None:
        """Send an echo whenever nothing was heard for a while.

        Without an answer the connection is dropped.
        """
        while writer is self._writer:
            rest = self._heard_at + self._address.echo_s - time.monotonic()
            if rest > 0:
                await asyncio.sleep(rest)
                continue
            try:
                await self.ask(await self._ask_network(self._dialect.echo))
            except (NotConnectedError, SwitchSilenceError):
                if writer is self._writer:
                    self._drop("no_echo")

    def _drop(self, why: str) -> None:
        """Close the connection; whoever waits for an answer on it gets none."""
        writer, self._writer = self._writer, None
        self._signed_on = False
        if writer is None:
            return
        _log.info("iso8583_disconnected", host=self._address.host, port=self._address.port, why=why)
        writer.close()
        for answered in (each for together in self._waiting.values() for each in together):
            if not answered.done():
                answered.set_result(None)

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _why_not(error: Exception, *, tls: bool) -> str:
    """Return why there is no signed-on connection, for people."""
    match error:
        case SwitchSilenceError():
            return (
                f"no answer to the sign-on ({error}): the key, the version or the header "
                "may be other ones there"
            )
        case TimeoutError():
            return "no connection in time" + (
                ", encrypted: the switch may want tls = false" if tls else ""
            )
        case ssl.SSLError():
            return (
                f"no encrypted connection: {getattr(error, 'verify_message', '') or error.reason}"
            )
        case OSError():
            return f"no connection: {error.strerror or type(error).__name__}"
        case _:
            return str(error)
