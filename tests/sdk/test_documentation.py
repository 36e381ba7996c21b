"""The samples of docs/sdk.md, run as they stand against a gateway on a real port."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from hundi.wire import envelope
from tests.sdk.gateway_double import CREDENTIALS, PAID, GatewayDouble
from tests.sdk.told import browser_return, notification

SAMPLES = re.findall(
    r"^```python\n(.*?)^```",
    (Path(__file__).parents[2] / "docs" / "sdk.md").read_text(),
    re.DOTALL | re.MULTILINE,
)
"""Without those in tabs, which tests/languages/test_samples.py runs."""


@pytest.fixture
def base_url() -> Iterator[str]:
    """Address of a gateway that knows one paid order."""
    double = GatewayDouble()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers["content-length"]))
            whole = double.answer(path, query, body)
            reply = envelope.wrap_reply(
                "both", CREDENTIALS.merchant_id, whole, CREDENTIALS.encryption_key
            )
            self.send_response(200)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *args: object) -> None:
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def given(base_url: str) -> dict[str, object]:
    """The variables that docs/sdk.md promises to its samples."""
    headers, body = notification(PAID)
    return {
        "merchant_id": CREDENTIALS.merchant_id,
        "username": CREDENTIALS.username,
        "password": CREDENTIALS.password,
        "secret": CREDENTIALS.api_secret,
        "client_id": CREDENTIALS.oauth_client_id,
        "client_secret": CREDENTIALS.oauth_client_secret,
        "webhook_key": CREDENTIALS.webhook_keys[0],
        "base_url": base_url,
        "payment_page_url": base_url,
        "order_id": PAID.orderid,
        "amount_paise": 149_950,
        "posted": browser_return(PAID),
        "headers": headers,
        "body": body,
    }


@pytest.mark.parametrize(
    ("number", "name", "shown"),
    [
        (0, "html", r'action="http://127.0.0.1:\d+/pay/v4/\?token=[0-9a-f]{40}"'),
        (1, "shown", r"^paid$"),
        (2, "transaction", r"order_id='ORD-1001'"),
        (3, "outcome", r"^₹1,499\.50 paid, RRN 632512345678$"),
        (4, "answer", r"^refund 224000000000000 of ₹100\.00 is on its way$"),
    ],
)
def test_each_sample_runs_by_itself(
    given: dict[str, object], number: int, name: str, shown: str
) -> None:
    exec(compile(SAMPLES[number], f"docs/sdk.md, sample {number + 1}", "exec"), given)  # noqa: S102 (the samples are ours)
    assert re.search(shown, str(given[name]))


def test_every_sample_is_run() -> None:
    assert len(SAMPLES) == 5
