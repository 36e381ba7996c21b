"""`hundi page`: the manifest is signed, and a page changed on its way is noticed."""

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hundi.instruments.methods import CHANNELS
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id
from tests.system.test_subscriptions import open_plan

Change = Callable[[str, bytes], bytes]


@contextmanager
def between(gateway: RunningGateway, change: Change) -> Iterator[str]:
    """Stand between customers and the gateway, and change what passes; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = httpx.get(
                gateway.base_url + self.path, headers={"accept": "text/html"}, trust_env=False
            )
            body = change(self.path, answer.content)
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name not in {"content-length", "date", "server"}:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def looked(gateway: RunningGateway, address: str) -> tuple[int, dict[str, object]]:
    ended = gateway.invoke("page", "check", "--url", address, "--json")
    return ended.exit_code, json.loads(ended.stdout)


@pytest.fixture
def open_page(shop: Shop) -> Iterator[None]:
    """A customer whose payment page is open."""
    with Browser() as browser:
        shop.open_page(browser, new_order_id())
        yield


@pytest.mark.usefixtures("open_page")
def test_a_page_that_nobody_changed_arrives_as_it_was_sent(gateway: RunningGateway) -> None:
    status, found = looked(gateway, gateway.base_url)
    assert (status, found["result"], found["faults"]) == (0, "unchanged", [])
    assert found["files"] >= 3


@pytest.mark.usefixtures("open_page")
def test_a_script_that_was_put_in_on_the_way_is_named(gateway: RunningGateway) -> None:
    def skim(path: str, body: bytes) -> bytes:
        return (
            body.replace(b"</body>", b'<script src="https://cards.example/s.js"></script></body>')
            if "/s/" in path
            else body
        )

    with between(gateway, skim) as address:
        status, found = looked(gateway, address)
    assert (status, found["result"]) == (1, "changed")
    assert found["faults"] == [
        "<script> leads to https://cards.example",
        "a script that nobody authorised: https://cards.example/s.js",
    ]


@pytest.mark.usefixtures("open_page")
def test_a_form_that_was_sent_elsewhere_is_named(gateway: RunningGateway) -> None:
    def divert(path: str, body: bytes) -> bytes:
        form = b'<main><form action="https://cards.example/card"></form>'
        return body.replace(b"<main>", form) if "/s/" in path else body

    with between(gateway, divert) as address:
        status, found = looked(gateway, address)
    assert (status, found["faults"]) == (1, ["<form> leads to https://cards.example"])


def test_every_kind_of_page_is_written_as_the_inspection_reads_it(
    gateway: RunningGateway, server: MerchantServer, sender: Sender
) -> None:
    """All channels at once, a subscription, another language, a phone, an accent.

    Whatever an open page may show.
    """
    options = {
        "channels": "_".join(CHANNELS),
        "saved_cards": "on",
        "accent": "#1b5e20",
        "mcc": "6012",
    }
    for shop in open_shop(gateway, server, "inspected", **options):
        for more in (
            {},
            {"accept-language": "hi"},
            {"user-agent": "Mozilla/5.0 (Linux; Android 14) Mobile Safari/537.36"},
        ):
            with Browser(**more) as browser:
                shop.open_page(browser, new_order_id(), customer_id=new_order_id("CUST"))
                status, found = looked(gateway, gateway.base_url)
                assert (status, found["faults"]) == (0, []), more
        with Browser() as browser:
            assert open_plan(sender, shop, browser, new_order_id("PLAN")).status == 200
            status, found = looked(gateway, gateway.base_url)
            assert (status, found["faults"]) == (0, [])


@pytest.mark.usefixtures("open_page")
def test_a_script_of_ours_with_another_content_is_named(gateway: RunningGateway) -> None:
    def append(path: str, body: bytes) -> bytes:
        return body + b"\nsteal()" if re.search(r"page\.[0-9a-f]+\.js", path) else body

    with between(gateway, append) as address:
        status, found = looked(gateway, address)
    assert status == 1
    (fault,) = found["faults"]
    assert re.fullmatch(
        r"/pay/v4/static/page\.[0-9a-f]{12}\.js has another content than ours", fault
    )


@pytest.mark.usefixtures("open_page")
def test_a_page_that_cannot_be_loaded_is_no_good_news(gateway: RunningGateway) -> None:
    status, found = looked(gateway, "http://127.0.0.1:9")
    assert (status, found["result"]) == (1, "changed")
    assert "cannot be loaded" in str(found["faults"])


def test_the_worker_looks_by_itself(gateway: RunningGateway) -> None:
    look = "SELECT count(*) FROM schedules WHERE name = 'inspect_payment_page'"
    until(lambda: gateway.value(look) == 1, "the schedule")


def test_the_manifest_is_signed_with_a_key_whose_certificate_stands_in_the_database(
    gateway: RunningGateway,
) -> None:
    signed = gateway.operate("page", "scripts")
    certificate = x509.load_der_x509_certificate(base64.b64decode(signed["certificate"]))
    key, signature = certificate.public_key(), base64.b64decode(signed["signature"])
    assert isinstance(key, Ed25519PublicKey)
    key.verify(signature, signed["text"].encode())
    with pytest.raises(InvalidSignature):
        key.verify(signature, signed["text"].replace("page.js", "evil.js").encode())
    listed = json.loads(signed["text"].partition("\n")[2])
    assert [each["name"] for each in listed["scripts"]] == [
        "card.js",
        "copy.js",
        "framed.js",
        "onward.js",
        "page.js",
        "result.js",
    ]
    with Browser() as browser:
        for each in listed["scripts"]:
            assert browser.http.get(gateway.base_url + each["path"]).status_code == 200
