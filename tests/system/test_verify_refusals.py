"""Verify under bad input.

Every refusal coded and in an envelope, nothing stored, nothing told of anybody else.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant
from tests.system.envelopes import (
    API,
    BUYER,
    VERIFY,
    Body,
    Merchant,
    Reply,
    Sender,
    form,
    json_body,
    order,
)
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id

pytestmark = pytest.mark.usefixtures("books_hold")
PATH = "/gateway" + API + VERIFY


@pytest.fixture(scope="module")
def order_id(shop: Shop) -> str:
    """An order of the shop that nobody has paid."""
    with Browser() as browser:
        known = new_order_id("V")
        shop.open_page(browser, known)
    return known


@pytest.fixture(scope="module")
def mixed_up(new_merchant: NewMerchant) -> Merchant:
    """A merchant that has not proved itself: of its refusals only each minute's first are kept."""
    return new_merchant("Mixed Up")


def assert_refused(reply: Reply, code: str) -> None:
    """The shape of a failure (docs/spec/payment-interfaces.md#errors)."""
    assert reply.status == 200
    assert reply.headers["content-type"].partition(";")[0] == "application/json"
    envelope = reply.envelope
    # Clients branch on this one code where all others say 400.
    status = "108" if code == "108" else "400"
    assert list(envelope) == [
        "status_code",
        "status",
        "response_code",
        "request_id",
        "message",
        "data",
    ]
    assert (envelope["status_code"], envelope["status"], envelope["response_code"]) == (
        status,
        "fail",
        code,
    )
    assert envelope["data"] == []
    assert envelope["message"]
    assert envelope["request_id"] == reply.headers["x-request-id"]


def test_verify_of_nothing_says_that_a_reference_is_needed(sender: Sender, shop: Shop) -> None:
    for payload in ({}, {"orderid": ""}, {"orderid": None, "rrn": ""}, {"something": "else"}):
        reply = sender.verify(shop.merchant, payload)
        assert_refused(reply, "110")
        assert "orderid is missing" in reply.message
        assert "at least one of orderid, ap_transactionid, rrn" in reply.message


@pytest.mark.parametrize(
    "payload",
    [
        {"orderid": "T-unknown"},
        {"ap_transactionid": "217000000000001"},
        {"ap_transactionid": 217000000000001},
        {"ap_transactionid": "9" * 20},
        {"rrn": "632400000000"},
        {"rrn": "आशा"},
        {"orderid": "KNOWN", "rrn": "632400000000"},
        {"orderid": "KNOWN", "ap_transactionid": "217000000000001"},
        {"orderid": "T-unknown", "ap_transactionid": "KNOWN"},
    ],
)
def test_unknown_references_and_references_that_disagree_are_503(
    sender: Sender, shop: Shop, order_id: str, payload: dict[str, Any]
) -> None:
    known = {"orderid": order_id, "ap_transactionid": str(shop.payment(order_id)["payment_id"])}
    asked = {name: known[name] if value == "KNOWN" else value for name, value in payload.items()}
    reply = sender.verify(shop.merchant, asked)
    assert_refused(reply, "503")
    assert reply.message == "No records found"


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"orderid": "a b"}, "orderid"),
        ({"orderid": "a/b"}, "orderid"),
        ({"orderid": "o" * 65}, "orderid"),
        ({"orderid": "ऑर्डर"}, "orderid"),
        ({"orderid": "😀"}, "orderid"),
        ({"orderid": "a\u0000"}, "orderid"),
        ({"orderid": "a\n"}, "orderid"),
        ({"orderid": ["a"]}, "orderid"),
        ({"orderid": {"a": 1}}, "orderid"),
        ({"orderid": True}, "orderid"),
        ({"ap_transactionid": "-1"}, "ap_transactionid"),
        ({"ap_transactionid": "1e3"}, "ap_transactionid"),
        ({"ap_transactionid": "१२३"}, "ap_transactionid"),
        ({"ap_transactionid": "1" * 21}, "ap_transactionid"),
        ({"ap_transactionid": "1; select 1"}, "ap_transactionid"),
        ({"rrn": "r" * 36}, "rrn"),
        ({"rrn": "1\u202e2"}, "rrn"),
        ({"orderid": "a", "merchant_id": "1x"}, "merchant_id"),
        ({"orderid": "a", "merchant_id": "7"}, "merchant_id"),
        ({"orderid": "a", "amount": "1.00"}, "amount"),
        ({"orderid": "a", "Amount": "1.00"}, "Amount"),
        ({"orderid": "a", "buyer_email": "x"}, "buyer_email"),
        ({"orderid": "a", "buyerPhone": "x"}, "buyerPhone"),
        ({"orderid": "a", "buyer\u0000\u0007": "x"}, "buyer"),
        (order("a"), "amount"),
    ],
)
def test_a_bad_field_is_110_and_says_which_what_came_and_what_is_allowed(
    gateway: RunningGateway, sender: Sender, shop: Shop, payload: dict[str, Any], field: str
) -> None:
    reply = sender.verify(shop.merchant, payload)
    assert_refused(reply, "110")
    assert f"; {field}" in reply.message
    assert "; allowed: " in reply.message
    (kept,) = gateway.operate(
        "refusal", "list", shop.merchant.merchant_id, reply.envelope["request_id"]
    )
    assert (kept["code"], kept["operation"], kept["address"]) == (
        "field_invalid",
        "verify",
        "127.0.0.1",
    )


