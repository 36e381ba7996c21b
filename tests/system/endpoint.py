"""A merchant's web server.

Takes notifications and browser returns, keeps them, and answers as it is told.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from hundi.sdk import Callbacks, Notification
from tests.patience import PATIENCE_S
from tests.system.envelopes import Merchant
from tests.system.running import until


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it came. at: seconds of a clock that never jumps; at_s: since 1970."""

    headers: dict[str, str]
    body: bytes
    at: float
    at_s: float

    @property
    def webhook_id(self) -> str:
        """Return the notification's identity."""
        return self.headers.get("webhook-id", "")


@dataclass
class Answer:
    """How the endpoint answers: after a pause, with a status, headers and body.

    Hang until it is closed or let go.
    """

    status: int = 200
    pause_s: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"thanks"
    hang: bool = False


@dataclass
class Endpoint:
    """One address of the server.

    choose: tells the answer to each request, by what was heard so far (itself included).
    """

    url: str
    heard: list[ReceivedRequest] = field(default_factory=list)
    choose: Callable[[ReceivedRequest], Answer] = field(default=lambda _: Answer())
    let_go: threading.Event = field(default_factory=threading.Event)
    _read: list[Notification] = field(default_factory=list)
    _reading: threading.Lock = field(default_factory=threading.Lock)

    def read(self, merchant: Merchant) -> list[Notification]:
        """Return everything heard, checked by the merchant's SDK; each message is read once."""
        with self._reading:
            for each in self.heard[len(self._read) :]:
                # As a shop does, at once: a test may look only after minutes.
                callbacks = Callbacks(merchant.credentials, clock=lambda at_s=each.at_s: at_s)
                self._read.append(callbacks.read_notification(each.headers, each.body))
            return list(self._read)

    def about(self, merchant: Merchant, order_id: str) -> list[Notification]:
        """Return what was heard about one order, in order."""
        return [each for each in self.read(merchant) if each.transaction.order_id == order_id]

    def hears(
        self, merchant: Merchant, order_id: str, number: int = 1, within_s: float = PATIENCE_S
    ) -> list[Notification]:
        """Wait until so many notifications about an order have come, and return them."""

        def enough() -> list[Notification]:
            found = self.about(merchant, order_id)
            return found if len(found) >= number else []

        return until(enough, f"{number} notifications about {order_id}", within_s=within_s)


class MerchantServer:
    """A web server with as many endpoints as a test wants; each name is an address of its own."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self._endpoints: dict[str, Endpoint] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                server.take(self, body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def endpoint(self, name: str) -> Endpoint:
        """Return the endpoint of a name, made on first use."""
        return self._endpoints.setdefault(name, Endpoint(f"{self.url}/{name}"))

    def take(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """Keep a request and answer it."""
        endpoint = self._endpoints.get(request.path.lstrip("/"))
        heard = ReceivedRequest(
            {name.lower(): value for name, value in request.headers.items()},
            body,
            time.monotonic(),
            time.time(),
        )
        answer = Answer(404)
        if endpoint is not None:
            endpoint.heard.append(heard)
            answer = endpoint.choose(heard)
            if answer.hang:
                endpoint.let_go.wait(60)
        time.sleep(answer.pause_s)
        try:
            request.send_response(answer.status)
            for name, value in answer.headers.items():
                request.send_header(name, value)
            request.send_header("content-length", str(len(answer.body)))
            request.end_headers()
            request.wfile.write(answer.body)
        except OSError:
            request.close_connection = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._endpoints.values():
            each.let_go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
