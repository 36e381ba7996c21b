"""A refusal has the same types in every call of the partners' interfaces, whatever it is about."""

import json
from typing import Any

import pytest

from hundi.api.interfaces import PARTNERS
from hundi.wire import cipher
from hundi.wire.codes import Code
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.envelopes import Sender
from tests.system.lead_messages import send
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway

PATHS = [path for each in PARTNERS for path in each.below if path.startswith("/ms/")]
CODES = {each.wire for each in Code}


def check(reply: dict[str, Any], path: str) -> None:
    """Assert that a refusal has the fields and types that all refusals have."""
    status = 502 if "transaction-detail" in path else 400
    assert (reply["status"], type(reply["status"])) == (status, int), path
    assert reply["error_code"] in CODES - {Code.SUCCESS.wire}, path
    assert isinstance(reply["error"], str), path
    assert reply["error"], path


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "application/x-www-form-urlencoded"),
        (b"{", "application/json"),
        (b'{"a":"x"}', "application/json"),
        (b"x" * 300_000, "application/x-www-form-urlencoded"),
        (b"<x/>", "text/xml"),
    ],
)
def test_whoever_asks_is_refused_with_code_and_sentence(
    gateway: RunningGateway, sender: Sender, path: str, content: bytes, kind: str
) -> None:
    answer = sender.http.post(
        gateway.base_url + "/gateway" + path, content=content, headers={"content-type": kind}
    )
    assert answer.status_code == 200
    assert answer.headers["x-request-id"].startswith("req_")
    check(answer.json(), path)


def test_a_partner_that_is_proven_is_refused_alike(
    gateway: RunningGateway, partner: PartnerSender, new_partner: NewPartner
) -> None:
    for name in ("gst-calculator", "gst-verification", "aadhaar-verification", "aadhaar-xml"):
        check(partner.ask(name, {"unknown": "x"}), name)
        check(partner.ask(name, {"unknown": "x"}, checksum="0" * 64), name)
    check(send(partner, {"basic_info": {}}), "leads")
    closed = new_partner("May call nothing else", interfaces="gst-calculator")
    check(closed.ask("gst-verification", {"gstin": "x"}), "gst-verification")
    gateway.operate("partner", "suspend", closed.keys.affiliate)
    check(closed.ask("gst-calculator", {}), "gst-calculator")
    query = cipher.seal(
        cipher.encryption_key(closed.keys.affiliate, closed.keys.secret), json.dumps({}).encode()
    )
    check(send(closed, b"", query=query), "leads")


def test_the_limits_of_a_merchant_are_its_settings(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Limited", pos_address="127.0.0.0/8")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    changed = gateway.operate(
        "merchant", "limits", merchant.merchant_id, "--pos-listings-a-minute", "1"
    )
    assert changed["pos_listings_a_minute"] == 1
    assert changed["address_checks_a_minute"] == 60
    asked = {"mercid": merchant.merchant_id, "terminalid": "T1", "uniqueid": "4711"}
    path = f"{gateway.base_url}/gateway/ms/pos/api/transaction-detail-bulk"
    answers = [sender.http.post(path, data=asked) for _ in range(5)]
    codes = {each.json().get("error_code", "00") for each in answers}
    assert all(
        1 <= int(each.headers["retry-after"]) <= 60 for each in answers if "429" in each.text
    )
    # The minute may turn meanwhile, and each of the gateway's processes counts for itself.
    assert "429" in codes
    assert (
        gateway.invoke(
            "merchant", "limits", merchant.merchant_id, "--address-checks-a-day", "0"
        ).exit_code
        == 2
    )
    vpa = {"vpa": "success@hundi"}
    gateway.operate("merchant", "limits", merchant.merchant_id, "--address-checks-a-day", "1")
    replies = [sender.ask("validatevpa", merchant, vpa) for _ in range(2)]
    assert [each.code for each in replies] == ["00", "429"]
    assert 1 <= int(replies[1].headers["retry-after"]) <= 86_400
