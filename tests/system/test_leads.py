"""Leads through the running gateway.

An encrypted query, every field rule at once, and the way to a merchant.
"""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest

from tests.system.conftest import NewPartner
from tests.system.envelopes import Merchant, Sender
from tests.system.lead_messages import SIGNATORY, lead, put, refused, send
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway


def test_a_lead_becomes_a_merchant_who_takes_payments(
    gateway: RunningGateway, partner: PartnerSender, sender: Sender
) -> None:
    reply = send(partner, lead())
    assert (reply["status"], reply["message"], reply["data"]["notes"]) == (200, "Success", [])
    lead_id = reply["data"]["lead_id"]
    assert isinstance(lead_id, int)
    named = partner.keys.affiliate, str(lead_id)
    shown = gateway.operate("lead", "show", *named)
    assert (shown["state"], shown["signatory_info.1.signatory_name"]) == ("lead", "आशा Rao")
    assert shown["bank_info.bank_account_number"] == "…6789"
    assert gateway.invoke("lead", "approve", *named).exit_code == 2, "nobody has looked at it"
    gateway.operate("lead", "review", *named)
    gateway.operate("lead", "return", *named, "--why", "the address is missing")
    gateway.operate("lead", "review", *named)
    merchant = Merchant.of(gateway.operate("lead", "approve", *named))
    assert sender.verify(merchant, {"orderid": "none-yet"}).code == "503"
    story = gateway.operate("lead", "show", *named)["story"]
    assert [each.split(": ")[1].split(",")[0] for each in story] == [
        "created by partner",
        "review by operator",
        "returned by operator",
        "review by operator",
        "approved by operator",
    ]
    refused(send(partner, lead(lead_id=lead_id)), "145")
    assert gateway.invoke("lead", "reject", *named, "--why", "too late").exit_code == 2


def test_everything_that_is_wrong_is_said_at_once(partner: PartnerSender) -> None:
    message = lead()
    for path, value in (
        ("basic_info.fname", "x" * 101),
        ("basic_info.email", "no address"),
        ("company_info.company_annual_turnover", "a lot"),
        ("business_info.business_pan", "123"),
        ("bank_info.bank_account_type", "X"),
        ("signatory_info.1.signatory_dob", "1980-01-31"),
    ):
        message = put(message, path, value)
    reply = refused(send(partner, message), "110")
    told = {(each["group"], each["field"]) for each in reply["data"]["errors"]}
    assert told == {
        ("basic_info", "fname"),
        ("basic_info", "email"),
        ("company_info", "company_annual_turnover"),
        ("business_info", "business_pan"),
        ("bank_info", "bank_account_type"),
        ("signatory_info.1", "signatory_dob"),
    }
    assert all(f"{group} {field}: " in reply["data"]["error"] for group, field in told)


BAD = [
    *((f"basic_info.{name}", value) for name in ("fname", "lname", "email", "phone")
        for value in ("", ..., None, [], "x" * 255)),
    *(("basic_info.phone", value) for value in ("9876543", "9" * 16, "98765x4321", "+91987",
        "९८७६५४३२१०")),
    ("company_info.company_name", "x" * 101),
    ("company_info.company_cin", "U74999MH2016"),
    ("company_info.company_website", "x" * 256),
    ("business_info.business_type", "9"),
    ("business_info.business_type", True),
    ("business_info.business_category", "56515"),
    ("business_info.business_gstin", "27AAPFU0939F1ZW"),
    ("business_info.business_pincode", "011001"),
    ("business_info.unknown", "x"),
    ("bank_info.bank_account_number", "1" * 21),
    ("bank_info.bank_ifsc_code", "HDFC00000012"),
    ("signatory_info.1.signatory_pep", "maybe"),
    ("signatory_info.1.signatory_dob", "30-02-1980"),
    ("signatory_info.1.signatory_dob", "01-01-2020"),
    ("signatory_info.1.signatory_pan", "ABCDE"),
    ("signatory_info.1.signatory_address_proof", "7"),
    ("signatory_info.1.signatory_gender", "X"),
    ("signatory_info.1.signatory_name", "x\u202ey"),
    ("signatory_info.5", dict(SIGNATORY)),
    ("signatory_info.x", dict(SIGNATORY)),
    ("signatory_info", {}),
    ("signatory_info", []),
    ("bank_info", []),
    ("company_info", ...),
    ("lead_id", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), BAD)
