"""What a partner's SDK makes of replies, the specification's bare ones included."""

import json
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from hundi.sdk import Gateway
from hundi.sdk.errors import InvalidRequestError, UnreadableReplyError
from hundi.sdk.partner import (
    AsyncPartnerClient,
    PartnerClient,
    PartnerCredentials,
    PartnerRefusedError,
)
from hundi.sdk.partner_calls import OtpSent, PartnerCalls
from hundi.wire.partner.table import OPERATIONS

KEYS = PartnerCredentials(
    affiliate="AF000001", api_key="a", processor_key="p", secret="s", card_token="0123456789"
)


class Licensed(ThreadingHTTPServer):
    """A provider that knows the specification and nothing of ours; answers what it is told to."""

    daemon_threads = True
    reply: bytes = b""
    asked: tuple[str, bytes] = ("", b"")


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Licensed)
        body = self.rfile.read(int(self.headers["content-length"]))
        server.asked = self.headers["content-type"], body
        self.send_response(200)
        self.send_header("content-length", str(len(server.reply)))
        self.send_header("x-request-id", "req_4711")
        self.end_headers()
        self.wfile.write(server.reply)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def provider() -> Iterator[Licensed]:
    with Licensed(("127.0.0.1", 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(provider: Licensed) -> Iterator[PartnerClient]:
    with PartnerClient(
        KEYS, Gateway(base_url=f"http://127.0.0.1:{provider.server_port}")
    ) as opened:
        yield opened


def test_every_operation_has_a_call() -> None:
    called = {name for name in vars(PartnerCalls) if not name.startswith("_")} - {"opened"}
    assert {each.method for each in OPERATIONS} == called


@pytest.mark.parametrize(
    ("reply", "words", "code"),
    [
        ({"status": 400, "message": "Failed", "data": ""}, "Failed", ""),
        (
            {"status": "400", "message": "Failed", "data": {"error": "fname is required"}},
            "fname is required",
            "",
        ),
        ({"status": 502, "message": []}, "refused", ""),
        ({"status": 502, "message": [], "data": []}, "refused", ""),
        (
            {"status": 400, "message": "Failed", "data": "", "error": "No", "error_code": "110"},
            "No",
            "110",
        ),
    ],
)
def test_a_bare_refusal_is_a_refusal(
    client: PartnerClient, provider: Licensed, reply: dict[str, Any], words: str, code: str
) -> None:
    provider.reply = json.dumps(reply).encode()
    with pytest.raises(PartnerRefusedError) as refused:
        client.ask(client.calls.registration("27AAPFU0939F1ZV"))
    assert (refused.value.message, refused.value.code, refused.value.problems) == (words, code, ())
    assert refused.value.reference_id == "req_4711"


@pytest.mark.parametrize(
    "reply", [b"", b"[]", b'{"status":"x"}', b'{"message":"Failed"}', b'{"status":400,"data":5}']
)
def test_what_is_no_reply_is_said_to_be_none(
    client: PartnerClient, provider: Licensed, reply: bytes
) -> None:
    provider.reply = reply
    with pytest.raises(UnreadableReplyError):
        client.ask(client.calls.registration("27AAPFU0939F1ZV"))


def test_the_documented_spelling_of_a_request_id_is_read(
    client: PartnerClient, provider: Licensed
) -> None:
    provider.reply = b'{"status":"200","message":"success","requstId":"abc","gateway_txn_id":"77"}'
    assert client.ask(client.calls.request_otp("999900000016")) == OtpSent("abc", 77)


CHECK = {"ageBand": "30-40", "gender": "F", "state": "Goa", "mobile": ""}


@pytest.mark.parametrize("missing", CHECK)
def test_a_reply_that_lacks_a_field_is_none(
    client: PartnerClient, provider: Licensed, missing: str
) -> None:
    data = {name: value for name, value in CHECK.items() if name != missing}
    provider.reply = json.dumps({"status": 200, "message": "success", "data": data}).encode()
    with pytest.raises(UnreadableReplyError):
        client.ask(client.calls.check_holder("999900000016", "Asha Rao", "yes"))


def test_a_lead_may_be_taken_in_without_notes(client: PartnerClient, provider: Licensed) -> None:
    provider.reply = b'{"status":200,"message":"Success","data":{"message":"Taken","lead_id":5}}'
    taken = client.ask(client.calls.send_lead({"basic_info": {"lname": "Iyer"}}))
    assert (taken.lead_id, taken.message, taken.notes) == (5, "Taken", ())


def test_an_amount_that_nobody_may_send_is_refused_unsent(client: PartnerClient) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        client.calls.calculate(0, profit=10, rate=18, same_state=False)
    assert refused.value.field == "cost"


def test_amounts_of_a_reply_may_be_longer_than_those_of_a_request(
    client: PartnerClient, provider: Licensed
) -> None:
    gst = {"sgst": "", "cgst": "", "igst": "1234567890123.45"}
    one = {"amount": "99999999990000.00", "gst": gst}
    data = {"cost": one, "profit": one, "total_gst": "0.00", "total_amount": "99999999990000.05"}
    provider.reply = json.dumps({"status": 200, "message": "success", "data": data}).encode()
    found = client.ask(
        client.calls.calculate(1_00, profit=10, rate=Decimal("5.5"), same_state=False)
    )
    assert found.cost.igst_paise == 123_456_789_012_345
    assert found.total_paise == 9_999_999_999_000_005
    assert provider.asked[1] == b"cost=1.00&profit=10&gst=5.5&same_state=N"


def test_a_consent_is_sent_as_json_which_needs_no_escapes(
    client: PartnerClient, provider: Licensed
) -> None:
    provider.reply = json.dumps({"status": 200, "message": "success", "data": CHECK}).encode()
    assert client.ask(client.calls.check_holder("999900000016", "Asha Rao", "सहमति")).state == "Goa"
    assert (provider.asked[0], json.loads(provider.asked[1])["consentText"]) == (
        "application/json",
        "सहमति",
    )
    assert "सहमति".encode() in provider.asked[1]


async def test_the_asynchronous_client_closes_what_it_opened(provider: Licensed) -> None:
    provider.reply = b'{"status":400,"message":"Failed","data":""}'
    gateway = Gateway(base_url=f"http://127.0.0.1:{provider.server_port}")
    async with AsyncPartnerClient(KEYS, gateway) as client:
        with pytest.raises(PartnerRefusedError):
            await client.ask(client.calls.cards("CUST1"))
    with pytest.raises(RuntimeError):
        await client.ask(client.calls.cards("CUST1"))
