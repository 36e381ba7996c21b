"""The real bank in its own process, a gateway for its callbacks, and a signing client."""

import asyncio
import hmac
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import aiohttp
import asyncpg

from tests.databases import drop_database
from tests.system.machine import free_port

KEY = "the key both sides of this test know"
PENDING_S = 1.0
DEEMED_S = 1.5
ENACH_S = 0.2
COLLECT_S = 0.1
AMOUNT_PAISE = 149_950
CARD = {
    "number": "4111111111111111",
    "expiry_month": 12,
    "expiry_year": 2090,
    "cvv": "123",
    "holder": "Sita",
}
MANDATE = {
    "payee_name": "Chai House",
    "max_paise": 2 * AMOUNT_PAISE,
    "recur": "MONTHLY",
    "valid_from": "2026-01-01",
    "valid_until": "2055-12-31",
}
_START_TIMEOUT_S = 120
_references = count(secrets.randbelow(10**14) + 10**14)


def new_reference() -> str:
    """Return a reference that no other test uses."""
    return f"7-{next(_references)}"


def upi_link(reference: str, **changes: str) -> str:
    """Return the link of an order of ₹1,499.50, with parameters changed or (by "") left out."""
    fields = {
        "pa": "m7@simbank",
        "pn": "Chai House",
        "tr": reference,
        "am": "1499.50",
        "cu": "INR",
    } | changes
    return "upi://pay?" + "&".join(
        f"{name}={quote(value, safe='@')}" for name, value in fields.items() if value
    )


def signature(body: bytes, *, at_s: int | None = None, key: str = KEY) -> str:
    """Sign as the contract says, written independently of the bank."""
    at_s = int(time.time()) if at_s is None else at_s
    signed = str(at_s).encode() + b"." + body
    return f"t={at_s},v1={hmac.new(key.encode(), signed, 'sha256').hexdigest()}"


