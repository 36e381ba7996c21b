"""A bank whose answers are wrong in every way."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from hundi.acquirers.calls.client import Timeouts
from hundi.acquirers.sandbox.connector import SandboxConnector

ANSWERED_S, ENDLESS_S = 60.0, 0.3
"""Patience with a bank whose answer ends by itself, on a processor it shares with us, and with one
that never ends.
"""
SENT_BYTES_MAX = 24 * 1024**2
"""What a bank gets rid of before the connection is closed.

Mostly what the kernel's own buffers take.
"""
REFERENCE, REFUND = "7-215000000000001", "7-R215000000000002"
Ask = Callable[[SandboxConnector], Awaitable[object]]


@dataclass(frozen=True)
class PortCall:
    """One call of the port: how it is made, and what a sane bank says.

    about: the reference in a sane answer.
    """

    ask: Ask
    sane: dict[str, Any]
    about: str = REFERENCE
    quick: bool = True


@dataclass
class HostileBank:
    """A bank on a plain socket.

    say: writes what it likes, given the sane answer; it may break off or never end.
    """

    say: "Say"
    call: PortCall
    origin: str = ""
    heard: int = 0
    sent: int = 0
    connections: dict[Any, asyncio.StreamWriter] = field(default_factory=dict)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections[asyncio.current_task()] = writer
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(
                    int(head.partition("content-length: ")[2].partition("\r\n")[0] or 0)
                )
                self.heard += 1
                sane = json.loads(json.dumps(self.call.sane).replace("ORIGIN", self.origin))
                if self.call.about:
                    sane["reference"] = self.call.about
                await self.say(self, writer, sane)
        writer.close()

    async def write(self, writer: asyncio.StreamWriter, piece: bytes) -> None:
        writer.write(piece)
        await writer.drain()
        self.sent += len(piece)


Line = tuple[HostileBank, SandboxConnector]
Say = Callable[[HostileBank, asyncio.StreamWriter, dict[str, Any]], Awaitable[None]]


@contextlib.asynccontextmanager
async def hostile(say: Say, call: PortCall, waits_s: float = ANSWERED_S) -> AsyncIterator[Line]:
    bank = HostileBank(say, call)
    server = await asyncio.start_server(bank.talk, "127.0.0.1", 0)
    bank.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    connector = SandboxConnector(bank.origin, b"shared", Timeouts(waits_s, waits_s, ANSWERED_S))
    try:
        yield bank, connector
    finally:
        await connector.close()
        # A connection that is left open is complained about in whatever test runs when it is found,
        # and a server that is closed while it accepts one leaves it open.
        await turns()
        server.close()
        for task, writer in bank.connections.items():
            task.cancel()
            writer.transport.abort()
        await turns()


async def turns() -> None:
    """Let the loop accept, end and close what it has begun."""
    for _ in range(20):
        await asyncio.sleep(0)


def reply(body: bytes, status: str = "200 OK", headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (
        status.encode(),
        headers,
        len(body),
        body,
    )


def says(make: Callable[[dict[str, Any]], bytes]) -> Say:
    """Answer at once, with a body made of the sane answer."""

    async def say(bank: HostileBank, writer: asyncio.StreamWriter, sane: dict[str, Any]) -> None:
        await bank.write(writer, reply(make(sane)))

    return say


def other(**changes: Any) -> Say:
    return says(lambda sane: json.dumps({**sane, **changes}).encode())


def raw(make: Callable[[bytes], bytes]) -> Say:
    """Answer at once with bytes of its own, then close."""

    async def say(bank: HostileBank, writer: asyncio.StreamWriter, sane: dict[str, Any]) -> None:
        await bank.write(writer, make(json.dumps(sane).encode()))
        raise ConnectionError

    return say


async def never(_bank: HostileBank, _writer: asyncio.StreamWriter, _sane: dict[str, Any]) -> None:
    await asyncio.sleep(60)


def drips(after: bytes) -> Say:
    """Send one byte after the other, slowly, once these bytes were sent at once."""

    async def say(bank: HostileBank, writer: asyncio.StreamWriter, sane: dict[str, Any]) -> None:
        at_once, mark, rest = reply(json.dumps(sane).encode()).partition(after)
        await bank.write(writer, at_once + mark)
        for byte in rest:
            await bank.write(writer, bytes([byte]))
            await asyncio.sleep(0.1)

    return say


def floods(head: bytes, piece: bytes, pause_s: float = 0.0) -> Say:
    """Send without end.

    The bank shares its processor with the client, so small pieces come with pauses.
    """

    async def say(bank: HostileBank, writer: asyncio.StreamWriter, _sane: dict[str, Any]) -> None:
        await bank.write(writer, head)
        while True:
            await bank.write(writer, piece)
            await asyncio.sleep(pause_s)

    return say


def twice(sane: dict[str, Any]) -> bytes:
    """Return the sane answer with each key twice: the first says something else."""
    first = ",".join(f'"{name}":"no"' for name in sane)
    return f"{{{first},{json.dumps(sane)[1:]}".encode()


HTML = b"<!DOCTYPE html><title>Maintenance</title><p>status: paid"
