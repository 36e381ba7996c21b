"""What is noted of a step's calls: enough to see what happened, and nothing that is secret."""

import base64
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from hundi.acquirers.calls import exchanges
from hundi.acquirers.calls.exchanges import (
    EXCHANGES_MAX,
    ExchangeNotes,
    masked_body,
    noting,
)

CARD, AADHAAR = "4386289407660153", "496858245152"
KEY = "the key of the account"


def told(body: object) -> Any:
    return json.loads(masked_body(json.dumps(body).encode()))


def test_names_and_plain_values_are_told() -> None:
    body = {"order_id": "0-215000000000001", "amount": 200, "status": "captured", "paid": True}
    assert told(body) == body


@pytest.mark.parametrize(
    "secret",
    [
        {"card": {"number": CARD, "cvv": "123"}},
        {"notes": [f"paid with {CARD}"]},
        {"note": AADHAAR},
        {"client_secret": KEY},
        {"access_token": KEY},
        {"hash": KEY},
        {"checksumhash": KEY},
        {"encRequest": KEY},
        {"bank_account_number": KEY},
        {"beneficiary": {"vpa": KEY, "email": KEY, "phone": KEY}},
        {"payload": json.dumps({"key_secret": KEY})},
        {"number": int(CARD)},
        {"some": "x" * 48 + KEY.replace(" ", "")},
    ],
)
def test_no_secret_card_or_person_is_told(secret: object) -> None:
    text = masked_body(json.dumps(secret).encode())
    for value in (CARD, AADHAAR, KEY, KEY.replace(" ", "")):
        assert value not in text


@pytest.mark.parametrize(
    "person",
    [
        {"upi": {"upi_id": "KEY@okhdfcbank", "payer": "KEY@ok", "handle": "9876543210@ybl"}},
        {"pan_number": "KEY", "panNo": "KEY", "dob": "KEY", "birth_date": "KEY"},
        {"customer_name": "KEY", "name": "KEY", "address": "12 KEY Road"},
        {"account": "KEY", "accountId": "KEY", "accNo": "KEY", "acc_no": "KEY"},
        {"account": 9876543210, "msisdn": 9876543210, "customerPhone": 9876543210},
        {"description": "KEY@okhdfcbank, of 9876543210, is nobody"},
        {"id": "KEY@okhdfcbank"},
        {"KEY@okhdfcbank": True},
        ["KEY"],
        {"data": '{"name": "KEY"}'},
    ],
)
def test_a_value_is_told_by_a_known_name_alone(person: object) -> None:
    text = masked_body(json.dumps(person).encode())
    assert "KEY" not in text
    assert "9876543210" not in text


def test_what_says_how_a_call_ended_is_told() -> None:
    body = {
        "cf_payment_id": 5114910,
        "payment_status": "FAILED",
        "error": {"code": "BAD_REQUEST_ERROR", "description": "The amount of 0-215000000000001"},
        "created_at": 1762000000,
        "bank_reference": "412345678901",
    }
    assert told(body) == body


def test_a_form_keeps_its_names_and_anything_else_is_counted() -> None:
    assert json.loads(masked_body(b"txnid=0-215&hash=abc&amount=2.00")) == {
        "txnid": "0-215",
        "hash": "********",
        "amount": "2.00",
    }
    assert masked_body(b"<html><body>a page</body></html>") == "(32 bytes)"
    assert masked_body(b"eyJhbGciOiJkaXIifQ..sealed") == "(26 bytes)"
    assert masked_body(b"5NGbkMzFhMzI5NTA2Yz5NGbkMzFhMzI5NTA2Y2IxYjA4==") == "(46 bytes)"
    assert masked_body(b"\xff\xfe") == "(2 bytes)"
    assert masked_body(b"") == ""


def test_values_of_the_account_are_hidden_wherever_they_stand() -> None:
    notes = ExchangeNotes([KEY, "10001"])
    with noting(notes):
        exchanges.note("GET", "/v1/10001/orders?token=1", b"", 200, b'{"message": "10001 is ours"}')
    (one,) = notes.noted
    assert (one.path, one.answer) == ("/v1/********/orders", '{"message": "******** is ours"}')


def test_values_of_the_account_are_hidden_in_every_spelling() -> None:
    secret = 'a "key" / of+them?'
    spelt = [quote(secret, safe=""), quote_plus(secret), base64.b64encode(secret.encode()).decode()]
    notes = ExchangeNotes([secret])
    for each in (secret, *spelt):
        answer = json.dumps({"message": f"no {each} here"}).encode()
        notes.note("GET", f"/v1/{each.replace('?', '')}", b"", 400, answer)
        assert notes.words(f"said: {each}.") == f"said: {'*' * 8}{'=' * each.count('=')}."
    for each in notes.noted:
        assert "no ******** here" in each.answer.replace("=", "")
        assert not any(one in each.path for one in spelt)


def test_a_path_names_nobody() -> None:
    notes = ExchangeNotes([])
    notes.note("GET", "/v1/vpa/rahul%40okhdfcbank/rahul@ok", b"", 200, b"")
    assert notes.noted[0].path == "/v1/vpa/********/********"


def test_only_what_is_called_within_is_noted_and_a_repeat_once() -> None:
    notes = ExchangeNotes([])
    exchanges.note("GET", "/before", b"", 200, b"{}")
    with noting(notes):
        for _ in range(3):
            exchanges.note("GET", "/same", b"", 200, b"{}")
        for number in range(2 * EXCHANGES_MAX):
            exchanges.note("GET", f"/{number}", b"", 0, b"")
    exchanges.note("GET", "/after", b"", 200, b"{}")
    assert [each.path for each in notes.noted[:2]] == ["/same", "/0"]
    assert len(notes.noted) == EXCHANGES_MAX
