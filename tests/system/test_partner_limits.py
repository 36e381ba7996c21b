"""What partners, and those who only say to be one, can do to others: nothing.

And what of it is written down.
"""

import json
from hashlib import sha256
from typing import Any

import httpx
import pytest

from tests.system.conftest import NewMerchant, NewPartner, add_merchant
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.identity import VERIFICATION
from tests.system.lead_messages import lead, put, send
from tests.system.partners import BAAS, PartnerSender
from tests.system.running import RunningGateway, until
from tests.system.test_cards import details
from tests.system.test_gst import SAMPLE
from tests.system.test_offers import Affiliate, answer
from tests.system.test_pos import PATH as POS
from tests.system.test_pos import listing, refused

NUMBER = "432100000148"


def calls_of(partner: PartnerSender, count: int) -> list[dict[str, Any]]:
    """Return a partner's calls, newest first, once so many are written."""
    affiliate = partner.keys.affiliate
    return until(
        lambda: (
            found
            if len(found := partner.gateway.operate("partner", "calls", affiliate)) >= count
            else []
        ),
        f"{count} calls to be written",
    )


def test_a_wrong_key_of_a_known_partner_is_written_down_so_many_times(
    new_partner: NewPartner,
) -> None:
    mistaken = new_partner("Mistaken")
    for _ in range(30):
        assert mistaken.ask("gst-calculator", SAMPLE, api_key="pak-wrong")["error_code"] == "904"
    mistaken.ask("gst-calculator", SAMPLE, processor_key=None, api_key="pak-wrong")
    assert mistaken.ask("gst-calculator", SAMPLE)["status"] == 200
    calls = calls_of(mistaken, 11)
    assert calls[0]["code"] == "00"
    wrong = [each for each in calls if each["code"] == "904"]
    assert {each["detail"] for each in wrong} <= {
        "wrong or missing: api-key",
        "wrong or missing: api-key processor-key",
    }
    assert 10 <= len(wrong) <= 20, "ten a minute, and a minute may end in between"


