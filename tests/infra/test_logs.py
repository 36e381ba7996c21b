"""No secret, card number or query string reaches a log line, whichever way it comes."""

import json
import subprocess
import sys

import pytest

from hundi.infra.logs import HIDDEN, Secret, clean_text, redact

CARD = "4111111111111111"
AADHAAR = "234123412346"


def cleaned(**facts: object) -> dict[str, object]:
    return dict(redact(None, "", dict(facts)))


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "access_token",
        "privatekey",
        "encdata",
        "card",
        "card_number",
        "cvv",
        "password",
        "client_secret",
        "Authorization",
        "webhook_key",
        "otp",
        "X-Api-Key",
    ],
)
def test_secrets_by_key(name: str) -> None:
    assert cleaned(**{name: "canary", "inner": {name: ["canary"]}}) == {
        name: HIDDEN,
        "inner": {name: HIDDEN},
    }


def test_secrets_by_type() -> None:
    assert "canary" not in json.dumps(
        cleaned(a=Secret("canary"), b=[Secret("canary")], c=b"canary")
    )
    assert "canary" not in f"{Secret('canary')} {Secret('canary')!r}"
    assert Secret("canary").reveal() == "canary"


@pytest.mark.parametrize(
    "text",
    [
        CARD,
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "3782 822463 10005",
        "378282246310005",
        "6082015309577308",
        "5267318187975449",
        f"pan={CARD}.",
    ],
)
def test_card_numbers_by_pattern(text: str) -> None:
    assert "[card]" in clean_text(f"declined {text} by issuer")


@pytest.mark.parametrize("text", [AADHAAR, "2341 2341 2346", "2341-2341-2346"])
def test_aadhaar_numbers_by_pattern(text: str) -> None:
    assert "[aadhaar]" in clean_text(f"uid {text}")


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",
        "217000000000008",
        "1763650000000",
        "order 100000000001-217000000000008",
        "234123412345",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert clean_text(text) == text


def test_card_number_as_an_integer() -> None:
    assert cleaned(value=int(CARD), payment_id=int(CARD)) == {
        "value": "[number]",
        "payment_id": int(CARD),
    }


def test_bank_references_stay() -> None:
    assert cleaned(rrn=AADHAAR, reference="7-217000000000008") == {
        "rrn": AADHAAR,
        "reference": "7-217000000000008",
    }


def test_query_strings_and_user_names_go() -> None:
    assert clean_text("GET /airpay/pay?encdata=canary HTTP/1.1") == "GET /airpay/pay HTTP/1.1"
    assert (
        clean_text("to https://user:canary@shop.example/done?token=canary#x failed")
        == "to https://shop.example/done failed"
    )
    assert cleaned(path="/pay?canary", url="https://a/b?canary") == {
        "path": "/pay",
        "url": "https://a/b",
    }


def test_what_a_library_logs_of_a_commands_file_is_redacted() -> None:
    program = f"""
import logging
from hundi.infra.logs import configure_command
configure_command()
logging.getLogger("mt940.tags").error("no match for %r", "{CARD}")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(done.stderr)["event"] == "no match for '[card]'"
    assert done.stdout == ""


def test_every_line_is_redacted_json() -> None:
    program = f"""
import logging, warnings
from hundi.infra.logs import configure, get_logger
configure("info")
get_logger("ours").info("paid", card_number="{CARD}")
logging.getLogger("library").warning("GET /x?a=%s HTTP/1.1", "{CARD}")
warnings.warn("see {CARD}")
try:
    raise ValueError("{CARD}")
except ValueError:
    get_logger("ours").exception("broke")
get_logger("ours").debug("quiet")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["event"] for line in lines][:2] == ["paid", "GET /x HTTP/1.1"]
    assert len(lines) == 4
    assert {"level", "timestamp", "module"} <= set(lines[0])
    assert CARD not in done.stderr + done.stdout
