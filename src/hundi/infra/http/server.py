"""Serves an ASGI application over HTTP/1.1, on a socket that may outlive the process.

The supervisor opens the socket and passes it on: while a killed process starts again, callers wait
in the socket's queue and none is refused.
"""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import httptools
import uvicorn
import uvloop
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hundi.infra import reports
from hundi.infra.errors import OperatorError
from hundi.infra.http.exchanges import EXTENSION, HttpExchange, Joining
from hundi.infra.http.lifespan import Application, RefusableStart
from hundi.infra.processes import (
    LEAVE,
    LISTENING,
    exempt_loaded_objects_from_gc,
)
from hundi.infra.sockets import CONNECTIONS_WAITING_MAX

HEAD_BYTES_MAX = 64 * 1024
"""Request line and headers together; the packet that exceeds it is still read to its end."""
RECEIVE_S_MAX = 30.0
"""From the first byte of a request, or of a connection, to the request's last byte."""
_OFFERS = (b"upgrade", b"http2-settings")
"""Headers by which a client offers another protocol."""
_FIRST_S = 1.0
"""How long a connection without a request is still served by a process that ends."""
_IDLE_S_MAX = 75
_DRAIN_S = 10
_HANDOVER_S = 3.0
"""How long a connection of a replaced process may bring one more request: whoever has just sent it
could not know. The answer says that the connection ends."""
_STARTING_S = 0.02


def handed_down() -> socket.socket | None:
    """Return the open socket from the supervisor, or None."""
    number = os.environ.get(LISTENING)
    return socket.socket(fileno=int(number)) if number else None


def serve(build: Callable[[], Application], listening: socket.socket) -> None:
    """Build the application and serve it until SIGTERM or SIGINT; finish open requests first.

    Raises OperatorError if it does not start.
    """
    application = RefusableStart(build())
    config = uvicorn.Config(
        application,
        http=_BoundedProtocol,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="error",
        timeout_keep_alive=_IDLE_S_MAX,
        timeout_graceful_shutdown=_DRAIN_S,
        callback_notify=_say_alive,
        timeout_notify=reports.BEAT_S,
    )
    server = _Server(config)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(server.serve(sockets=[listening]))
    except SystemExit:
        # The server ends so where the application does not start.
        if application.refusal is None:
            raise
        raise application.refusal from None
    if not server.started:
        message = "the application did not start; the lines above say why"
        raise OperatorError(message)


async def _say_alive() -> None:
    reports.report(reports.ALIVE)


