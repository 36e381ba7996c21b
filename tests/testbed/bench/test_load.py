"""HTTP messages out of a stream, quantiles, and which chains a span counts."""

import asyncio
from contextlib import nullcontext

import pytest

from hundi_testbed.bench import load
from hundi_testbed.bench.load import (
    BrokenChainError,
    Connection,
    LoadReply,
    NotificationListener,
    Span,
)

_NO_METER = nullcontext()


def test_a_message_with_a_length_is_read_when_all_of_it_is_there():
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Request-Id: req_1\r\n\r\nhelloHTTP/1.1 204"
    for size in range(len(whole) - len(b"HTTP/1.1 204")):
        assert load.read_message(whole[:size]) is None
    message = load.read_message(whole)
    assert message is not None
    assert message.body == b"hello"
    assert whole[message.size :] == b"HTTP/1.1 204"


def test_a_chunked_message_is_put_together():
    whole = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=y\r\n,"
        b" world\r\n0\r\n\r\n"
    )
    for size in range(len(whole)):
        assert load.read_message(whole[:size]) is None
    message = load.read_message(whole + b"next")
    assert message is not None
    assert (message.body, message.size) == (b"hello, world", len(whole))


def test_a_message_without_a_body_ends_with_its_head():
    message = load.read_message(b"HTTP/1.1 204 No Content\r\nx: y\r\n\r\nrest")
    assert message is not None
    assert (message.body, message.size) == (b"", len(b"HTTP/1.1 204 No Content\r\nx: y\r\n\r\n"))


def test_a_header_is_found_in_any_case():
    answer = LoadReply(
        303, b"HTTP/1.1 303 See Other\r\nLocation: /pay/v4/s/AbC\r\nX-Location: /no", b""
    )
    assert answer.header(b"location") == b"/pay/v4/s/AbC"
    assert answer.header(b"etag") == b""


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [
        ([3.0], 0.99, 3.0),
        ([4, 1, 3, 2], 0.5, 2),
        (range(1, 101), 0.99, 99),
        (range(1, 102), 0.99, 100),
        ([1, 2], 0.0, 1),
    ],
)
def test_a_quantile_is_a_value_that_was_measured(values, part, expected):
    assert load.quantile(values, part) == expected


def test_no_values_have_no_quantile():
    with pytest.raises(BrokenChainError):
        load.quantile([], 0.5)


async def test_a_closed_loop_counts_what_ends_while_it_measures():
    began = ended = 0

    async def chain() -> None:
        nonlocal began, ended
        began += 1
        await asyncio.sleep(0.01)
        ended += 1

    sample = await load.closed_loop([chain] * 4, Span(0.05, 0.2), _NO_METER)
    assert began == ended > len(sample.took_s) > 4
    assert all(0.005 < seconds < 0.2 for seconds in sample.took_s)


async def test_an_open_loop_begins_chains_on_time_and_counts_latency_from_then():
    stuck = asyncio.Event()

    async def chain() -> None:
        await stuck.wait()

    async def free() -> None:
        await asyncio.sleep(0.15)
        stuck.set()

    freeing = asyncio.create_task(free())
    sample = await load.open_loop(100, chain, Span(0.0, 0.3), _NO_METER)
    await freeing
    # The chains that were due while nothing moved have waited, the longest for all that time.
    assert max(sample.took_s) > 0.1
    assert len(sample.took_s) > 10


async def test_the_first_broken_chain_ends_a_loop():
    async def chain() -> None:
        await asyncio.sleep(0)
        raise BrokenChainError("the bank said no")

    with pytest.raises(BrokenChainError, match="the bank said no"):
        await load.closed_loop([chain] * 3, Span(1, 1), _NO_METER)
    with pytest.raises(BrokenChainError, match="the bank said no"):
        await load.open_loop(100, chain, Span(1, 1), _NO_METER)


async def test_a_connection_is_kept_and_a_listener_takes_what_comes():
    taken: list[tuple[bytes, bytes]] = []
    connections: list[NotificationListener] = []

    def accept() -> NotificationListener:
        connections.append(
            NotificationListener(lambda head, body: taken.append((head.split(b"\r\n")[0], body)))
        )
        return connections[-1]

    server = await asyncio.get_running_loop().create_server(accept, "127.0.0.1", 0)
    connection = Connection("127.0.0.1", server.sockets[0].getsockname()[1])
    for number in range(3):
        answer = await connection.send(load.post("shop", f"/{number}", "text/plain", b"news"))
        assert answer.status == 200
    connection.close()
    server.close()
    assert taken == [(f"POST /{number} HTTP/1.1".encode(), b"news") for number in range(3)]
    assert len(connections) == 1


async def test_a_connection_that_breaks_fails_its_request_and_the_next_one_opens_another():
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    connection = Connection("127.0.0.1", server.sockets[0].getsockname()[1])
    for _ in range(2):
        with pytest.raises(OSError, match="closed"):
            await connection.send(load.get("shop", "/"))
    server.close()
    await server.wait_closed()
