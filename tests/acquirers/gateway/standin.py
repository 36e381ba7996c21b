"""An answerer in place of the other gateway.

It answers what a test wants, sealed under the account's key or not.
"""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self
from urllib.parse import urlsplit

from hundi.wire import cipher
from hundi.wire.merchant.record import TransactionRecord, with_hash
from tests.system.envelopes import Merchant

ACCOUNT = Merchant(
    "40001",
    "shop",
    "pass word",
    "api secret",
    "client",
    "client secret",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
)
KEY = ACCOUNT.key
POLL_S = 0.01
"""How long closing waits at most."""
Body = bytes | dict[str, Any]
Fault = Callable[[BaseHTTPRequestHandler, bytes], None]


def answer(data: Any, code: str = "00", **changes: Any) -> dict[str, Any]:
    """Return an envelope; another code than 00 is a refusal."""
    good = code == "00"
    said = {
        "status_code": "200" if good else "400",
        "status": "success" if good else "fail",
        "response_code": code,
    }
    return {**said, "message": "Success" if good else "No", "data": data, **changes}


def sealed(envelope: dict[str, Any], key: bytes = KEY) -> bytes:
    """Return a reply as it travels."""
    text = cipher.seal(key, json.dumps(envelope).encode())
    return json.dumps({"merchant_id": ACCOUNT.merchant_id, "response": text, **envelope}).encode()


def record(**changes: Any) -> dict[str, Any]:
    """Return the record of a paid order, with changes; its secure hash holds."""
    said = {
        "ap_transactionid": "217383559059812",
        "orderid": "10001-1",
        "merchant_id": ACCOUNT.merchant_id,
    }
    said |= {
        "amount": "1499.50",
        "transaction_status": 200,
        "transaction_payment_status": "SUCCESS",
    }
    said |= {
        "message": "Success",
        "rrn": "632512345678",
        "captured_amount": "1499.50",
        "chmod": "pg",
    }
    return with_hash(TransactionRecord(**(said | changes)), ACCOUNT.username).written()


class _Quiet(ThreadingHTTPServer):
    """Says nothing of callers who hang up: some tests let them."""

    def handle_error(self, *_: Any) -> None:
        pass


class Standin:
    """Answers each operation by its name; tokens come by themselves.

    said: an envelope to seal, or bytes as they are.
    """

    def __init__(self) -> None:
        """Listen on a free port, with nothing to say but tokens."""
        self.calls: list[str] = []
        self.said: dict[str, Body] = {
            "oauth2": answer({"access_token": "a" * 40, "expires_in": 300}),
            "verify": answer([], "503"),
        }
        self.faults: dict[str, Fault] = {}
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                standin.respond(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True)
        self._thread.start()

    def respond(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one call."""
        name = urlsplit(request.path).path.strip("/").rpartition("/")[2]
        self.calls.append(name)
        said = self.said.get(name, b"{}")
        body = said if isinstance(said, bytes) else sealed(said)
        self.faults.get(name, send)(request, body)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def send(request: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    """Answer properly."""
    request.send_response_only(status)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def hang_up(request: BaseHTTPRequestHandler, _body: bytes) -> None:
    """Take the call and answer nothing."""
    request.close_connection = True


def half(request: BaseHTTPRequestHandler, body: bytes) -> None:
    """Break off in the middle."""
    request.send_response_only(200)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body[: len(body) // 2])
    request.close_connection = True


def with_status(status: int) -> Fault:
    """Answer with an HTTP status."""
    return lambda request, body: send(request, body, status)


def instead(content: bytes) -> Fault:
    """Answer with something else."""
    return lambda request, _body: send(request, content)


SPOILT: dict[str, Fault] = {
    "hang up": hang_up,
    "half": half,
    "500": with_status(500),
    "404": with_status(404),
    "html": instead(b"<html><body>Gateway time-out</body></html>"),
    "nothing": instead(b""),
    "a list": instead(b"[]"),
    "an object": instead(b"{}"),
    "twice": instead(b'{"status_code": "200", "status_code": "400"}'),
    "megabytes": instead(b'{"a": "' + b"x" * 2_000_000 + b'"}'),
    "another key": instead(sealed(answer(record()), b"0" * 32)),
    "in plain": instead(json.dumps(answer(record())).encode()),
    "no data": instead(sealed(answer(None))),
}