@pytest.mark.parametrize(
    "payload",
    [
        {"orderid": "\x1b[31m\u202e" + "x" * 500},
        {"orderid": "a", "buyer\x1b\u202e" + "x" * 500: ""},
    ],
)
def test_control_characters_come_back_escaped_and_cut(
    sender: Sender, shop: Shop, payload: dict[str, str]
) -> None:
    message = sender.verify(shop.merchant, payload).message
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert "\\u001b" in message
    assert len(message) < 300


@pytest.mark.parametrize("token", ["", "0" * 40, "not a token", "आशा", "' or 1=1 --", "x" * 4000])
def test_a_token_nobody_was_given_is_104(
    sender: Sender, shop: Shop, order_id: str, token: str
) -> None:
    reply = sender.verify(shop.merchant, {"orderid": order_id}, token=token)
    assert_refused(reply, "104")
    # The privatekey is right, so the reply is sealed, too; without it nothing is.
    assert "response" in reply.outer
    assert "token" in reply.message
    stranger = sender.verify(shop.merchant, {"orderid": order_id}, token=token, privatekey="0" * 64)
    assert_refused(stranger, "104")
    assert "response" not in stranger.outer


def test_no_token_at_all_is_104(sender: Sender, shop: Shop, order_id: str) -> None:
    assert_refused(
        sender.post(PATH, form(shop.merchant.envelope({"orderid": order_id})), shop.merchant), "104"
    )


def wrong_keys(merchant: Merchant) -> Mapping[str, str | None]:
    other = Merchant.of({**vars(merchant), "secret": merchant.client_secret})
    swapped = Merchant.of(
        {**vars(merchant), "username": merchant.password, "password": merchant.username}
    )
    return {
        "missing": None,
        "empty": "",
        "no hex": "x",
        "another": "0" * 64,
        "of the OAuth client secret": other.privatekey,
        "of username and password swapped": swapped.privatekey,
        "with a byte that is no ASCII": "é" * 64,
    }


@pytest.mark.parametrize("mistake", wrong_keys(Merchant(*"1abcde", webhook_key="f")))
def test_a_wrong_privatekey_is_108_and_the_usual_mix_ups_are_named_in_the_log(
    gateway: RunningGateway, sender: Sender, mixed_up: Merchant, mistake: str
) -> None:
    reply = sender.verify(mixed_up, {"orderid": "x"}, privatekey=wrong_keys(mixed_up)[mistake])
    assert_refused(reply, "108")
    assert reply.message == "Merchant key authentication failed"
    assert "response" not in reply.outer
    (kept,) = gateway.operate("refusal", "list", mixed_up.merchant_id, reply.envelope["request_id"])
    hint = {
        "of the OAuth client secret": "OAuth client secret",
        "of username and password swapped": "swapped",
        "missing": "missing",
    }
    assert hint.get(mistake, "privatekey") in kept["detail"]


def test_privatekey_counts_in_either_case(sender: Sender, shop: Shop) -> None:
    assert (
        sender.verify(
            shop.merchant, {"orderid": "x"}, privatekey=shop.merchant.privatekey.upper()
        ).code
        == "503"
    )


DAMAGES: Mapping[str, Callable[[Merchant], str]] = {
    "no base64": lambda merchant: merchant.sealed({"orderid": "a"})[:16] + "%" * 24,
    "half a block": lambda merchant: merchant.sealed({"orderid": "a"})[:-4],
    "padding": lambda merchant: (
        merchant.sealed({"orderid": "a" * 40})[:60] + "AAAAAAAAAAAAAAAAAAAAAA=="
    ),
    "no JSON": lambda merchant: merchant.sealed("orderid=a"),
    "an array": lambda merchant: merchant.sealed('[{"orderid":"a"}]'),
    "a key twice": lambda merchant: merchant.sealed('{"orderid":"a","orderid":"b"}'),
    "the same key twice": lambda merchant: merchant.sealed('{"orderid":"a","orderid":"a"}'),
    "an escaped key twice": lambda merchant: merchant.sealed('{"orderid":"a","order\\u0069d":"b"}'),
}


