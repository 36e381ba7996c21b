"""A server between a gateway and its simulated bank that bends answers by rule."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx

Bend = Callable[[BaseHTTPRequestHandler, bytes], None]
"""Answers a call in its own way, given what the bank has answered."""
_ENDS_HERE = {"connection", "content-length", "transfer-encoding", "keep-alive", "date", "server"}


class BendingProxy:
    """Forwards everything to `target`.

    The answers to calls about a reference in `bends` are bent.
    """

    def __init__(self) -> None:
        """Listen on a free port; the bank's address comes later."""
        self.target = ""
        self.bends: dict[tuple[str, str], Bend] = {}
        self.rewrite: Callable[[bytes], bytes] = bytes
        """What becomes of every answer to a call of the acquirer's."""
        self.bent: Counter[tuple[str, str]] = Counter()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_GET(self) -> None:
                proxy.forward(self, b"")

            def do_POST(self) -> None:
                proxy.forward(self, self.rfile.read(int(self.headers.get("content-length", 0))))

            def log_message(self, *_: Any) -> None:
                pass

        self._bank = httpx.Client(trust_env=False, timeout=30)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def forward(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """Ask the bank, and answer with what it says or with what the rule makes of it."""
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in {"host", "connection"}
        }
        answer = self._bank.request(
            request.command, self.target + request.path, content=body, headers=headers
        )
        # The bank's pages are reached by way of here, too.
        said = answer.content.replace(self.target.encode(), self.url.encode())
        if request.path.startswith("/acquirer/"):
            said = self.rewrite(said)
        about = (request.path.removeprefix("/acquirer/"), _about(body))
        bend = self.bends.get(about)
        try:
            if bend is not None:
                self.bent[about] += 1
                bend(request, said)
            else:
                kept = [
                    each
                    for each in answer.headers.multi_items()
                    if each[0].lower() not in _ENDS_HERE
                ]
                respond(request, said, answer.status_code, kept)
        except OSError:
            request.close_connection = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._bank.close()


def _about(body: bytes) -> str:
    try:
        asked = json.loads(body)
    except ValueError:
        return ""
    return (
        str(asked.get("reference") or asked.get("original") or "")
        if isinstance(asked, dict)
        else ""
    )


def respond(
    request: BaseHTTPRequestHandler,
    body: bytes,
    status: int = 200,
    headers: list[tuple[str, str]] | None = None,
) -> None:
    """Answer a request."""
    request.send_response_only(status)
    for name, value in headers or []:
        request.send_header(name, value)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
