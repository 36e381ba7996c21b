"""The connection that callbacks leave by, against servers that answer in every way a server may, and in wrong ones."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from hundi.simbank.line import Line

TIMEOUT_S = 5.0
OK = b"HTTP/1.1 204 No Content\r\n\r\n"
Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Server:
    """Reads requests and lets `answer` say the rest; counts connections and keeps what it read."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.connections = 0
        self.read: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.read.append(head + await reader.readexactly(length))
                await self.answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def line_to(answer: Answer, timeout_s: float = TIMEOUT_S) -> AsyncIterator[tuple[Line, Server]]:
    server = Server(answer)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    line = Line(f"http://127.0.0.1:{port}/callbacks?from=bank", timeout_s=timeout_s)
    try:
        yield line, server
    finally:
        line.close()
        listening.close()


def saying(*pieces: bytes, then_close: bool = False) -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)
        if then_close:
            writer.close()

    return answer


async def test_a_request_is_whole_and_the_connection_is_used_again() -> None:
    async with line_to(saying(OK)) as (line, server):
        assert [await line.post(b"{}", {"Simbank-Signature": "t=1"}) for _ in range(3)] == [204] * 3
        assert server.connections == 1
        head = server.read[0].decode()
        assert head.startswith("POST /callbacks?from=bank HTTP/1.1\r\nHost: 127.0.0.1:")
        assert head.endswith("Simbank-Signature: t=1\r\nContent-Length: 2\r\n\r\n{}")


@pytest.mark.parametrize(
    ("answer", "connections"),
    [
        pytest.param(saying(b"HTTP/1.1 503 Away\r\nContent-Le", b"ngth: 4\r\n\r\nso", b"on"), 1, id="pieces"),
        pytest.param(
            saying(b"HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsoon\r\n", b"0\r\n\r\n"),
            1,
            id="chunks",
        ),
        pytest.param(
            saying(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n"),
            1,
            id="announced first",
        ),
        pytest.param(saying(b"HTTP/1.1 503 Away\r\n\r\n", b"soon", then_close=True), 2, id="ended by closing"),
        pytest.param(
            saying(b"HTTP/1.1 503 Away\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), 2, id="said to be the last"
        ),
        pytest.param(saying(b"HTTP/1.0 503 Away\r\nContent-Length: 0\r\n\r\n"), 2, id="an old server"),
    ],
)
async def test_every_form_of_answer_is_understood(answer: Answer, connections: int) -> None:
    async with line_to(answer) as (line, server):
        assert [await line.post(b"{}", {}) for _ in range(2)] == [503, 503]
        assert server.connections == connections


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(saying(then_close=True), id="nothing"),
        pytest.param(saying(b"HTTP/1.1 200 OK\r\nContent-", then_close=True), id="half a head"),
        pytest.param(saying(b"220 mail.example.in ready\r\n"), id="another protocol"),
        pytest.param(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + b"x" * 99_999), id="too much"),
    ],
)
async def test_what_is_no_answer_is_an_error_and_the_next_post_begins_afresh(answer: Answer) -> None:
    async with line_to(answer) as (line, server):
        with pytest.raises(OSError):  # noqa: PT011 (of which kind does not matter)
            await line.post(b"{}", {})
        server.answer = saying(OK)
        assert await line.post(b"{}", {}) == 204


async def test_silence_ends_and_its_late_answer_reaches_nobody() -> None:
    async with line_to(saying(), timeout_s=0.2) as (line, server):
        with pytest.raises(TimeoutError):
            await line.post(b"{}", {})
        server.answer = saying(OK)
        assert await line.post(b"{}", {}) == 204
        assert server.connections == 2


async def test_a_connection_closed_while_idle_is_not_used() -> None:
    async with line_to(saying(OK, then_close=True)) as (line, server):
        for _ in range(2):
            assert await line.post(b"{}", {}) == 204
            await asyncio.sleep(0.05)
        assert server.connections == 2


async def test_nobody_there_is_an_error() -> None:
    listening = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    listening.close()
    await listening.wait_closed()
    with pytest.raises(ConnectionRefusedError):
        await Line(f"http://127.0.0.1:{port}", timeout_s=TIMEOUT_S).post(b"{}", {})
