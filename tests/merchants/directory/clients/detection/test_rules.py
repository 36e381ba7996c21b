"""What one message of a client shows of its kind."""

import pytest

from hundi.merchants.directory.clients.detection.rules import (
    RecordedAnswer,
    RecordedRequest,
    commands_of,
    kinds_of,
    of_answer,
    of_request,
)
from hundi.merchants.directory.clients.rules import CLIENTS

ORDER = {"mercid": "1", "buyerEmail": "a@b.co", "orderid": "O", "amount": "1.00"}


def request(path: str = "", **fields: str) -> RecordedRequest:
    return RecordedRequest(path, path.startswith("/pay/"), "encdata" in fields, {**ORDER, **fields})


@pytest.mark.parametrize(
    ("recorded", "kinds"),
    [
        (request("/pay/index.php", checksum="a" * 64), ("kit-3",)),
        (request(checksum="a" * 64), ("kit-3",)),
        (request("/pay/index.php", checksum="a" * 32), ("kit-2",)),
        (request("/pay/index.php", checksum="a" * 64, merchant_txnId="O"), ("kit-2",)),
        (request("/pay/index.php", checksum="a" * 40), ()),
        (request(encdata="x", checksum="a" * 64), ("standard",)),
        (RecordedRequest("/x", is_of_kit=False, sealed=False, fields={}), ()),
    ],
)
def test_a_request_shows_its_kind(recorded: RecordedRequest, kinds: tuple[str, ...]) -> None:
    signs = of_request(recorded)
    assert kinds_of(signs) == kinds
    assert all(sign.reason for sign in signs)
    assert set(kinds) <= set(CLIENTS)


def test_the_settings_beside_the_kind_are_commands() -> None:
    fields = {
        "checksum": "a" * 64,
        "ReturnURL": "https://s/a b;x",
        "sb_nextrundate": "25/12/2026",
        "isocurrency": "usd",
    }
    assert commands_of(of_request(request("/pay/index.php", **fields))) == (
        "hundi merchant set ID --client kit-3",
        "hundi merchant senders ID --operation-address ADDRESS_OF_THE_SERVER",
        "hundi merchant set ID --success-url 'https://s/a b;x' --failure-url 'https://s/a b;x'",
        "hundi merchant dates ID day-first",
        "hundi merchant currencies ID INR USD",
    )


@pytest.mark.parametrize(
    ("status", "body", "kinds"),
    [
        (302, "", ("woocommerce",)),
        (200, "ok", ()),
        (500, "PHP Notice: Undefined index: TRANSACTIONID in x.php", ("form",)),
        (200, "Variable(s) TRANSACTIONID is/are empty.", ("form",)),
        (500, "KeyError: 'APTRANSACTIONID'", ("form",)),
        (500, "trim(): Argument #1 must be of type string, int given", ("text",)),
        (500, "TypeError: status.toLowerCase is not a function", ("text",)),
        (500, "SyntaxError: Unexpected token M in JSON at position 0", ("plain-json",)),
        (302, 'Undefined array key "TRANSACTIONSTATUS"', ("woocommerce", "form")),
    ],
)
def test_an_answer_shows_what_its_handler_reads(
    status: int, body: str, kinds: tuple[str, ...]
) -> None:
    assert kinds_of(of_answer(RecordedAnswer(status, body))) == kinds


def test_a_refused_hash_names_each_kind_that_joins_otherwise() -> None:
    (sign,) = of_answer(RecordedAnswer(400, "Secure Hash mismatch"))
    assert not sign.kind
    for name in ("no-alias", "hash-without-payer", "hash-of-payment-status"):
        assert f"{name}: {CLIENTS[name].seen}" in sign.reason
    (unknown,) = of_answer(RecordedAnswer(503, "busy"))
    assert "503" in unknown.reason
