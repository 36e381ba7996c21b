"""Merchants' servers that answer notifications with nonsense.

Each try is kept, and nobody else waits for it.
"""

import contextlib
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
WORKER_BYTES_MAX = 40_000_000
"""How much the worker may grow; one of these servers alone would send gigabytes."""
LINE_MAX = 65_536
Talk = Callable[["Server"], None]


class Server(socketserver.StreamRequestHandler):
    """One connection, answered as the path says."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            path = self.rfile.readline(LINE_MAX).split()[1].decode().strip("/")
            length = 0
            while (line := self.rfile.readline(LINE_MAX).strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            self.rfile.read(length)
            TALKS[path][0](self)

    def flood(self, head: bytes, piece: bytes) -> None:
        self.wfile.write(head)
        until_s = time.monotonic() + 15
        while time.monotonic() < until_s:
            self.wfile.write(piece)

    def drip(self, at_once: bytes, slowly: bytes) -> None:
        self.wfile.write(at_once)
        for byte in slowly:
            self.wfile.write(bytes([byte]))
            time.sleep(1)


OK = b"HTTP/1.1 200 OK\r\n"
TALKS: dict[str, tuple[Talk, str, tuple[int | None, ...]]] = {
    "megabytes": (
        lambda to: to.flood(OK + b"Content-Length: 9000000000\r\n\r\n", b"x" * 65_536),
        "delivered",
        (200,),
    ),
    "chunks": (
        lambda to: to.flood(
            OK + b"Transfer-Encoding: chunked\r\n\r\n", b"9\r\nxxxxxxxxx\r\n" * 999
        ),
        "delivered",
        (200,),
    ),
    "headers": (
        lambda to: to.flood(OK, b"X-More: xxxxxxxxxxxxxxxxxxxxxxx\r\n" * 999),
        "waiting",
        (None,),
    ),
    "slow-head": (lambda to: to.drip(b"", OK + b"Content-Length: 0\r\n\r\n"), "waiting", (None,)),
    "slow-body": (
        lambda to: to.drip(OK + b"Content-Length: 99\r\n\r\n", b"y" * 99),
        "waiting",
        (None,),
    ),
    "itself": (
        lambda to: to.wfile.write(
            b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /itself\r\nContent-Length: 0\r\n\r\n"
        ),
        "waiting",
        (307,),
    ),
    "closes": (lambda _: None, "waiting", (None,)),
    "half": (lambda to: to.wfile.write(OK + b"Content-Length: 50\r\n\r\nhalf"), "waiting", (None,)),
    "noise": (lambda to: to.wfile.write(bytes(range(256)) * 9), "waiting", (None,)),
    "tls": (lambda to: to.wfile.write(b"\x15\x03\x01\x00\x02\x02\x46"), "waiting", (None,)),
}
"""What each does, what becomes of the delivery, and what the first try keeps as its status."""


@pytest.fixture(scope="module")
def rude() -> Iterator[str]:
    """The address of the servers."""

    class Listening(socketserver.ThreadingTCPServer):
        allow_reuse_address = daemon_threads = True
        block_on_close = False

    with Listening(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def worker_bytes(gateway: RunningGateway) -> int:
    return sum(each.memory_info().rss for each in gateway.part("worker"))


def test_hostile_servers_delay_nobody_and_each_try_is_kept(
    gateway: RunningGateway, server: MerchantServer, shop: Shop, rude: str, browser: Browser
) -> None:
    before = worker_bytes(gateway)
    troubled: dict[str, Shop] = {}
    with contextlib.ExitStack() as opened:
        for name in TALKS:
            each = opened.enter_context(
                contextlib.contextmanager(open_shop)(gateway, server, f"rude-{name}")
            )
            gateway.operate(
                "merchant", "set", each.merchant.merchant_id, "--notification-url", f"{rude}/{name}"
            )
            troubled[name] = each
            scan(gateway, each.open_page(browser, new_order_id()).upi_link)
        waits: list[float] = []
        for _ in range(3):
            order_id = new_order_id()
            screen = shop.open_page(browser, order_id)
            began = time.monotonic()
            scan(gateway, screen.upi_link)
            shop.hears_event(order_id, "paid")
            waits.append(time.monotonic() - began)
        assert max(waits) < 30, waits
        for name, (_, state, statuses) in TALKS.items():
            listed = ["delivery", "list", troubled[name].merchant.merchant_id, "--state", state]
            found = partial(
                lambda asked: [each for each in gateway.operate(*asked) if each["tries"]], listed
            )
            (row,) = until(found, f"{name}: the try")
            tried = gateway.operate("delivery", "show", row["webhook_id"])
            assert tuple(each["status"] for each in tried[:1]) == statuses, name
            assert all(len(each["answer"]) <= 2_100 for each in tried), name
    assert worker_bytes(gateway) - before < WORKER_BYTES_MAX