def test_after_decryption_every_failure_reads_the_same(sender: Sender, shop: Shop) -> None:
    replies = [
        sender.verify(shop.merchant, "", encdata=damage(shop.merchant))
        for damage in DAMAGES.values()
    ]
    for reply in replies:
        assert_refused(reply, "102")
        assert reply.message == "encdata could not be read"
    assert len({json.dumps(reply.envelope | {"request_id": ""}) for reply in replies}) == 1
    # Whoever sealed with another key cannot open ours.
    assert not any("response" in reply.outer for reply in replies)


def test_a_checksum_is_checked_when_it_is_sent(sender: Sender, shop: Shop, order_id: str) -> None:
    assert sender.verify(shop.merchant, {"orderid": order_id}, checksum=None).code == "00"
    reply = sender.verify(shop.merchant, {"orderid": order_id}, checksum="0" * 64)
    assert_refused(reply, "103")
    assert reply.message == "The checksum does not match the data"


def test_a_sandbox_merchant_is_told_that_verify_is_for_live_ones(
    sender: Sender, sandbox: Merchant
) -> None:
    reply = sender.verify(sandbox, {"orderid": "x"})
    assert_refused(reply, "130")
    assert reply.message == "This operation works with a live merchant id only"


def test_a_suspended_merchant_is_told_so_with_a_token_it_had(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Paused")
    sender.token(merchant)
    gateway.operate("merchant", "suspend", merchant.merchant_id)
    assert_refused(sender.verify(merchant, {"orderid": "x"}), "131")
    # Who cannot open the envelope is told what anybody is told.
    stranger = replace(merchant, username="somebody")
    assert_refused(sender.verify(stranger, {"orderid": "x"}, privatekey=merchant.privatekey), "102")
    gateway.operate("merchant", "resume", merchant.merchant_id)
    assert_refused(sender.verify(merchant, {"orderid": "x"}), "503")


def test_rotated_secrets_stop_to_count_and_new_ones_count_at_once(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Rotated")
    token = sender.token(merchant)
    fresh = Merchant.of(gateway.operate("merchant", "rotate", merchant.merchant_id, "secret"))
    assert fresh.secret != merchant.secret
    assert_refused(sender.verify(merchant, {"orderid": "x"}, token=token), "108")
    assert_refused(sender.verify(fresh, {"orderid": "x"}, token=token), "503")
    revoked = Merchant.of(
        gateway.operate("merchant", "rotate", merchant.merchant_id, "client_secret")
    )
    assert_refused(sender.verify(revoked, {"orderid": "x"}, token=token), "104")
    assert sender.ask_token(fresh, fresh.token_request).code == "903"
    assert sender.ask_token(revoked, revoked.token_request).code == "00"


def test_an_unknown_merchant_is_501_before_anything_else_is_looked_at(
    sender: Sender, shop: Shop
) -> None:
    reply = sender.verify(
        shop.merchant, "no JSON", token="nothing", privatekey="nothing", merchant_id="77"
    )
    assert_refused(reply, "501")
    assert "merchant_id was '77'" in reply.message


@pytest.mark.parametrize("encode", [form, json_body])
def test_a_body_of_a_megabyte_is_413(
    sender: Sender, shop: Shop, encode: Callable[[dict[str, str]], Body]
) -> None:
    body = encode(shop.merchant.envelope({"orderid": "x" * 1_000_000}))
    reply = sender.post(PATH, body, shop.merchant, token=sender.token(shop.merchant))
    assert_refused(reply, "413")


def test_a_stream_without_a_length_is_held_to_the_same_limit(sender: Sender, shop: Shop) -> None:
    pieces = (b"x" * 10_000 for _ in range(100))
    answer = sender.http.post(
        sender.base_url + PATH, content=pieces, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 200
    assert answer.json()["response_code"] == "413"


def test_what_is_refused_stores_no_payment(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Nothing Stored")
    for payload in ("no JSON", {}, {"orderid": "a"}, order("a"), {"orderid": "a", **BUYER}):
        assert sender.verify(merchant, payload).envelope["status"] == "fail"
    for table in ("payments", "attempts", "payment_events", "ledger_postings", "deliveries"):
        assert (
            gateway.value(f"SELECT count(*) FROM {table} WHERE merchant_id = $1", merchant.number)
            == 0
        )
