"""Correct messages are accepted, and wrong ones are refused in words, without errors."""

import json
import shutil
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hundi.wire.merchant.splits import SPLIT
from tests.patience import PATIENCE_S
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.console import Console
from tests.system.envelopes import Merchant, Sender, json_body
from tests.system.identity import CONSENT
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_pos_entries import ENTRY, Manager
from tests.system.test_subscriptions import active, plan

pytestmark = pytest.mark.usefixtures("books_hold")
JAVA = """
import java.net.URI;
import java.net.http.*;
class Ask {
    public static void main(String[] given) throws Exception {
        var body = HttpRequest.BodyPublishers.ofString(given[1]);
        var asked = HttpRequest.newBuilder(URI.create(given[0]))
            .header("content-type", "application/json").POST(body);
        var answer = HttpClient.newHttpClient()
            .send(asked.build(), HttpResponse.BodyHandlers.ofString());
        System.out.print(answer.body());
    }
}
"""


@pytest.fixture(scope="module")
def manager(gateway: RunningGateway, new_partner: NewPartner, new_merchant: NewMerchant) -> Manager:
    """A partner who manages one terminal."""
    found = Manager(
        new_partner("Counted terminals"), new_merchant("Counted shop", pos_address="127.0.0.0/8")
    )
    keeper = found.partner.keys.affiliate
    gateway.operate("pos", "register", found.shop.merchant_id, "T1", "A", "--manager", keeper)
    return found


def test_a_client_that_offers_another_protocol_is_answered(
    gateway: RunningGateway, sandbox: Merchant, tmp_path: Path
) -> None:
    """By `curl --http2`, and by Java's own client, whose default it is over plain HTTP."""
    address = f"{gateway.base_url}/gateway/pay/v4/api/oauth2/"
    body = json_body(sandbox.envelope(sandbox.token_request)).content.decode()
    (tmp_path / "Ask.java").write_text(JAVA)
    commands = {
        "curl": [
            "curl",
            "-sS",
            "--http2",
            "-H",
            "content-type: application/json",
            "--data",
            body,
            address,
        ],
        "java": ["java", str(tmp_path / "Ask.java"), address, body],
    }
    installed = {name: command for name, command in commands.items() if shutil.which(name)}
    assert installed, (
        "neither curl nor java is here; tests/infra/http/test_server.py sends their bytes"
    )
    for name, command in installed.items():
        told = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert "merchant_id is missing" not in told.stdout, name
        assert json.loads(told.stdout)["status"] == "success", (name, told)


def test_a_subscription_is_asked_for_by_the_older_spelling(shop: Shop, sender: Sender) -> None:
    order_id = new_order_id("PLAN")
    scan(shop.gateway, sender.ask("generateorder", shop.merchant, plan(order_id)).data["qr_string"])
    active(sender, shop, order_id)
    reply = sender.ask("subscription/status", shop.merchant, {"orderId": order_id})
    assert (reply.code, reply.data["state"]) == ("00", "active")


def test_as_many_full_entries_fit_in_json_as_in_a_form(manager: Manager) -> None:
    more = {"edit_amount": "0", "table": "7", "mobile": "9876543210"}
    told = manager.tell(*(ENTRY | more | {"reference": f"full-{number}"} for number in range(200)))
    assert {each["result"] for each in told} == {"recorded"}


@pytest.mark.parametrize(
    "field", ["terminalid", "reference", "type", "table", "mobile", "amount", "at"]
)
@pytest.mark.parametrize(
    "text", ["T\0", "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace") + "\0"]
)
def test_an_entry_with_a_character_that_nothing_holds_leaves_the_others(
    manager: Manager, field: str, text: str
) -> None:
    wrong, right = ENTRY | {field: text}, ENTRY | {"reference": new_order_id("ok")}
    first, second = manager.tell(wrong, right)
    assert (first["result"], first["error_code"], second["result"]) == (
        "refused",
        "110",
        "recorded",
    )
    assert field in first["error"]


@pytest.mark.parametrize("interface", ["link", "subscription", "settlement", "payout", "dispute"])
@pytest.mark.parametrize(
    "before", ["9223372036854775807", "9223372036854775808", "99999999999999999999"]
)
def test_a_page_begins_after_any_number(
    shop: Shop, sender: Sender, interface: str, before: str
) -> None:
    assert sender.ask(f"{interface}/list", shop.merchant, {"before": before}).code == "00"


def test_every_interface_answers_another_method_with_200(
    gateway: RunningGateway, sender: Sender
) -> None:
    for method in ("GET", "PUT"):
        answer = sender.http.request(
            method, f"{gateway.base_url}{SPLIT.address}", headers={"accept": "*/*"}
        )
        assert (answer.status_code, answer.json()["response_code"]) == (200, "101")


@pytest.mark.parametrize("value", [{"a": 1}, ["yes"], True])
def test_what_is_no_text_is_no_consent(
    gateway: RunningGateway, partner: PartnerSender, value: object
) -> None:
    samples = gateway.demo["partner"]["samples"]
    given = {"name": samples["name"], "consentText": value, "aadhaarNo": samples["aadhaar"]}
    texts = [
        each if isinstance(each, str) else json.dumps(each, separators=(",", ":"))
        for each in given.values()
    ]
    answer = partner.http.post(
        f"{gateway.base_url}/gateway/ms/baas/api/aadhaar-verification",
        json=given,
        headers=partner.headers(texts),
    ).json()
    assert (answer["error_code"], "consentText" in answer["error"]) == ("110", True), answer
    assert CONSENT not in answer["error"]


@pytest.mark.parametrize(
    "body", [b"[" * 1_000 + b"]" * 1_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000]
)
def test_json_of_any_depth_is_no_fault_of_ours(
    gateway: RunningGateway, sender: Sender, body: bytes
) -> None:
    before = gateway.logged().count("Traceback")
    for path in (
        "/callbacks/sandbox",
        "/gateway/pay/v4/api/verify/",
        "/gateway/ms/baas/api/gst-verification",
    ):
        answer = sender.http.post(
            gateway.base_url + path, content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code < 500, path
    assert gateway.logged().count("Traceback") == before


def test_a_cookie_of_any_letters_signs_nobody_in_and_breaks_nothing(
    gateway: RunningGateway,
) -> None:
    before = gateway.logged().count("Traceback")
    with Console(gateway, "198.51.100.77") as stranger:
        form = {"email": "asha@demo.example", "password": "a wrong one"}
        raw = [
            (b"cookie", "hundi-known=é.é".encode("latin-1")),
            (b"origin", gateway.base_url.encode()),
        ]
        answer = stranger.http.post("/console/sign-in", data=form, headers=raw)
        assert answer.status_code < 500
    assert gateway.logged().count("Traceback") == before


@pytest.mark.parametrize("hosts", [b"", b"Host: a\r\nHost: b\r\n", b"host: a\r\nHOST: a\r\n"])
def test_a_request_has_one_host(gateway: RunningGateway, hosts: bytes) -> None:
    place = urlsplit(gateway.base_url)
    with closing(
        socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE_S)
    ) as connection:
        connection.sendall(b"GET /health/live HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
        assert connection.recv(64).startswith(b"HTTP/1.1 400")
