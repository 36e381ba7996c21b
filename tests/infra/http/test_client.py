"""Outbound calls are bounded, never redirected, and never go into a private network."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import (
    ANSWER_BYTES_MAX,
    ClientSettings,
    NoAnswerError,
    OutboundClient,
    Reach,
    client_for_others,
)
from tests.loop_clock import LoopClock
from tests.patience import PATIENCE_S
from tests.unanswered import unanswered

Serve = Callable[[bytes], Awaitable[str]]


@pytest.fixture
def asked() -> asyncio.Event:
    """Whether a server of `serve` has read a request."""
    return asyncio.Event()


@pytest.fixture
async def serve(asked: asyncio.Event) -> AsyncIterator[Serve]:
    """Start servers on free loopback ports that answer with bytes, and wait for the peer."""
    servers: list[asyncio.Server] = []

    async def start(answer: bytes) -> str:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            asked.set()
            await reader.read()
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/ipn"

    yield start
    for server in servers:
        server.close()


async def test_an_answer(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\nRetry-After: 7\r\n\r\nok")
    async with client_for_others(allow_private=True) as client:
        answer = await client.post(
            url, b"{}", {"content-type": "application/json"}, timeout_s=PATIENCE_S
        )
    assert (answer.status, answer.body, answer.headers["retry-after"]) == (201, b"ok", "7")
    assert 0 <= answer.latency_ms < PATIENCE_S * 1000


async def test_an_endless_answer_is_cut(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_000_000)
    async with client_for_others(allow_private=True) as client:
        answer = await client.post(url, b"", {}, timeout_s=PATIENCE_S)
    assert answer.body == b"x" * ANSWER_BYTES_MAX


async def test_a_compressed_answer_is_not_unpacked(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
    async with client_for_others(allow_private=True) as client:
        assert (await client.post(url, b"", {}, timeout_s=PATIENCE_S)).body == b"abc"


async def test_a_redirect_is_an_answer(serve: Serve) -> None:
    url = await serve(
        b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
    )
    async with client_for_others(allow_private=True) as client:
        assert (await client.post(url, b"", {}, timeout_s=PATIENCE_S)).status == 302


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nslow"])
async def test_silence_ends_in_time(serve: Serve, asked: asyncio.Event, answer: bytes) -> None:
    url, clock = await serve(answer), LoopClock()
    async with client_for_others(allow_private=True) as client:
        asking = asyncio.create_task(client.post(url, b"", {}, timeout_s=3_600))
        await asked.wait()
        clock.move_on(3_600)
        with pytest.raises(NoAnswerError) as caught:
            async with asyncio.timeout(PATIENCE_S):
                await asking
    assert (caught.value.reason, caught.value.sent) == ("timeout", True)


async def test_a_server_without_a_known_certificate_is_told_nothing(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1))
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=own_certificate(tmp_path))
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/ipn"
    async with client_for_others(allow_private=True) as client:
        with pytest.raises(NoAnswerError) as caught:
            await client.post(url, b"a secret", {}, timeout_s=PATIENCE_S)
    server.close()
    assert (caught.value.reason, caught.value.sent) == ("tls", False)
    assert b"".join(heard) == b""


def own_certificate(folder: Path) -> ssl.SSLContext:
    """Return a server's side of TLS with a certificate for 127.0.0.1 that nobody else signed."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")]),
    )
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    today = datetime.now(UTC)
    made = made.not_valid_before(today - timedelta(days=1)).not_valid_after(
        today + timedelta(days=1)
    )
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = made.add_extension(alternative, critical=False).sign(key, hashes.SHA256())
    form = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "server.pem"
    path.write_bytes(key.private_bytes(*form) + signed.public_bytes(serialization.Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    return context


async def test_nonsense_is_broken(serve: Serve) -> None:
    url = await serve(b"SSH-2.0-x\r\n\r\n")
    async with client_for_others(allow_private=True) as client:
        with pytest.raises(NoAnswerError) as caught:
            await client.post(url, b"", {}, timeout_s=PATIENCE_S)
    assert caught.value.reason == "broken"


async def test_nobody_there(unused_tcp_port: int) -> None:
    async with client_for_others(allow_private=True) as client:
        with pytest.raises(NoAnswerError) as caught:
            await client.post(f"http://127.0.0.1:{unused_tcp_port}/", b"", {}, timeout_s=PATIENCE_S)
    assert (caught.value.reason, caught.value.sent) == ("connect", False)


async def test_private_addresses_are_refused(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    port = url.split(":")[2].split("/")[0]
    # The last one is written with full-width digits, which become 127.0.0.1 when a host name is
    # normalised.
    hosts = (
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "１２７.0.0.1",
    )
    async with client_for_others(allow_private=False) as client:
        for host in hosts:
            with pytest.raises((AddressRefusedError, NoAnswerError)) as caught:
                await client.post(f"http://{host}:{port}/", b"", {}, timeout_s=PATIENCE_S)
            assert isinstance(caught.value, AddressRefusedError) or not caught.value.sent, host


async def test_a_name_that_changes_its_mind_gains_nothing(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    answers = iter([["8.8.8.8"], ["127.0.0.1"], ["8.8.8.8", "169.254.169.254"]])

    async def rebinding(_host: str, _port: int) -> list[str]:
        return next(answers)

    async with OutboundClient(ClientSettings(), rebinding) as client:
        target = url.replace("127.0.0.1", "shop.example")
        await client.check_address(target)
        with pytest.raises(AddressRefusedError):
            await client.post(target, b"", {}, timeout_s=PATIENCE_S)
    async with OutboundClient(ClientSettings(reach=Reach.PRIVATE), rebinding) as client:
        with pytest.raises(AddressRefusedError):
            await client.check_address(target)


async def test_a_private_connection_is_not_lent(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    async with (
        client_for_others(allow_private=True) as client,
        client_for_others(allow_private=False) as strict,
    ):
        await client.post(url, b"", {}, timeout_s=PATIENCE_S)
        with pytest.raises(AddressRefusedError):
            await strict.post(url, b"", {}, timeout_s=PATIENCE_S)


async def test_saving_an_address() -> None:
    async def nowhere(_host: str, _port: int) -> list[str]:
        raise OSError

    async with OutboundClient(ClientSettings(), nowhere) as client:
        with pytest.raises(AddressRefusedError, match="cannot be found"):
            await client.check_address("https://shop.example/")


async def test_an_address_of_our_own_settings_is_not_judged(serve: Serve) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    async def found(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with OutboundClient(ClientSettings(reach=Reach.ANY), found) as client:
        for target in (url, url.replace("127.0.0.1", "bank.example")):
            assert (await client.send("GET", target, b"", {}, timeout_s=PATIENCE_S)).body == b"ok"


@pytest.mark.parametrize("length", [10, 11])
async def test_an_answer_that_must_be_whole_is_broken_when_it_is_too_long(
    serve: Serve, length: int
) -> None:
    url = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length)
    async with OutboundClient(
        ClientSettings(reach=Reach.PRIVATE, answer_bytes_max=10, cut_answers=False)
    ) as client:
        if length == 10:
            assert (await client.post(url, b"", {}, timeout_s=PATIENCE_S)).body == b"x" * 10
            return
        with pytest.raises(NoAnswerError) as caught:
            await client.post(url, b"", {}, timeout_s=PATIENCE_S)
    assert (caught.value.reason, caught.value.sent) == ("broken", True)


async def test_a_connection_that_takes_too_long_has_sent_nothing() -> None:
    with unanswered() as url:
        async with OutboundClient(ClientSettings(reach=Reach.PRIVATE, connect_s=0.2)) as client:
            with pytest.raises(NoAnswerError) as caught:
                await client.post(url, b"", {}, timeout_s=PATIENCE_S)
    assert (caught.value.reason, caught.value.sent) == ("timeout", False)


@pytest.mark.parametrize(("keep_alive_s", "connections"), [(15.0, 1), (0, 3)])
async def test_connections_are_kept_or_not(keep_alive_s: float, connections: int) -> None:
    made, left = 0, asyncio.Semaphore(0)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal made
        made += 1
        with contextlib.suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        left.release()

    settings = ClientSettings(reach=Reach.PRIVATE, keep_alive_s=keep_alive_s)
    async with (
        await asyncio.start_server(talk, "127.0.0.1", 0) as server,
        OutboundClient(settings) as client,
    ):
        for _ in range(3):
            await client.post(
                f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/",
                b"",
                {},
                timeout_s=PATIENCE_S,
            )
    assert made == connections
    for _ in range(made):
        await left.acquire()