class Gateway:
    """Hears callbacks and keeps them; `status` is what it answers, after `thinks_s`.

    under_way_when_moved: of each move of its clock, how many callbacks it had not answered then.
    """

    def __init__(self) -> None:
        """Listen on a free port."""
        self.status = 204
        self.thinks_s = 0.0
        self.thinking: set[int] = set()
        self.under_way_when_moved: list[int] = []
        self.heard: list[dict[str, Any]] = []
        self.signed: list[tuple[str, bytes]] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/demo/clock":
                    gateway.under_way_when_moved.append(len(gateway.thinking))
                    self._answer(200, b'{"worked": 0, "next_due_in_s": null}')
                    return
                gateway.signed.append((self.headers["Simbank-Signature"], body))
                gateway.heard.append(
                    json.loads(body) | {"path": self.path, "answered": gateway.status}
                )
                gateway.thinking.add(threading.get_ident())
                time.sleep(gateway.thinks_s)
                gateway.thinking.discard(threading.get_ident())
                self._answer(gateway.status)

            def _answer(self, status: int, body: bytes = b"") -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def about(self, reference: str) -> list[dict[str, Any]]:
        """Return what was heard about a reference, in order."""
        return [event for event in tuple(self.heard) if event.get("reference") == reference]

    async def hears(
        self, reference: str, number: int = 1, timeout_s: float = 60.0
    ) -> list[dict[str, Any]]:
        """Wait until so many callbacks about a reference have come, and return them."""
        deadline = time.monotonic() + timeout_s
        while len(self.about(reference)) < number:
            assert time.monotonic() < deadline, f"heard only {self.about(reference)}"
            await asyncio.sleep(0.01)
        return self.about(reference)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Simbank:
    """A client of a running bank."""

    url: str
    http: aiohttp.ClientSession
    gateway: Gateway

    async def acquirer(
        self, path: str, body: dict[str, Any] | None = None, header: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Call the acquirer's interface, signed unless a header is given.

        POST with a body, else GET.
        """
        content = json.dumps(body).encode() if body is not None else None
        headers = {
            "Acquirer-Signature": header
            if header is not None
            else signature(content or path.encode())
        }
        method = "GET" if body is None else "POST"
        async with self.http.request(
            method, self.url + path, data=content, headers=headers
        ) as response:
            return response.status, await response.json()

    async def pay(
        self, link: str, payer_vpa: str = "success@hundi", **more: object
    ) -> tuple[int, dict[str, Any]]:
        """Pay a link as a customer's app."""
        async with self.http.post(
            self.url + "/upi/pay", json={"uri": link, "payer_vpa": payer_vpa, **more}
        ) as response:
            return response.status, await response.json()

    async def inquire(self, reference: str) -> dict[str, Any]:
        """Ask what became of a reference."""
        return (await self.acquirer("/acquirer/inquire", {"reference": reference}))[1]

    async def becomes(self, reference: str, status: str, timeout_s: float = 60.0) -> dict[str, Any]:
        """Inquire until the bank says a status."""
        deadline = time.monotonic() + timeout_s
        while (answer := await self.inquire(reference))["status"] != status:
            assert time.monotonic() < deadline, f"still {answer}"
            await asyncio.sleep(0.05)
        return answer

    async def collect(
        self, reference: str, payer_vpa: str, /, **changes: object
    ) -> tuple[int, dict[str, Any]]:
        """Send a collect request."""
        question = {
            "reference": reference,
            "amount_paise": AMOUNT_PAISE,
            "currency": "INR",
            "payer_vpa": payer_vpa,
            "payee_vpa": "m7@simbank",
            "payee_name": "Chai House",
            "note": "",
            "expires_in_s": 300,
        }
        return await self.acquirer("/acquirer/upi/collect", question | changes)

    async def authenticate(
        self, reference: str, number: str = CARD["number"], /, **changes: object
    ) -> tuple[int, dict[str, Any]]:
        """Start a challenge."""
        question = {
            "reference": reference,
            "amount_paise": AMOUNT_PAISE,
            "currency": "INR",
            "card": CARD | {"number": number},
            "return_url": self.gateway.url + "/back?order=1",
        }
        return await self.acquirer("/acquirer/cards/authenticate", question | changes)

    async def authorise(
        self, reference: str, authentication_id: str, /, **changes: object
    ) -> tuple[int, dict[str, Any]]:
        """Charge an authenticated card."""
        question = {
            "reference": reference,
            "authentication_id": authentication_id,
            "amount_paise": AMOUNT_PAISE,
            "currency": "INR",
            "capture": True,
        }
        return await self.acquirer("/acquirer/cards/authorise", question | changes)

    async def submit(self, url: str, **form: str) -> aiohttp.ClientResponse:
        """Send a form as a browser does and return the answer, read, without following it."""
        async with self.http.post(url, data=form, allow_redirects=False) as response:
            await response.read()
            return response

    async def authenticated(self, reference: str, number: str = CARD["number"]) -> str:
        """Take a card through its challenge and return the authentication's id."""
        challenge = (await self.authenticate(reference, number))[1]
        assert (await self.submit(challenge["challenge_url"], otp="123456")).status == 303
        return challenge["authentication_id"]

    async def entries(self, reference: str) -> list[dict[str, Any]]:
        """Return all entries of the books about a reference."""
        found: list[dict[str, Any]] = []
        after = 0
        while True:
            async with self.http.get(self.url + "/books", params={"after": after}) as response:
                page = await response.json()
            if not page["entries"]:
                return found
            found += [entry for entry in page["entries"] if entry["reference"] == reference]
            after = page["next"]

    async def set_faults(self, **setting: object) -> None:
        """Set which faults are injected; without arguments, none."""
        async with self.http.put(self.url + "/control/dial", json=setting) as response:
            assert response.status == 200, await response.text()

    async def make_late_successes_due(self) -> None:
        """Let the late successes that wait happen now; at least one does wait."""
        assert await self._make_due("late-success") > 0

    async def make_registrations_due(self) -> int:
        """Let every bank that has to register a mandate answer now; return how many had to."""
        return await self._make_due("registration")

    async def move_clock(self, seconds: float) -> None:
        """Move the bank's clock on; only a bank of one test's own."""
        async with self.http.post(
            self.url + "/control/clock", json={"advance_s": seconds}
        ) as response:
            assert response.status == 200, await response.text()

    async def _make_due(self, what: str) -> int:
        async with self.http.post(f"{self.url}/control/{what}") as response:
            assert response.status == 200, await response.text()
            return (await response.json())["made_due"]

    @asynccontextmanager
    async def undecided(self) -> AsyncIterator[None]:
        """Keep payments undecided until the end of this; then they succeed."""
        await self.set_faults(late_success_s=86_400)
        yield
        await self.set_faults()
        await self.make_late_successes_due()


@dataclass
class Process:
    """A bank's process group, to be killed and started again."""

    environment: dict[str, str]
    url: str
    log: int = subprocess.DEVNULL
    child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it is ready."""
        command = [sys.executable, "-m", "hundi_testbed.bank"]
        self.child = subprocess.Popen(
            command,
            env=os.environ | self.environment,
            start_new_session=True,
            stdout=self.log,
            stderr=self.log,
        )
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            assert self.child.poll() is None, "the bank did not start"
            try:
                with urllib.request.urlopen(self.url + "/health/ready", timeout=10):  # noqa: S310 (our own bank)
                    return
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < deadline, "the bank did not get ready"
                time.sleep(0.05)

    def end(self, how: signal.Signals) -> None:
        """End the whole group."""
        if self.child is not None:
            os.killpg(self.child.pid, how)
            self.child.wait(timeout=60)
            self.child = None


@contextmanager
def running_bank(
    postgres_url: str, gateway: Gateway, log: int = subprocess.DEVNULL, **changes: str
) -> Iterator[Process]:
    """Run a bank on a database that does not exist yet; changes.

    Its environment besides the usual.
    """
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
        "HUNDI_SIMBANK_ENACH_SECONDS": str(ENACH_S),
        "HUNDI_SIMBANK_COLLECT_SECONDS": str(COLLECT_S),
    }
    process = Process(environment | changes, url, log)
    try:
        process.start()
        yield process
    finally:
        process.end(signal.SIGKILL)
        asyncio.run(_drop(postgres_url, name))


async def _drop(postgres_url: str, name: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    await drop_database(connection, name)
    await connection.close()