def test_a_bad_field_is_named_with_its_group(partner: PartnerSender, path: str, value: Any) -> None:
    reply = refused(send(partner, put(lead(), path, value)), "110")
    errors = [
        ".".join(filter(None, (each["group"], each["field"]))) for each in reply["data"]["errors"]
    ]
    assert all(each.startswith(path) for each in errors), (errors, path)
    assert path in errors or (path == "company_info" and len(errors) == 4)


LONG = {
    "basic_info.email": "accounts.receivable@venkateshwara-traders.example",
    "basic_info.phone": "+91 20 2612 3456",
    "company_info.company_name": "Sri Venkateshwara Traders & Sons",
    "company_info.merchant_legal_name": "Sri Venkateshwara Traders and Sons Private Limited",
    "business_info.business_address": "Shop 14, Second Floor, Laxmi Road Market, Sadashiv Peth",
    "business_info.business_state": "Dadra and Nagar Haveli and Daman and Diu",
    "signatory_info.1.signatory_name": "Venkata Satyanarayana Subrahmanyam",
}


def test_what_real_businesses_are_called_is_accepted_and_noted(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    message = lead()
    for path, value in LONG.items():
        message = put(message, path, value)
    reply = send(partner, message)
    assert reply["status"] == 200
    assert sorted(
        each.partition(": ")[0].replace(" ", ".") for each in reply["data"]["notes"]
    ) == sorted(LONG)
    named = partner.keys.affiliate, str(reply["data"]["lead_id"])
    assert (
        gateway.operate("lead", "show", *named)["company_info.company_name"]
        == LONG["company_info.company_name"]
    )
    gateway.operate("lead", "review", *named)
    merchant = gateway.operate("lead", "approve", *named)["merchant_id"]
    names = {each["merchant_id"]: each["name"] for each in gateway.operate("merchant", "list")}
    assert names[merchant] == LONG["company_info.company_name"]


def test_a_strict_partner_is_held_to_the_specifications_lengths(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    strict = new_partner("Strict", lead_lengths="strict")
    message = lead()
    for path, value in LONG.items():
        message = put(message, path, value)
    errors = refused(send(strict, message), "110")["data"]["errors"]
    assert sorted(f"{each['group']}.{each['field']}" for each in errors) == sorted(LONG)
    taken = send(strict, lead())
    gateway.operate("partner", "set", strict.keys.affiliate, "--lead-lengths", "notes")
    changed = send(
        strict, put(lead(lead_id=taken["data"]["lead_id"]), "basic_info.fname", "x" * 30)
    )
    assert changed["data"]["notes"] == [
        "basic_info fname: the specification has at most 20 characters"
    ]


def test_up_to_four_signatories_are_added_and_updated(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    message = lead()
    lead_id = send(partner, message)["data"]["lead_id"]
    more = {
        str(number): SIGNATORY
        | {"signatory_primary_contact": "N", "signatory_name": f"No {number}"}
        for number in (2, 3, 4)
    }
    reply = send(
        partner,
        {"lead_id": str(lead_id), "signatory_info": more | {"1": {"signatory_gender": "T"}}},
    )
    assert (reply["data"]["lead_id"], reply["data"]["message"]) == (lead_id, "The lead is updated")
    shown = gateway.operate("lead", "show", partner.keys.affiliate, str(lead_id))
    assert [shown[f"signatory_info.{number}.signatory_name"] for number in "1234"] == [
        "आशा Rao",
        "No 2",
        "No 3",
        "No 4",
    ]
    assert (shown["signatory_info.1.signatory_gender"], shown["basic_info.fname"]) == ("T", "Asha")
    refused(send(partner, {"lead_id": lead_id, "basic_info": {"phone": "1"}}), "110")


def test_of_many_updates_at_once_none_is_lost(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    lead_id = send(partner, lead())["data"]["lead_id"]
    fields = {
        "basic_info": ("fname", "lname"),
        "company_info": ("company_name", "company_address", "merchant_legal_name"),
        "business_info": ("business_city", "business_state", "business_country"),
    }
    changes = [
        {group: {name: f"New {name[-4:]}"}} for group, names in fields.items() for name in names
    ]
    with ThreadPoolExecutor(8) as pool:
        replies = list(
            pool.map(lambda change: send(partner, {"lead_id": lead_id, **change}), changes)
        )
    assert [each["status"] for each in replies] == [200] * len(changes)
    shown = gateway.operate("lead", "show", partner.keys.affiliate, str(lead_id))
    for change in changes:
        ((group, values),) = change.items()
        ((name, value),) = values.items()
        assert shown[f"{group}.{name}"] == value


def test_the_same_lead_again_is_the_same_and_another_of_the_business_is_refused(
    partner: PartnerSender, rival_partner: PartnerSender, gateway: RunningGateway
) -> None:
    message = lead()
    first = send(partner, message)["data"]
    again = send(partner, message)["data"]
    assert (again["lead_id"], again["message"]) == (first["lead_id"], "The lead was created before")
    reply = refused(send(partner, put(message, "basic_info.fname", "Other")), "143")
    assert str(first["lead_id"]) in reply["data"]["error"]
    assert send(rival_partner, message)["data"]["lead_id"] != first["lead_id"], (
        "another partner's lead is its own"
    )
    gateway.operate(
        "lead", "reject", partner.keys.affiliate, str(first["lead_id"]), "--why", "no documents"
    )
    assert send(partner, message)["data"]["message"] == "The lead is created"


def test_a_foreign_lead_is_unknown(partner: PartnerSender, rival_partner: PartnerSender) -> None:
    lead_id = send(partner, lead())["data"]["lead_id"]
    refused(send(rival_partner, lead(lead_id=lead_id)), "503")
    refused(send(partner, lead(lead_id="999999999999999")), "503")
    refused(send(partner, lead(lead_id="9999999999999999")), "110")


def test_what_does_not_fit_together_is_noted_and_stands_in_no_ones_way(
    partner: PartnerSender,
) -> None:
    message = lead()
    for path, value in (
        ("business_info.business_type", "3"),
        ("business_info.business_gstin", "27AAPFU0939F1ZV"),
        ("bank_info.bank_ifsc_code", "hdfc0000001"),
        ("signatory_info.1.signatory_pep", "Y"),
        ("signatory_info.1.signatory_pdconsent", "N"),
        ("signatory_info.1.signatory_primary_contact", "N"),
    ):
        message = put(message, path, value)
    reply = send(partner, message)
    assert (reply["status"], len(reply["data"]["notes"])) == (200, 6)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"affiliate": None}, "904"),
        ({"affiliate": "AF0"}, "904"),
        ({"processor_key": None}, "904"),
        ({"processor_key": "wrong"}, "904"),
        ({"checksum": None}, "103"),
        ({"checksum": "0" * 64}, "103"),
        ({"query": ""}, "101"),
        ({"query": "0123456789abcdefAAAA"}, "102"),
    ],
)
def test_wrong_headers_and_queries_are_refused(
    partner: PartnerSender, changes: dict[str, Any], code: str
) -> None:
    refused(send(partner, lead(), **changes), code)


