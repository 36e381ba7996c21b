"""The server's own bounds and its end, asked through a socket."""

import os
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from hundi.infra.http import server as http_server
from hundi.infra.processes import LISTENING
from hundi.infra.sockets import listen
from tests.patience import PATIENCE_S

_APPLICATION = """
    import asyncio
    import gc
    import sys
    from hundi.infra.http import server as http_server
    from hundi.infra.http.exchanges import exchange_of

    http_server.RECEIVE_S_MAX = float(sys.argv[1])
    listening = http_server.handed_down()


    def build():
        async def application(scope, receive, send):
            if scope["type"] == "lifespan":
                await receive()
                await send({"type": "lifespan.startup.complete"})
                await receive()
                await send({"type": "lifespan.shutdown.complete"})
                return
            exchange = exchange_of(scope) if sys.argv[2] == "whole" else None
            assert exchange or sys.argv[2] != "whole", "the server offers its exchange"
            whole = exchange and exchange.taken_body()
            told = whole or b""
            while scope["path"] != "/early" and whole is None:
                message = await receive()
                told += message.get("body", b"")
                if not message.get("more_body"):
                    break
            if scope["path"] == "/until-the-end":
                print("begun", flush=True)
                while listening.fileno() >= 0:  # the server closes it when it ends
                    await asyncio.sleep(0.01)
            body = b"%d" % gc.get_freeze_count() if scope["path"] == "/kept" else told or b"ok"
            if scope["path"] == "/large":
                body = bytes(1_000_000)
            headers = [(b"content-length", b"%d" % len(body))]
            if scope["path"] == "/injected":
                place = scope["query_string"].replace(b"-", b"\\r\\n")
                headers.append((b"location", b"/a" + place))
            if exchange and exchange.answered(200, headers, body):
                return
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        return application


    http_server.serve(build, listening)
"""
Served = tuple[subprocess.Popen[bytes], int]


@pytest.fixture
def receive_s() -> float:
    """How long a request may take."""
    return http_server.RECEIVE_S_MAX


@pytest.fixture(params=["messages", "whole"])
def way(request: pytest.FixtureRequest) -> str:
    """How the application answers: by ASGI's messages, or by the short way for what is whole."""
    return request.param


@pytest.fixture
def served(receive_s: float, way: str) -> Iterator[Served]:
    with listen("127.0.0.1", 0) as shared:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_APPLICATION), str(receive_s), way],
            env=os.environ | {LISTENING: str(shared.fileno())},
            pass_fds=[shared.fileno()],
            stdout=subprocess.PIPE,
        )
        try:
            yield process, shared.getsockname()[1]
        finally:
            process.kill()
            process.communicate()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def ask(port: int, request: bytes) -> bytes:
    """Send bytes and return everything that comes until the server closes."""
    answer = b""
    with closing(connect(port)) as connection, suppress(ConnectionError):
        connection.sendall(request)
        while part := connection.recv(65_536):
            answer += part
    return answer


def test_an_ordinary_request_is_answered(served: Served) -> None:
    answer = ask(served[1], b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"ok")


def test_the_collector_does_not_look_at_what_was_loaded(served: Served) -> None:
    """A collection of loaded objects takes longer than the work between two, and stops all."""
    answer = ask(served[1], b"GET /kept HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    assert int(answer.rpartition(b"\r\n")[2]) > 10_000


def data_packets(connection: socket.socket) -> int:
    """Return how many packets with data have come, by Linux's `tcpi_data_segs_in`."""
    return struct.unpack_from(
        "I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160), 152
    )[0]


def test_an_answer_comes_in_one_packet(served: Served) -> None:
    """Head and body in separate packets would wake the caller twice, in two system calls."""
    with closing(connect(served[1])) as connection:
        for number in range(1, 21):
            connection.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(65_536)
            assert data_packets(connection) == number


def test_a_head_without_end_is_refused(served: Served) -> None:
    lines = b"".join(b"x-%d: %s\r\n" % (number, b"a" * 4_000) for number in range(20))
    assert len(lines) > http_server.HEAD_BYTES_MAX
    assert ask(served[1], b"GET / HTTP/1.1\r\n" + lines).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "lengths",
    [
        b"content-length: 4\r\ntransfer-encoding: chunked\r\n",
        b"transfer-encoding: chunked\r\ncontent-length: 4\r\n",
        b"content-length: 4\r\ncontent-length: 40\r\n",
        b"transfer-encoding: chunked, identity\r\n",
        b"transfer-encoding: xchunked\r\n",
        b"content-length: +4\r\n",
        b"content-length : 4\r\n",
    ],
)
def test_a_body_has_one_length_or_none(served: Served, lengths: bytes) -> None:
    """A proxy in front may count by the other length.

    What it took for a body would be the next caller's request.
    """
    hidden = b"0\r\n\r\nGET /hidden HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    answer = ask(served[1], b"POST / HTTP/1.1\r\nhost: x\r\n" + lengths + b"\r\n" + hidden)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"200" not in answer


