"""A line between a shop and the gateway on which answers get lost."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx


class LossyLine:
    """Forwards every call, and breaks off the answers of those whose path holds a text."""

    def __init__(self, target: str) -> None:
        """Listen on a free port."""
        self.loses = ""
        self.lost = 0
        line = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                line.forward(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._gateway = httpx.Client(base_url=target, trust_env=False, timeout=30)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def forward(self, request: BaseHTTPRequestHandler) -> None:
        """Let the gateway answer, and pass it on or lose it."""
        body = request.rfile.read(int(request.headers.get("content-length", 0)))
        kept = {"content-type", "accept", "authorization"}
        headers = {name: value for name, value in request.headers.items() if name.lower() in kept}
        answer = self._gateway.post(request.path, content=body, headers=headers)
        request.close_connection = True
        if self.loses and self.loses in request.path:
            self.lost += 1
            return
        request.send_response(answer.status_code)
        request.send_header("content-type", answer.headers.get("content-type", ""))
        request.send_header("content-length", str(len(answer.content)))
        request.end_headers()
        request.wfile.write(answer.content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._gateway.close()
