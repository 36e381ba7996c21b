"""Golden transcripts: each documented case of each operation, as it is on the wire.

HUNDI_TEST_WRITE_TRANSCRIPTS=1 writes them anew, for somebody to read before they are kept.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant, open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Reply, Sender
from tests.system.running import RunningGateway
from tests.system.shop import AMOUNT_PAISE, Shop
from tests.system.transcript_cases import CASES, Stage

pytestmark = pytest.mark.usefixtures("books_hold")
GOLDEN = Path(__file__).parent / "transcripts"
WRITING = os.environ.get("HUNDI_TEST_WRITE_TRANSCRIPTS") == "1"
VOLATILE = {
    "request_id", "access_token", "ap_transactionid", "orderid", "merchant_id", "refund_id", "rrn",
    "transaction_time", "ap_SecureHash", "qr_string", "qrcode_string", "qr_image", "expires_at",
    "split_request_id", "APTRANSACTIONID", "TRANSACTIONTIME", "ap_securehash", "webhook_id",
    "webhook_timestamp", "webhook_signature", "paid_at", "refund_rrn", "requstId", "requestId",
    "gateway_txn_id", "airpay_txn_id", "generatedDateTime", "mobileHash", "emailHash", "file",
    "shareCode", "maskedVID", "expiry_date", "ageBand", "lead_id", "MERCHANTID", "sb_nextrundate",
    "valid_until", "debit_at", "manage_url", "umrn", "redirect_url", "upi_link",
}  # fmt: skip
"""What differs from run to run; that it is there, and of its kind, is asserted all the same."""

MADE_UP = re.compile(
    r"\A[0-9]{15}\Z|\b[TR]-[0-9a-f]{12}\b"
    r"|(?<=split_request_id was ')[0-9]+|(?<=body was ')[0-9]+|(?<=password in )[0-9]+"
    r"|(?<=it is refund )[0-9]+"
    r"|(?<=lead_id )[0-9]+|(?<=lead_id was ')[0-9]+"
)
"""Ids, sizes and times of this run inside a message.

A checksum, and with it a body, has more digits on some days.
"""


@pytest.fixture(scope="module")
def golden_shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """The merchant whose calls are written down."""
    for shop in open_shop(gateway, server, "golden", channels="upi_pg_nb_ppc"):
        gateway.operate(
            "split",
            "link",
            shop.merchant.merchant_id,
            "GOLD",
            "Goldsmith",
            "HDFC0000001",
            "--number",
            "123456789012",
        )
        yield shop


@pytest.fixture
def stage(
    gateway: RunningGateway,
    sender: Sender,
    golden_shop: Shop,
    rival: Shop,
    sandbox: Merchant,
    browser: Browser,
    new_merchant: NewMerchant,
) -> Stage:
    return Stage(gateway, sender, golden_shop, rival, sandbox, browser, new_merchant)


def steady(value: Any, name: str = "") -> Any:
    """Return a reply with what differs from run to run replaced by its kind."""
    if isinstance(value, dict):
        return {key: steady(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [steady(each) for each in value]
    if name in VOLATILE and value not in {"", 0}:
        return f"<{name}: {type(value).__name__}>"
    return MADE_UP.sub("<id>", value) if isinstance(value, str) else value


@pytest.mark.parametrize("case", CASES)
def test_the_reply_is_the_golden_one_field_by_field(case: str, stage: Stage) -> None:
    reply = CASES[case](stage)
    assert reply.status == 200
    golden(GOLDEN / f"{case}.json", reply.envelope)
    on_the_wire(reply)


def golden(path: Path, came: Any) -> None:
    """Assert that something came as it is written down, but for what differs from run to run."""
    told = json.dumps(steady(came), indent=1, ensure_ascii=False) + "\n"
    if WRITING:
        path.parent.mkdir(exist_ok=True)
        path.write_text(told)
    assert told == path.read_text()


def on_the_wire(reply: Reply) -> None:
    """Assert the shape rules of docs/spec/wire.md#replies on the reply as it came."""
    names = list(reply.envelope)
    assert names[-2:] == ["message", "data"], "message before data, data last"
    for name in ("status_code", "response_code"):
        assert isinstance(reply.envelope[name], str)
    assert reply.envelope["status"] in {"success", "fail"}
    assert reply.headers["content-type"].startswith("application/json")
    compact = json.dumps(reply.outer, separators=(",", ":"), ensure_ascii=False)
    strings = [part for part in _strings(reply.outer) if "}" in part]
    for part in strings:
        inside = json.dumps(part, ensure_ascii=False)[1:-1]
        compact = compact.replace(inside, inside.replace("}", "\\u007d"))
    assert reply.text == compact, "compact, and a brace inside a string escaped"


def _strings(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)
        case str():
            yield value


def test_every_golden_transcript_belongs_to_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(CASES)
    assert AMOUNT_PAISE == 149_950
