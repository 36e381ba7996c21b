"""Token issuance under bad input.

Each refusal is coded, readable for every known reader, and gives nothing away.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.system.conftest import NewMerchant
from tests.system.envelopes import API, TOKEN, Body, Merchant, Reply, Sender, form
from tests.system.running import RunningGateway

pytestmark = pytest.mark.usefixtures("books_hold")
PATH = "/gateway" + API + TOKEN
INVALID_CREDENTIALS = "Invalid client id or secret"
Changes = Mapping[str, Any]


@pytest.fixture(scope="module")
def merchant(new_merchant: NewMerchant) -> Merchant:
    """A merchant whose failures are nobody else's."""
    return new_merchant("Token House")


def tokens_of(gateway: RunningGateway, merchant: Merchant) -> int:
    return gateway.value(
        "SELECT count(*) FROM access_tokens WHERE merchant_id = $1", merchant.number
    )


def assert_refused(reply: Reply, code: str) -> None:
    """The form of a refusal that every known client reads.

    See docs/spec/payment-interfaces.md#token-refusal.
    """
    assert reply.status == 200
    assert reply.headers["content-type"].partition(";")[0] == "application/json"
    envelope = reply.envelope
    assert envelope["status_code"] == "400"
    assert (envelope["response_code"], envelope["error_code"]) == (code, code)
    assert (envelope["status"], envelope["success"]) == ("fail", False)
    assert envelope["message"] == envelope["msg"] == envelope["data"]["msg"]
    assert envelope["data"] == {"success": False, "msg": envelope["message"]}
    assert list(envelope)[-2:] == ["message", "data"]
    assert envelope["request_id"] == reply.headers["x-request-id"]


def test_a_token_is_a_flat_object_and_stored_as_a_hash_only(
    gateway: RunningGateway, sender: Sender, merchant: Merchant
) -> None:
    reply = sender.ask_token(merchant, merchant.token_request)
    assert reply.status == 200
    assert list(reply.envelope) == [
        "status_code",
        "status",
        "response_code",
        "request_id",
        "message",
        "data",
    ]
    assert (reply.envelope["status_code"], reply.envelope["status"], reply.code) == (
        "200",
        "success",
        "00",
    )
    assert list(reply.data) == ["access_token", "expires_in", "scope"]
    assert (type(reply.data["expires_in"]), reply.data["expires_in"], reply.data["scope"]) == (
        int,
        300,
        None,
    )
    token = reply.data["access_token"]
    assert len(token) == 40
    assert set(token) <= set("0123456789abcdef")
    kept = gateway.rows("SELECT * FROM access_tokens WHERE merchant_id = $1", merchant.number)
    assert token not in repr(kept)
    assert token.encode() not in b"".join(row["token_hash"] for row in kept)


def test_several_tokens_live_at_once_and_each_is_used_again(
    sender: Sender, merchant: Merchant
) -> None:
    tokens = {
        sender.ask_token(merchant, merchant.token_request).data["access_token"] for _ in range(3)
    }
    assert len(tokens) == 3
    for token in [*tokens, *tokens]:
        assert sender.verify(merchant, {"orderid": "nothing"}, token=token).code == "503"


@pytest.mark.parametrize(
    "given",
    [
        "1",
        "999999999999",
        "0",
        "-5",
        "abc",
        "1e5",
        "१२३",
        "9" * 40,
        "10001\0",
        "'; drop table merchants; --",
    ],
)
def test_an_unknown_merchant_is_501_and_answered_in_plain(
    sender: Sender, merchant: Merchant, given: str
) -> None:
    reply = sender.ask_token(merchant, merchant.token_request, merchant_id=given)
    assert_refused(reply, "501")
    assert reply.message.startswith("Invalid merchant id")
    assert "response" not in reply.outer


@pytest.mark.parametrize("missing", ["merchant_id", "encdata"])
def test_a_missing_outer_field_is_101_and_named(
    sender: Sender, merchant: Merchant, missing: str
) -> None:
    for left in (None, ""):
        reply = sender.ask_token(merchant, merchant.token_request, **{missing: left})
        assert_refused(reply, "101")
        assert f"{missing} is missing" in reply.message


