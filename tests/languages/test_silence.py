"""What each SDK does when no usable answer comes: it never sends twice what may move money."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hundi.wire import cipher
from hundi.wire.envelope import wrap_reply
from tests.languages.test_life import refused, told
from tools.sdks.check import Program
from tools.sdks.messages import CREDENTIALS

TOKEN = {"access_token": "a" * 40, "expires_in": 300, "scope": "operations"}


class SilentGateway:
    """Gives tokens, and breaks off every other call."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self.calls: list[str] = []
        self.redirect = ""
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                gateway.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a call for a token; let every other one go unanswered, or elsewhere."""
        path = request.path.partition("?")[0]
        self.calls.append(path.rstrip("/").rpartition("/")[2])
        if self.calls[-1] != "oauth2":
            if self.redirect:
                request.send_response(307)
                request.send_header("location", self.redirect)
                request.end_headers()
            request.close_connection = True
            return
        envelope = {"status_code": "200", "response_code": "00", "message": "ok", "data": TOKEN}
        key = cipher.encryption_key("demo-user", "demo-pass")
        body = wrap_reply("both", "12345", envelope, key)
        request.send_response(200)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def silent() -> Iterator[SilentGateway]:
    """A gateway that does not answer."""
    gateway = SilentGateway()
    yield gateway
    gateway.close()


@pytest.fixture
def unheard(program: Program, silent: SilentGateway) -> Program:
    """A program that is connected to it."""
    given = {"credentials": CREDENTIALS, "base_url": silent.url, "payment_page_url": ""}
    assert told(program, "connect", **given) == ""
    return program


def test_what_moves_no_money_is_tried_three_times(unheard: Program, silent: SilentGateway) -> None:
    told_of = refused(unheard, "verify", order_id="ORD-1", amount_paise="100")
    assert (told_of["kind"], told_of["retry"]) == ("unreachable", "later")
    assert silent.calls == ["oauth2", "verify", "verify", "verify"]


def test_a_refund_has_an_id_and_is_tried_three_times(
    unheard: Program, silent: SilentGateway
) -> None:
    given = {"transaction_id": "215000000000001", "amount_paise": "100", "request_id": "R-1"}
    assert refused(unheard, "refund", **given)["kind"] == "unreachable"
    assert silent.calls == ["oauth2", "refund", "refund", "refund"]


def test_a_capture_is_sent_once_and_its_outcome_is_unknown(
    unheard: Program, silent: SilentGateway
) -> None:
    told_of = refused(unheard, "capture", transaction_id="215000000000001")
    assert (told_of["kind"], told_of["retry"]) == ("outcome_unknown", "never")
    assert silent.calls == ["oauth2", "capture"]


def test_a_token_is_asked_for_once(unheard: Program, silent: SilentGateway) -> None:
    for _ in range(2):
        refused(unheard, "capture", transaction_id="215000000000001")
    assert silent.calls.count("oauth2") == 1


def test_a_redirect_is_not_followed(unheard: Program, silent: SilentGateway) -> None:
    silent.redirect = silent.url + "/elsewhere"
    told_of = refused(unheard, "verify", order_id="ORD-1", amount_paise="100")
    assert told_of["kind"] == "unreadable_reply"
    assert "elsewhere" not in silent.calls


def test_a_wrong_field_is_refused_before_anything_is_sent(
    unheard: Program, silent: SilentGateway
) -> None:
    told_of = refused(unheard, "verify", order_id="ORD 1", amount_paise="100")
    assert told_of == {
        "kind": "invalid_request",
        "field": "orderid",
        "received": "ORD 1",
        "allowed": "1 to 64 characters of A-Z a-z 0-9 - _ .",
    }
    assert silent.calls == []