def test_a_question_to_an_affiliate_and_its_answer_are_written_down(
    new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("written-down")
    affiliate = Affiliate(new_partner("Writes down", offers_callback=endpoint.url), endpoint)
    affiliate.grants("good")
    affiliate.granted["forged"] = lambda: answer({"status": 200, "data": {}, "checksum": "0" * 64})
    affiliate.granted["odd"] = lambda: answer({"error": "the database is down"})
    affiliate.granted["no"] = lambda: answer(
        {"status": 400, "message": "fail", "data": {}}, status=400
    )
    for unique, status in (
        ("good", 200),
        ("good", 200),
        ("none", 404),
        ("no", 404),
        ("forged", 503),
        ("odd", 503),
    ):
        assert affiliate.open(unique).status_code == status
    calls = [
        (each["interface"], each["code"], each["detail"]) for each in calls_of(affiliate.partner, 5)
    ]
    assert calls[::-1] == [
        ("offers", "00", ""),
        ("offers", "503", ""),
        ("offers", "503", ""),
        ("offers", "991", "the checksum is wrong"),
        ("offers", "991", "HTTP 200, and status is not 400"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        {"transactiontime": "9999-12-31 23:59:59"},
        {"transactiontime": "0001-01-01 00:00:00"},
        {"transactiontime": "2099-12-31 23:59:59", "expiryday": "3650"},
    ],
)
def test_a_time_at_the_end_of_time_breaks_no_page(
    new_partner: NewPartner, server: MerchantServer, data: dict[str, str]
) -> None:
    endpoint = server.endpoint(f"time-{data['transactiontime'][:4]}")
    affiliate = Affiliate(new_partner("Timeless", offers_callback=endpoint.url), endpoint)
    affiliate.grants("late", **data)
    assert affiliate.open("late").status_code == (200 if "expiryday" in data else 503)


def test_opening_a_granted_offer_again_uses_up_nothing(
    new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("opened-often")
    affiliate = Affiliate(
        new_partner("Opened", offers_callback=endpoint.url, calls_a_minute=5), endpoint
    )
    affiliate.grants("mine")
    assert {affiliate.open("mine").status_code for _ in range(30)} == {200}
    assert affiliate.asked("mine") == 1


def test_no_field_name_of_a_lead_keeps_calls_from_being_written(
    partner: PartnerSender, new_partner: NewPartner
) -> None:
    odd, other = new_partner("Odd names"), new_partner("Even names")
    for message in (
        {"signatory_info": {"\0": {}}},
        put(lead(), "basic_info.x\0y", "1"),
        put(lead(), f"basic_info.{NUMBER}", "1"),
        {NUMBER: {}},
        {"signatory_info": {NUMBER: {}}},
    ):
        assert send(odd, message)["error_code"] == "110"
    other.ask("gst-calculator", SAMPLE)
    assert calls_of(other, 1)[0]["code"] == "00"
    assert not any(
        NUMBER[:8] in json.dumps(each) or "\\u0000" in json.dumps(each) for each in calls_of(odd, 5)
    )


def test_a_number_in_a_terminals_place_is_not_written_down(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Mistyped", pos_address="127.0.0.1")
    refused(listing(sender, merchant, NUMBER), "503")
    (kept,) = gateway.operate("refusal", "list", merchant.merchant_id)
    assert NUMBER not in json.dumps(kept)


def test_a_suspended_merchant_lists_nothing(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Paused café", pos_address="127.0.0.1")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    assert listing(sender, merchant)["status"] == 200
    gateway.operate("merchant", "suspend", merchant.merchant_id)
    until(
        lambda: listing(sender, merchant).get("error_code") == "131", "the suspension to be known"
    )


def test_a_reference_of_a_terminal_names_one_sale(
    gateway: RunningGateway, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Repeats itself")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    sell = "pos", "sell", merchant.merchant_id, "T1"
    first = gateway.operate(*sell, "80.00", "--reference", "r-1", "--table", "4")
    assert gateway.operate(*sell, "80.00", "--reference", "r-1", "--table", "4") == first
    for other in (
        ("81.00", "--table", "4"),
        ("80.00", "--table", "5"),
        ("80.00", "--table", "4", "--kind", "VOID"),
    ):
        again = gateway.invoke(*sell, *other, "--reference", "r-1")
        assert again.exit_code == 2
    assert len(gateway.operate("pos", "sales", merchant.merchant_id, "T1")) == 1


@pytest.mark.parametrize("spelling", ["form", "json", "escaped", "multipart"])
def test_a_consent_of_the_greatest_length_arrives_in_every_spelling(
    gateway: RunningGateway, partner: PartnerSender, spelling: str
) -> None:
    holder = gateway.operate("register", "people", "--limit", "300")[150]
    values = {"name": holder["name"], "consentText": "स" * 10_000, "aadhaarNo": holder["number"]}
    spelt: dict[str, Any] = {
        "form": {"data": values},
        "json": {"json": values},
        "escaped": {"content": json.dumps(values), "headers": {"content-type": "application/json"}},
        "multipart": {"files": {name: (None, value) for name, value in values.items()}},
    }[spelling]
    headers = partner.headers(list(values.values())) | spelt.pop("headers", {})
    url = partner.gateway.base_url + BAAS + VERIFICATION
    assert partner.http.post(url, headers=headers, **spelt).json()["status"] == 200


def test_a_form_that_is_not_encoded_is_read_as_utf_8(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    values = {
        "name": "आशा राव",
        "consentText": "हाँ",
        "aadhaarNo": gateway.demo["partner"]["samples"]["aadhaar"],
    }
    body = "&".join(f"{name}={value}" for name, value in values.items()).encode()
    headers = partner.headers(list(values.values())) | {
        "content-type": "application/x-www-form-urlencoded"
    }
    reply = partner.http.post(
        partner.gateway.base_url + BAAS + VERIFICATION, content=body, headers=headers
    ).json()
    assert reply["error_code"] == "142", "read rightly, and another name"


def test_an_update_is_signed_over_the_whole_query(partner: PartnerSender) -> None:
    lead_id = send(partner, lead())["data"]["lead_id"]
    text = "EVIL" + partner.keys.affiliate + partner.keys.secret
    message = {"lead_id": lead_id, "basic_info": {"fname": "EVIL"}}
    reply = send(partner, message, checksum=sha256(text.encode()).hexdigest())
    assert reply["error_code"] == "103"


def test_an_unreadable_query_is_told_from_a_readable_one_to_nobody(partner: PartnerSender) -> None:
    readable = send(partner, lead(), checksum="0" * 64)
    unreadable = send(partner, lead(), query="0123456789abcdefAAAA", checksum="0" * 64)
    assert readable == unreadable
    assert readable["error_code"] == "103"


def test_fields_are_emptied_and_signatories_removed(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    message = lead()
    message["signatory_info"]["2"] = message["signatory_info"]["1"] | {
        "signatory_primary_contact": "N"
    }
    lead_id = send(partner, message)["data"]["lead_id"]
    for empty in ("", None):
        required = send(partner, {"lead_id": lead_id, "basic_info": {"fname": empty}})
        assert required["data"]["errors"] == [
            {"group": "basic_info", "field": "fname", "problem": "is required"}
        ]
    changes = {"company_info": {"company_cin": ""}, "business_info": {"business_pincode": None}}
    assert (
        send(partner, {"lead_id": lead_id, **changes, "signatory_info": {"2": None}})["status"]
        == 200
    )
    shown = gateway.operate("lead", "show", partner.keys.affiliate, str(lead_id))
    assert "company_info.company_cin" not in shown
    assert "business_info.business_pincode" not in shown
    assert not any(name.startswith("signatory_info.2.") for name in shown)
    for nothing in (
        {},
        {"bank_inf": {}},
        {"lead_id": lead_id, "bank_inf": {"bank_account_type": "S"}},
    ):
        assert send(partner, {"lead_id": lead_id} | nothing)["error_code"] == "110"
    assert (
        send(partner, {"lead_id": lead_id, "signatory_info": {"1": None}})["error_code"] == "110"
    ), "one must stay"


# --- behind a proxy ---


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["203.0.113.5"], None),
        (["198.51.100.66, 203.0.113.5"], None),
        (["198.51.100.66", "203.0.113.5"], None),
        (["203.0.113.5, 198.51.100.66"], "144"),
        (["203.0.113.5", "198.51.100.66"], "144"),
        (["203.0.113.5", ""], "144"),
        ([], "144"),
    ],
)
def test_of_all_lines_a_proxy_sends_the_last_entry_counts(
    gateway: RunningGateway, lines: list[str], code: str | None
) -> None:
    merchant = add_merchant(gateway, "Behind a proxy", pos_address="203.0.113.5/32")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    asked = {"mercid": merchant.merchant_id, "terminalid": "T1", "uniqueid": "4711"}
    headers = [("x-forwarded-for", each) for each in lines]
    with httpx.Client(trust_env=False) as http:
        assert (
            http.post(gateway.base_url + POS, data=asked, headers=headers).json().get("error_code")
            == code
        )


def test_a_partner_whose_live_data_is_off_gets_none(partner: PartnerSender) -> None:
    reply = partner.ask("aadhaar-xml", {"type": "otp", "aadhaarNo": "999900000016"}, live="Y")
    assert (reply["status"], reply["error_code"]) == ("400", "114")


def test_cards_of_another_programme_are_told_apart_in_memory_too(new_partner: NewPartner) -> None:
    demo, other = new_partner("Of the demo", card_programme="DEMO"), new_partner("Of none")
    assert details(demo, "CUST0003")["status"] == 200
    assert details(other, "CUST0003")["error_code"] == "503"