@pytest.mark.parametrize(
    ("wrong", "value"),
    [
        ("client_id", "cid-nobody"),
        ("client_secret", "oauth-nothing"),
        ("client_secret", "THE-API-SECRET"),
        ("client_id", "आशा"),
        ("client_secret", "😀"),
    ],
)
def test_wrong_credentials_are_903_whichever_was_wrong(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant, wrong: str, value: str
) -> None:
    merchant = new_merchant()
    sent = merchant.secret if value == "THE-API-SECRET" else value
    reply = sender.ask_token(merchant, merchant.token_request | {wrong: sent})
    assert_refused(reply, "903")
    assert reply.message == INVALID_CREDENTIALS
    assert sent not in reply.text
    assert tokens_of(gateway, merchant) == 0
    # The reply does not say which; the merchant's own log does.
    (kept,) = gateway.operate("refusal", "list", merchant.merchant_id, reply.envelope["request_id"])
    assert (kept["code"], kept["operation"]) == ("credentials_wrong", "token")
    assert wrong in kept["detail"]
    assert ("API secret" in kept["detail"]) == (value == "THE-API-SECRET")
    assert sent not in kept["detail"]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"client_id": ...}, "client_id", "is missing"),
        ({"client_id": ""}, "client_id", "is missing"),
        ({"client_id": None}, "client_id", "is missing"),
        ({"client_id": "c" * 21}, "client_id", "at most 20 characters"),
        ({"client_id": "c\u0007d"}, "client_id", "no control characters"),
        ({"client_secret": ...}, "client_secret", "1 to 200 characters"),
        ({"client_secret": "s" * 201}, "client_secret", "1 to 200 characters"),
        ({"grant_type": ...}, "grant_type", "is missing"),
        ({"grant_type": "password"}, "grant_type", "client_credentials"),
        ({"grant_type": "g" * 51}, "grant_type", "client_credentials"),
        ({"merchant_id": ...}, "merchant_id", "is missing"),
        ({"merchant_id": "7"}, "merchant_id", "the outer merchant_id"),
        ({"merchant_id": "1" * 21}, "merchant_id", "1 to 20 digits"),
        ({"merchant_id": "१०"}, "merchant_id", "1 to 20 digits"),
        ({"merchant_id": ["1"]}, "merchant_id", "text or a number"),
        ({"merchant_id": True}, "merchant_id", "text or a number"),
    ],
)
def test_a_bad_field_is_110_and_says_what_is_allowed(
    gateway: RunningGateway,
    sender: Sender,
    merchant: Merchant,
    changes: Changes,
    field: str,
    words: str,
) -> None:
    before = tokens_of(gateway, merchant)
    asked = {
        name: value
        for name, value in (merchant.token_request | changes).items()
        if value is not ...
    }
    reply = sender.ask_token(merchant, json.dumps(asked))
    assert_refused(reply, "110")
    assert f"{field} " in reply.message
    assert words in reply.message
    assert "s" * 201 not in reply.text
    assert merchant.client_secret not in reply.text
    assert tokens_of(gateway, merchant) == before


def test_the_merchant_id_inside_may_be_a_number_as_the_specification_has_it(
    sender: Sender, merchant: Merchant
) -> None:
    assert (
        sender.ask_token(merchant, merchant.token_request | {"merchant_id": merchant.number}).code
        == "00"
    )


def damaged(merchant: Merchant) -> dict[str, str]:
    """Return `encdata` damaged in every way there is."""
    good = merchant.sealed(merchant.token_request)
    last = "A" if good[-5] != "A" else "B"
    twice = (
        '{"client_id":"a","client_id":"b","client_secret":"c","merchant_id":"1",'
        '"grant_type":"client_credentials"}'
    )
    return {
        "no base64": good[:16] + "!" * 44,
        "cut in a block": good[:-8],
        "no ciphertext": good[:16],
        "shorter than an IV": "abc",
        "IV not ASCII": "आ" * 16 + good[16:],
        "padding": good[:-5] + last + good[-4:],
        "another key": Merchant.of({**vars(merchant), "password": "other"}).sealed(
            merchant.token_request
        ),
        "not JSON": merchant.sealed("client_id=a"),
        "JSON cut": merchant.sealed('{"client_id":"a'),
        "an array": merchant.sealed('["client_id"]'),
        "a number": merchant.sealed("5"),
        "null": merchant.sealed("null"),
        "a key twice": merchant.sealed(twice),
        "a key twice inside": merchant.sealed('{"a":{"b":1,"b":2}}'),
        "not UTF-8": merchant.sealed(b'{"client_id":"\xff\xfe"}'),
        "half a surrogate pair": merchant.sealed('{"client_id":"\\ud83d"}'),
        "too deep": merchant.sealed('{"a":' * 40 + "1" + "}" * 40),
        "NaN": merchant.sealed('{"client_id":NaN}'),
        "nothing at all": merchant.sealed(""),
    }