OFFERS = {
    "curl --http2": (
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings:"
        b" AAMAAABkAAQCAAAA\r\n"
    ),
    "Java's own": (
        b"Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAAA\r\nUpgrade:"
        b" h2c\r\n"
    ),
    "another": b"Connection: keep-alive, upgrade\r\nUpgrade: TLS/1.0\r\n",
}


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 11\r\n\r\nmerchant_id",
        b"Transfer-Encoding: chunked\r\n\r\nb\r\nmerchant_id\r\n0\r\n\r\n",
    ],
    ids=["length", "chunked"],
)
@pytest.mark.parametrize("cut", [0, 20, 60, -3])
def test_an_offer_of_another_protocol_is_ignored_and_the_body_read(
    served: Served, offer: bytes, body: bytes, cut: int
) -> None:
    request = b"POST / HTTP/1.1\r\nHost: a\r\n" + offer + body
    with closing(connect(served[1])) as connection:
        for _ in range(2):
            # In one packet or two, wherever they part; and once more on the same connection.
            connection.sendall(request[:cut])
            connection.sendall(request[cut:])
            answer = connection.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200"), answer
            assert answer.endswith(b"merchant_id"), answer


@pytest.mark.parametrize("receive_s", [0.5])
@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nhost:",
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc",
    ],
)
def test_whoever_does_not_finish_a_request_is_left(served: Served, begun: bytes) -> None:
    assert ask(served[1], begun) == b""


@pytest.mark.parametrize("receive_s", [0.5])
def test_a_blank_line_after_an_answer_holds_no_connection(served: Served) -> None:
    with closing(connect(served[1])) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        connection.sendall(b"\r\n")
        assert connection.recv(1) == b""


def test_nobody_is_connected_to_others(served: Served) -> None:
    assert ask(served[1], b"CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\n\r\n").startswith(
        b"HTTP/1.1 400"
    )


def test_many_offers_in_one_packet_are_read_one_after_the_other(served: Served) -> None:
    offer = b"GET / HTTP/1.1\r\nHost: a\r\n" + OFFERS["another"] + b"\r\n"
    last = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answers = ask(served[1], offer * 1_200 + last)
    assert answers.count(b"HTTP/1.1 200") == 1_201


def test_what_is_under_way_is_finished_when_it_ends(served: Served) -> None:
    process, port = served
    assert process.stdout is not None
    with closing(connect(port)) as connection:
        connection.sendall(b"GET /until-the-end HTTP/1.0\r\n\r\n")
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGTERM)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
    assert process.wait(PATIENCE_S) == 0


def test_an_answer_that_did_not_wait_for_the_body_arrives_whole(served: Served) -> None:
    """A connection closed with bytes unread is reset, and its answer is lost on the way."""
    length = 8 * 1024 * 1024
    head = b"POST /early HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
    for _ in range(10):
        with closing(connect(served[1])) as connection:
            connection.sendall(head % length + bytes(length))
            answer = connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200")


def _send_on(connection: socket.socket) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        connection.sendall(b"a")
        time.sleep(0.1)


def test_whoever_sends_on_after_such_an_answer_is_left(served: Served) -> None:
    head = b"POST /early HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 999\r\n\r\n"
    with closing(connect(served[1])) as connection:
        connection.sendall(head)
        with pytest.raises(ConnectionError):
            _send_on(connection)


def test_a_connection_that_was_just_made_is_served_when_it_ends(served: Served) -> None:
    process, port = served
    assert process.stdout is not None
    with closing(connect(port)) as first, closing(connect(port)) as unused:
        with closing(connect(port)) as open_request:
            open_request.sendall(b"GET /until-the-end HTTP/1.0\r\n\r\n")
            assert process.stdout.readline() == b"begun\n"
            process.send_signal(signal.SIGTERM)
            # Its answer says that the end has begun.
            assert open_request.recv(65_536).startswith(b"HTTP/1.1 200")
        first.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        answer = first.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"connection: close" in answer
        with suppress(ConnectionError):
            assert unused.recv(65_536) == b""
    assert process.wait(PATIENCE_S) == 0


def test_a_head_alone_has_no_body(served: Served) -> None:
    answer = ask(served[1], b"HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"content-length: 2\r\n" in answer
    assert answer.endswith(b"\r\n\r\n")


def test_answers_come_in_the_order_of_requests_that_did_not_wait(served: Served) -> None:
    asked = b"".join(
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n%03d" % number
        for number in range(50)
    )
    last = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    answers = ask(served[1], asked + last).split(b"HTTP/1.1 200")[1:]
    bodies = [each.rpartition(b"\r\n\r\n")[2] for each in answers]
    assert bodies == [*(b"%03d" % number for number in range(50)), b"ok"]


def test_a_slow_reader_gets_all_that_it_asked_for(served: Served) -> None:
    """More than the socket takes at once: what is left waits, and no answer overtakes another."""
    asked = b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n" * 20
    last = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    received = 0
    with closing(connect(served[1])) as connection:
        connection.sendall(asked + last)
        time.sleep(0.2)
        while part := connection.recv(65_536):
            received += len(part)
            end = part[-64:]
    assert received > 20 * 1_000_000
    assert end.endswith(b"\r\n\r\nok")


def test_no_header_begins_another(served: Served) -> None:
    """A line's end in a value would be a header, or an answer, of somebody else's making."""
    request = b"GET /injected?-set-cookie: a=b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    answer = ask(served[1], request.replace(b": a", b":a"))
    assert b"set-cookie" not in answer
    assert not answer.startswith(b"HTTP/1.1 200")


def test_a_caller_that_asks_first_whether_to_send_its_body_is_told(served: Served) -> None:
    head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n"
    with closing(connect(served[1])) as connection:
        connection.sendall(head)
        assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"body")
        assert connection.recv(4096).endswith(b"\r\n\r\nbody")
