"""The real simulated bank in a process of its own, on the real PostgreSQL, and a gateway that hears its callbacks."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import aiohttp
import asyncpg
import pytest

from hundi.simbank import signing

KEY = "the key both sides of this test know"
PENDING_S = 1.0
DEEMED_S = 2.0
COLLECT_S = 0.1
_START_TIMEOUT_S = 30
_references = count(secrets.randbelow(10**14) + 10**14)


def new_reference() -> str:
    """Return a reference that no other test uses."""
    return f"7-{next(_references)}"


def upi_link(reference: str, **changes: str) -> str:
    """Return the link of an order of ₹1,499.50, with parameters changed or (by "") left out."""
    fields = {"pa": "m7@simbank", "pn": "Chai House", "tr": reference, "am": "1499.50", "cu": "INR"} | changes
    return "upi://pay?" + urlencode({name: value for name, value in fields.items() if value}, safe="@", quote_via=_quote)


def _quote(text: str, safe: str = "", encoding: str | None = None, errors: str | None = None) -> str:
    from urllib.parse import quote  # noqa: PLC0415

    return quote(text, safe, encoding, errors)


class Gateway:
    """Hears callbacks and keeps them; `status` is what it answers."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self.status = 204
        self.heard: list[dict[str, Any]] = []
        self.signatures: list[tuple[str, bytes]] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                gateway.signatures.append((self.headers[signing.CALLBACK_HEADER], body))
                gateway.heard.append(json.loads(body) | {"path": self.path, "answered": gateway.status, "heard_at": time.monotonic()})
                self.send_response(gateway.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def about(self, reference: str) -> list[dict[str, Any]]:
        """Return what was heard about a reference, in order."""
        return [event for event in tuple(self.heard) if event["reference"] == reference]

    async def hears(self, reference: str, number: int = 1, timeout_s: float = 10.0) -> list[dict[str, Any]]:
        """Wait until so many callbacks about a reference have come, and return them."""
        deadline = time.monotonic() + timeout_s
        while len(self.about(reference)) < number:
            assert time.monotonic() < deadline, f"heard {self.about(reference)}"
            await asyncio.sleep(0.01)
        return self.about(reference)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@dataclass
class Simbank:
    """A running bank and a client of it that signs like the gateway."""

    url: str
    http: aiohttp.ClientSession
    gateway: Gateway
    clock_offset_s: int = field(default=0)

    async def acquirer(self, path: str, body: dict[str, Any] | None = None, **options: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401
        """Call the acquirer's interface, signed: POST with a body, else GET. Returns status and answer."""
        content = b"" if body is None else json.dumps(body).encode()
        header = signing.sign(KEY.encode(), content or path.encode(), now_s=int(time.time()) + self.clock_offset_s)
        headers = {signing.REQUEST_HEADER: header}
        method = "GET" if body is None else "POST"
        async with self.http.request(method, self.url + path, data=content or None, headers=headers, **options) as response:
            return response.status, await response.json()

    async def pay(self, link: str, payer_vpa: str, **more: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401
        """Pay a link as a customer's app."""
        async with self.http.post(self.url + "/upi/pay", json={"uri": link, "payer_vpa": payer_vpa, **more}) as response:
            return response.status, await response.json()

    async def inquire(self, reference: str) -> dict[str, Any]:
        """Ask what became of a reference."""
        return (await self.acquirer("/acquirer/inquire", {"reference": reference}))[1]

    async def entries(self, reference: str) -> list[dict[str, Any]]:
        """Return all entries of the books about a reference."""
        found, after = [], 0
        while True:
            async with self.http.get(self.url + "/books", params={"after": after}) as response:
                page = await response.json()
            if not page["entries"]:
                return found
            found += [entry for entry in page["entries"] if entry["reference"] == reference]
            after = page["next"]

    async def turn_dial(self, **setting: Any) -> None:  # noqa: ANN401
        """Set the dial."""
        async with self.http.put(self.url + "/control/dial", json=setting) as response:
            assert response.status == 200, await response.text()


def free_port() -> int:
    """Return a port that is free now."""
    import socket  # noqa: PLC0415

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Process:
    """A bank's process group, to be killed and started again."""

    environment: dict[str, str]
    url: str
    child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it is ready."""
        import urllib.error  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        command = [sys.executable, "-m", "hundi.simbank"]
        self.child = subprocess.Popen(command, env=os.environ | self.environment, start_new_session=True)  # noqa: S603
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            assert self.child.poll() is None, "the bank did not start"
            try:
                with urllib.request.urlopen(self.url + "/health/ready", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < deadline, "the bank did not get ready"
                time.sleep(0.05)

    def end(self, how: signal.Signals) -> None:
        """End the whole group."""
        if self.child is not None:
            os.killpg(self.child.pid, how)
            self.child.wait(timeout=15)
            self.child = None


async def _drop(postgres_url: str, name: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    await connection.close()


@contextmanager
def running_bank(postgres_url: str, gateway: Gateway) -> Iterator[Process]:
    """Run a bank on a database that does not exist yet."""
    name = f"simbank_test_{secrets.token_hex(4)}"
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        "HUNDI_SIMBANK_DATABASE_URL": urlunsplit(urlsplit(postgres_url)._replace(path=f"/{name}")),
        "HUNDI_ACQUIRER_KEY": KEY,
        "HUNDI_SIMBANK_GATEWAY_URL": gateway.url,
        "HUNDI_SIMBANK_PUBLIC_URL": url,
        "HUNDI_SIMBANK_PORT": str(port),
        "HUNDI_SIMBANK_PENDING_SECONDS": str(PENDING_S),
        "HUNDI_SIMBANK_DEEMED_SECONDS": str(DEEMED_S),
        "HUNDI_SIMBANK_COLLECT_SECONDS": str(COLLECT_S),
    }
    process = Process(environment, url)
    try:
        process.start()
        yield process
    finally:
        process.end(signal.SIGKILL)
        asyncio.run(_drop(postgres_url, name))


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    """One gateway for all tests; references keep them apart."""
    listener = Gateway()
    yield listener
    listener.close()


@pytest.fixture(scope="session")
def bank_process(postgres_url: str, gateway: Gateway) -> Iterator[Process]:
    """One bank for all tests that do not kill it."""
    with running_bank(postgres_url, gateway) as process:
        yield process


@pytest.fixture
async def bank(bank_process: Process, gateway: Gateway) -> AsyncIterator[Simbank]:
    """The running bank, with no trouble on its line."""
    async with aiohttp.ClientSession() as http:
        simbank = Simbank(bank_process.url, http, gateway)
        await simbank.turn_dial()
        yield simbank
        await simbank.turn_dial()


@pytest.fixture
def own_process(postgres_url: str, gateway: Gateway) -> Iterator[Process]:
    """A bank of this test alone, to be killed."""
    with running_bank(postgres_url, gateway) as process:
        yield process


@pytest.fixture
def simbank_of(gateway: Gateway) -> Callable[[Process, aiohttp.ClientSession], Simbank]:
    """Return a client maker for processes of one's own."""
    return lambda process, http: Simbank(process.url, http, gateway)