def test_every_damage_to_encdata_gets_one_and_the_same_answer(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    """No padding oracle: the replies differ in their reference ids only."""
    answers: dict[str, dict[str, Any]] = {}
    for name in damaged(new_merchant("Count")):
        merchant = new_merchant(f"Damage: {name}")
        reply = sender.ask_token(merchant, "", encdata=damaged(merchant)[name])
        assert_refused(reply, "102")
        answers[name] = reply.envelope | {"request_id": ""}
        # Not even the request log knows which it was: it could not tell without an oracle of its
        # own.
        (kept,) = gateway.operate("refusal", "list", merchant.merchant_id)
        assert (kept["code"], kept["detail"]) == ("encdata_unreadable", "")
        assert tokens_of(gateway, merchant) == 0
    assert len({json.dumps(each) for each in answers.values()}) == 1


@pytest.mark.parametrize("given", ["0" * 64, "deadbeef", "12345", "आशा", "\0", "x" * 5000])
def test_a_wrong_checksum_is_103_and_explained_in_the_merchants_log_only(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant, given: str
) -> None:
    merchant = new_merchant()
    reply = sender.ask_token(merchant, merchant.token_request, checksum=given)
    assert_refused(reply, "103")
    assert reply.message == "The checksum does not match the data"
    (kept,) = gateway.operate("refusal", "list", merchant.merchant_id, reply.envelope["request_id"])
    assert "v4-ist" in kept["detail"]
    assert merchant.client_id in kept["detail"]
    assert merchant.client_secret not in kept["detail"]
    assert tokens_of(gateway, merchant) == 0


def test_a_checksum_may_be_left_out(sender: Sender, merchant: Merchant) -> None:
    assert sender.ask_token(merchant, merchant.token_request, checksum=None).code == "00"


@pytest.mark.parametrize("size", [65_537, 1_048_576, 5_000_000])
def test_a_body_over_64_kib_is_413_in_an_envelope(
    sender: Sender, merchant: Merchant, size: int
) -> None:
    outer = merchant.envelope(merchant.token_request, privatekey=None)
    body = form(outer).content + b"&padding="
    reply = sender.post(
        PATH, Body(body + b"x" * (size - len(body)), "application/x-www-form-urlencoded"), merchant
    )
    assert_refused(reply, "413")
    assert "65536 bytes" in reply.message


def test_a_body_of_exactly_64_kib_is_read(sender: Sender, merchant: Merchant) -> None:
    body = form(merchant.envelope(merchant.token_request, privatekey=None)).content + b"&padding="
    whole = Body(body + b"x" * (65_536 - len(body)), "application/x-www-form-urlencoded")
    assert sender.post(PATH, whole, merchant).code == "00"


@pytest.mark.parametrize(
    ("content_type", "content", "words"),
    [
        ("text/plain", b"merchant_id=1", "the content type is none of"),
        ("application/xml", b"<merchant_id/>", "the content type is none of"),
        ("application/octet-stream", b"\x00\xff", "the content type is none of"),
        ("application/json", b'{"merchant_id":', "is not a JSON object"),
        ("application/json", b'["merchant_id"]', "is not a JSON object"),
        ("application/json", b'{"merchant_id":"1","merchant_id":"2"}', "twice"),
        ("application/json", b"\xff\xfe", "is not a JSON object"),
        ("multipart/form-data", b"--x", "multipart"),
        ("multipart/form-data; boundary=x", b"not multipart", "multipart"),
        (
            "application/x-www-form-urlencoded",
            b"merchant_id=1&merchant_id=2&encdata=x",
            "came twice",
        ),
        (
            "application/x-www-form-urlencoded",
            b"&".join(b"f%d=1" % n for n in range(100)),
            "more than 64",
        ),
        ("application/x-www-form-urlencoded", b"", "merchant_id is missing"),
        ("", b"", "merchant_id is missing"),
    ],
)
def test_a_body_that_is_no_envelope_is_101_and_says_why(
    sender: Sender, merchant: Merchant, content_type: str, content: bytes, words: str
) -> None:
    reply = sender.post(PATH, Body(content, content_type), merchant)
    assert_refused(reply, "101")
    assert words in reply.message


def test_a_suspended_merchant_is_131_until_it_is_brought_back(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Stopped")
    gateway.operate("merchant", "suspend", merchant.merchant_id)
    reply = sender.ask_token(merchant, merchant.token_request)
    assert_refused(reply, "131")
    gateway.operate("merchant", "resume", merchant.merchant_id)
    assert sender.ask_token(merchant, merchant.token_request).code == "00"