@asynccontextmanager
async def serving(application: Any, listening: socket.socket) -> AsyncIterator[None]:  # noqa: ANN401 (as uvicorn takes it)
    """Serve an application on a socket beside other work of this process.

    The caller handles the process's signals.
    """
    config = uvicorn.Config(
        application, ws="none", lifespan="on", access_log=False, log_config=None, log_level="error"
    )
    server = _Beside(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not task.done():  # noqa: ASYNC110 (it tells nobody otherwise)
        await asyncio.sleep(_STARTING_S)
    try:
        yield
    finally:
        server.should_exit = True
        await task


class _Beside(uvicorn.Server):
    """Leaves signals to the surrounding code."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Server(uvicorn.Server):
    """Ends with status 0 after a signal."""

    _is_replaced = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # Now the application is loaded, and its connections are open.
        exempt_loaded_objects_from_gc()
        reports.report(reports.READY)

    async def main_loop(self) -> None:
        await super().main_loop()
        reports.report(reports.STOPPING)
        if self._is_replaced:
            await self._hand_over()

    async def _hand_over(self) -> None:
        """Let each connection bring one more request, until it was idle for long enough."""
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        give_up = loop.time() + _HANDOVER_S
        while self.server_state.connections and loop.time() < give_up:
            for connection in self.server_state.connections:
                if isinstance(connection, _BoundedProtocol):
                    connection.answer_once_more()
            await asyncio.sleep(_STARTING_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if not self._is_replaced:
            await self._take_waiting(sockets or [])
        await super().shutdown(sockets)

    async def _take_waiting(self, sockets: Sequence[socket.socket]) -> None:
        """Accept the connections that wait in a socket's queue: closing it would reset them."""
        config, loop = self.config, asyncio.get_running_loop()
        for each in sockets:
            # OSError: nobody waits any more, or no file is left for another connection.
            with each.dup() as waiting, suppress(OSError):
                waiting.settimeout(0)
                for _ in range(CONNECTIONS_WAITING_MAX):
                    connection, _ = waiting.accept()
                    connection.settimeout(0)
                    protocol = _BoundedProtocol(config, self.server_state, self.lifespan.state)
                    await loop.connect_accepted_socket(lambda made=protocol: made, connection)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for word in (signal.SIGTERM, signal.SIGINT, LEAVE):
            loop.add_signal_handler(word, self._leave, word)
        yield

    def _leave(self, word: signal.Signals) -> None:
        """End after a signal.

        At once while the application starts and may wait for its database.
        """
        if not self.started:
            asyncio.get_running_loop().remove_signal_handler(word)
            os.kill(os.getpid(), word)
        self._is_replaced = word == LEAVE
        self.handle_exit(word, None)


class _BoundedProtocol(HttpToolsProtocol):
    """Limits a request's head in size and time, which the server's own protocol does not."""

    _in_head = True
    _incomplete = True
    _head_bytes = 0
    _timer: asyncio.TimerHandle | None = None
    _is_last = False

    def answer_once_more(self) -> None:
        """Say with the next answer that the connection ends, and end it then."""
        self._is_last = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        joining = Joining(transport, self.loop, lambda: not self._incomplete)
        super().connection_made(joining)  # type: ignore[arg-type]
        self._timer = self.loop.call_later(RECEIVE_S_MAX, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._in_head = self._incomplete = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        hosts = [name for name, _ in self.headers].count(b"host")
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() == "1.1"):
            # A request with two Host headers is refused: a proxy may have read the other one (RFC
            # 9112, 3.2).
            message = "a request has one Host"
            raise ValueError(message)
        self._in_head = False
        super().on_headers_complete()
        # The application begins in the loop's next turn.
        self.scope["extensions"] = {EXTENSION: HttpExchange(self.cycle)}  # type: ignore[typeddict-item]
        if self._is_last:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._incomplete = False
        self._stop_timer()
        super().on_message_complete()

    def shutdown(self) -> None:
        """End the connection; one that was just made is served first: a request is on its way."""
        if self.cycle is not None:
            super().shutdown()
        elif self._is_last:
            self._end_unused()
        else:
            self._is_last = True
            self.loop.call_later(_FIRST_S, self._end_unused)

    def _end_unused(self) -> None:
        if self.cycle is None:
            self.transport.abort()

    def _feed(self, data: bytes) -> None:
        """Parse bytes; a request that offers another protocol is read as if it offered none.

        A server may ignore the offer and answer the request (RFC 9110, 7.8); Java's own client and
        `curl --http2` rely on it. The parser stops at the offer with the body unread, so a new
        parser gets the head without the offer, and then the rest.
        """
        while data:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as offered:
                if self.parser.get_method() == b"CONNECT":
                    message = "nobody is connected to others here"
                    raise httptools.HttpParserError(message) from None
                head = self._head_without_offer()
                self.parser = httptools.HttpRequestParser(self)
                self.parser.feed_data(head)
                data = data[offered.args[0] :]
            else:
                return

    def _head_without_offer(self) -> bytes:
        lines = [self.parser.get_method() + b" " + self.url + b" HTTP/1.1"]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [each for each in value.split(b",") if each.strip().lower() not in _OFFERS]
                if tokens:
                    lines.append(name + b": " + b",".join(tokens))
            elif name not in _OFFERS:
                lines.append(name + b": " + value)
        return b"\r\n".join([*lines, b"", b""])

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
            return
        if self.transport.is_closing():
            return
        if not self._incomplete:
            # Blank lines may come before a request (RFC 9112, 2.2), and have stopped the timer of
            # an idle connection.
            if self._timer is None and (self.cycle is None or self.cycle.response_complete):
                self._timer = self.loop.call_later(RECEIVE_S_MAX, self.transport.abort)
            return
        if self._timer is None:
            self._timer = self.loop.call_later(RECEIVE_S_MAX, self.transport.abort)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self.send_400_response("The head of the request is too large.")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