@pytest.mark.parametrize(
    "plain",
    [
        b"",
        b"[]",
        b'{"a":1,"a":2}',
        b'{"a":' * 20 + b"1" + b"}" * 20,
        b"\xff",
        b'{"basic_info":{"fname":"a","fname":"b"}}',
    ],
)
def test_broken_json_inside_says_no_more_than_that(partner: PartnerSender, plain: bytes) -> None:
    refused(send(partner, plain), "102")


def test_a_checksum_over_the_fields_counts_too(partner: PartnerSender) -> None:
    message = lead()
    values = [
        *message["basic_info"].values(),
        *message["company_info"].values(),
        *(
            "1",
            "5651",
            message["business_info"]["business_pan"],
            "",
            "",
            "Pune",
            "411001",
            "Maharashtra",
            "India",
        ),
        *message["bank_info"].values(),
        *(str(each) for each in SIGNATORY.values()),
    ]
    text = "".join(values) + partner.keys.affiliate + partner.keys.secret
    assert send(partner, message, checksum=sha256(text.encode()).hexdigest())["status"] == 200


def test_a_gateway_key_is_compared_when_it_is_configured(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    keyed = new_partner("Keyed", gateway_key="a-gateway-key-of-ours")
    refused(send(keyed, lead()), "904")
    refused(send(keyed, lead(), GATEWAYKEY="another"), "904")
    assert send(keyed, lead(), GATEWAYKEY="a-gateway-key-of-ours")["status"] == 200
    assert send(keyed, lead(), AIRPAYKEY="a-gateway-key-of-ours")["status"] == 200


def test_nothing_of_a_lead_is_readable_in_the_database(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    message = put(lead(), "bank_info.bank_account_number", "77665544332211")
    lead_id = send(partner, message)["data"]["lead_id"]
    for row in gateway.rows(
        (
            "SELECT l.*, e.* FROM leads l JOIN lead_events e USING (affiliate, lead_id) WHERE"
            " lead_id = $1"
        ),
        lead_id,
    ):
        text = " ".join(map(str, row.values()))
        assert "77665544332211" not in text
        assert message["business_info"]["business_pan"] not in text
