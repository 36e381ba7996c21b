"""What is noted of a step's calls: enough to see what happened, and nothing that is secret."""

import json
from typing import Any

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
        exchanges.note("GET", "/v1/10001/orders?token=1", b"", 200, b'{"said": "10001 is ours"}')
    (one,) = notes.noted
    assert (one.path, one.answer) == ("/v1/********/orders", '{"said": "******** is ours"}')


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
