"""An operator's adapter for messages, which can keep its answer to itself."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from standardwebhooks.webhooks import Webhook

KEY = "whsec_" + "a2V5IG9mIHRoZSBicmlkZ2UgaW4gdGVzdHMgb25seQ=="


class _Call(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        bridge = cast("MessageBridge", self.server)
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        message = Webhook(KEY).verify(body, dict(self.headers.items()))
        bridge.taken.append(message)
        # The client is killed while it waits, and never reads this.
        bridge.answering.wait()
        content = json.dumps({"problem": bridge.problem}).encode()
        self.send_response(bridge.status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            return

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


class MessageBridge(ThreadingHTTPServer):
    """A bridge on a free port of this machine. Every call's signature is checked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.status, self.problem = 200, ""
        self.answering = threading.Event()
        self.answering.set()
        self.taken: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of a gateway that sends its SMS here."""
        return {
            "HUNDI_SMS_PROVIDER": "bridge",
            "HUNDI_SMS_URL": f"http://127.0.0.1:{self.server_address[1]}/messages",
            "HUNDI_SMS_SECRET": KEY,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.answering.set()
        self.shutdown()
        self.server_close()
