"""Aadhaar XML and verification through the running gateway.

Passwords on simulated phones, documents that prove themselves.
"""

import base64
import io
import json
import re
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from lxml import etree
from signxml.exceptions import InvalidSignature
from signxml.verifier import XMLVerifier

from tests.bent import moved
from tests.system.conftest import NewPartner
from tests.system.identity import (
    CONSENT,
    FAILED,
    XML,
    Holders,
    begin,
    finish,
    otp_of,
    texts,
    verify,
    wrong,
)
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway


@pytest.fixture(scope="module")
def people(gateway: RunningGateway) -> list[dict[str, Any]]:
    """The holders of the simulated register."""
    return gateway.operate("register", "people", "--limit", "300")


@pytest.fixture(scope="module")
def holders(people: list[dict[str, Any]]) -> Holders:
    return Holders(people)


def test_a_document_comes_signed_in_a_zip_that_the_share_code_opens(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    assert (begun["status"], begun["message"], begun["requstId"]) == (
        "200",
        "success",
        begun["requestId"],
    )
    assert begun["gateway_txn_id"] == begun["airpay_txn_id"]
    reply = finish(partner, begun, otp_of(gateway, holder["mobile"]))
    assert (reply["status"], reply["message"]) == (200, "success")
    data, told = reply["data"], reply["data"]["dataFromAadhaar"]
    assert list(data) == ["dataFromAadhaar", "message", "shareCode"]
    assert list(told) == [
        "generatedDateTime", "maskedAadhaarNumber", "name", "dob", "gender", "mobileHash",
        "emailHash", "relativeName", "address", "image", "maskedVID", "file",
    ]  # fmt: skip
    last4 = holder["number"][-4:]
    assert told["maskedAadhaarNumber"] == f"XXXXXXXX{last4}"
    assert (told["name"], told["dob"]) == (holder["name"], f"XX-XX-{holder['dob'][-4:]}")
    assert re.fullmatch(r"X{12}[0-9]{4}", told["maskedVID"])
    assert list(told["address"]["splitAddress"]) == [
        "houseNumber", "street", "landmark", "subdistrict", "district", "vtcName", "location",
        "postOffice", "state", "country", "pincode",
    ]  # fmt: skip
    assert told["address"]["splitAddress"]["state"] == holder["state"]
    assert base64.b64decode(told["image"]).startswith(b"\xff\xd8\xff")
    digest = holder["mobile"] + data["shareCode"]
    for _ in range(max(1, int(last4[-1]))):
        digest = sha256(digest.encode()).hexdigest()
    assert told["mobileHash"] == digest

    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(told["file"])))
    (name,) = archive.namelist()
    with pytest.raises(RuntimeError):
        archive.read(name)
    content = archive.read(name, pwd=data["shareCode"].encode())
    (row,) = gateway.rows("SELECT certificate FROM signing_keys")
    certificate = x509.load_der_x509_certificate(row["certificate"])
    signed = XMLVerifier().verify(content, x509_cert=certificate).signed_xml
    assert signed is not None
    assert signed.get("referenceId", "").startswith(last4)
    (poi,) = signed.iter("Poi")
    assert (poi.get("name"), poi.get("dob"), poi.get("m")) == (
        holder["name"],
        holder["dob"],
        told["mobileHash"],
    )
    assert next(signed.iter("Pht")).text == told["image"]
    tampered = content.replace(holder["name"].encode(), b"Somebody Else", 1)
    with pytest.raises(InvalidSignature):
        XMLVerifier().verify(tampered, x509_cert=certificate)


def test_xml_specials_in_a_name_stay_what_they_are(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    odd = "Ann <a href='x'>&amp; \"Ö\" आशा"
    gateway.operate("register", "change-person", str(holder["holder_no"]), f"name={odd}", "careof=")
    begun = begin(partner, holder)
    data = finish(partner, begun, otp_of(gateway, holder["mobile"]))["data"]
    assert (data["dataFromAadhaar"]["name"], data["dataFromAadhaar"]["relativeName"]) == (odd, None)
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(data["dataFromAadhaar"]["file"])))
    parsed = etree.fromstring(archive.read(archive.namelist()[0], pwd=data["shareCode"].encode()))
    assert next(parsed.iter("Poi")).get("name") == odd


def test_a_password_counts_once(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    assert finish(partner, begun, otp)["status"] == 200
    again = finish(partner, begun, otp)
    assert (again["status"], again["error_code"], FAILED.items() <= again.items()) == (
        400,
        "141",
        True,
    )


def test_of_many_at_once_with_one_password_one_gets_the_document(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    with ThreadPoolExecutor(10) as pool:
        codes = list(
            pool.map(lambda _: finish(partner, begun, otp).get("error_code", "00"), range(10))
        )
    assert sorted(codes) == ["00"] + ["141"] * 9


def test_three_wrong_passwords_end_a_request(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    tries = [finish(partner, begun, wrong(otp)) for _ in range(4)]
    assert [each["error_code"] for each in tries] == ["140", "140", "140", "141"]
    assert "more tries: 2" in tries[0]["error"]
    assert finish(partner, begun, otp)["error_code"] == "141"


def test_another_password_is_sent_after_a_while_and_the_old_one_counts_no_more(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    first = otp_of(gateway, holder["mobile"])
    early = begin(partner, holder)
    assert (early["status"], early["error_code"]) == ("400", "429")
    assert re.search(r"another password in 4[0-5] seconds", early["error"])
    age(gateway, begun, "46 seconds")
    again = begin(partner, holder)
    assert again["requstId"] == begun["requstId"]
    second = otp_of(gateway, holder["mobile"])
    if first != second:
        assert finish(partner, begun, first)["error_code"] == "140"
    assert finish(partner, begun, second)["status"] == 200


def age(gateway: RunningGateway, begun: dict[str, Any], by: str) -> None:
    """Let a request be older than it is."""
    gateway.rows(
        f"UPDATE identity_requests SET sent_at = {moved('sent_at', f'-{by}')},"
        f" expires_at = {moved('expires_at', f'-{by}')} WHERE request_id = $1",
        begun["requstId"],
    )


def test_six_passwords_an_hour_and_no_more(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    before = len(texts(gateway, holder["mobile"]))
    for _ in range(6):
        begun = begin(partner, holder)
        assert begun["status"] == "200"
        age(gateway, begun, "46 seconds")
    refused = begin(partner, holder)
    assert (refused["error_code"], "6 passwords an hour" in refused["error"]) == ("429", True)
    assert len(texts(gateway, holder["mobile"])) == before + 6


def test_many_first_requests_at_once_send_one_password(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    with ThreadPoolExecutor(10) as pool:
        replies = list(pool.map(lambda _: begin(partner, holder), range(10)))
    assert sorted(each.get("error_code", "00") for each in replies) == ["00"] + ["429"] * 9
    assert len(texts(gateway, holder["mobile"])) == 1


def test_a_request_lives_ten_minutes(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    age(gateway, begun, "10 minutes")
    assert finish(partner, begun, otp)["error_code"] == "141"
    assert begin(partner, holder)["requstId"] != begun["requstId"]


def test_a_foreign_or_made_up_request_is_unknown(
    gateway: RunningGateway, partner: PartnerSender, rival_partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    assert finish(rival_partner, begun, otp)["error_code"] == "503"
    assert finish(partner, begun, otp, requestId="idr_" + "0" * 20)["error_code"] == "503"
    assert (
        finish(partner, begun, otp, gateway_txn_id=begun["gateway_txn_id"] + 1)["error_code"]
        == "503"
    )
    assert finish(partner, begun, otp)["status"] == 200


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"type": "zip"}, "type"),
        ({}, "type"),
        *(
            ({"type": "otp", "aadhaarNo": value}, "aadhaarNo")
            for value in (
                "",
                "99990000001",
                "999900000017",
                "099900000016",
                "9999 0000 0016",
                "९९९९००००००१६",
                "x" * 500,
            )
        ),
        ({"type": "file", "otp": "123456", "gateway_txn_id": "1"}, "requestId"),
        ({"type": "file", "requestId": "a b", "otp": "123456", "gateway_txn_id": "1"}, "requestId"),
        ({"type": "file", "requestId": "x", "otp": "12345", "gateway_txn_id": "1"}, "otp"),
        ({"type": "file", "requestId": "x", "otp": "1234567", "gateway_txn_id": "1"}, "otp"),
        ({"type": "file", "requestId": "x", "otp": "123456"}, "gateway_txn_id"),
        (
            {"type": "file", "requestId": "x", "otp": "123456", "gateway_txn_id": "1" * 16},
            "gateway_txn_id",
        ),
    ],
)
def test_a_bad_parameter_is_named_and_not_repeated(
    partner: PartnerSender, asked: dict[str, str], field: str
) -> None:
    reply = partner.ask(XML, asked)
    assert (reply["error_code"], field in reply["error"], FAILED.items() <= reply.items()) == (
        "110",
        True,
        True,
    )
    assert reply["status"] == ("400" if asked.get("type") == "otp" else 400)
    assert not re.search(r"[0-9]{11}", reply["error"])


def test_a_number_nobody_holds_is_503(partner: PartnerSender) -> None:
    reply = partner.ask(XML, {"type": "otp", "aadhaarNo": "234123412346"})
    assert (reply["status"], reply["error_code"]) == ("400", "503")


@pytest.mark.parametrize("header", ["Y", ""])
def test_live_data_comes_from_the_live_provider_only(
    partner: PartnerSender, holders: Holders, header: str
) -> None:
    reply = begin(partner, holders.next(), live=header)
    assert reply["error_code"] == "114", "this gateway has none"


# --- verification ---


def test_a_number_is_checked_with_consent(
    gateway: RunningGateway, partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    words = " ".join(reversed(holder["name"].split()))
    reply = verify(partner, name=f"Shri {words.upper()}", aadhaarNo=holder["number"])
    assert (reply["status"], reply["message"]) == (200, "success")
    data = reply["data"]
    assert list(data) == ["ageBand", "gender", "state", "mobile"]
    assert (data["state"], data["mobile"]) == (holder["state"], f"*******{holder['mobile'][-3:]}")
    low, high = (int(each) for each in data["ageBand"].split("-"))
    assert (high - low, low % 10) == (10, 0)
    (row,) = gateway.rows("SELECT * FROM identity_consents WHERE last4 = $1", holder["number"][-4:])
    assert row["affiliate"] == partner.keys.affiliate
    assert CONSENT.encode() not in bytes(row["sealed_words"])


def test_another_name_is_refused_and_the_right_one_not_told(
    partner: PartnerSender, holders: Holders
) -> None:
    holder = holders.next()
    for name in ("Somebody Else", holder["name"].split()[0] + " Xyz", holder["name"] + " Kumar"):
        reply = verify(partner, name=name, aadhaarNo=holder["number"])
        assert (reply["status"], reply["error_code"], reply["data"]) == (400, "142", "")
        assert holder["name"] not in json.dumps(reply)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "Abc"}, "name"),
        ({"name": "x" * 51}, "name"),
        ({"name": "Asha\u202eRao"}, "name"),
        ({"consentText": ""}, "consentText"),
        ({"consentText": "x" * 10_001}, "consentText"),
        ({"aadhaarNo": "123"}, "aadhaarNo"),
        ({"aadhaarNo": "999900000017"}, "aadhaarNo"),
    ],
)
def test_bounds_of_a_check(partner: PartnerSender, changes: dict[str, str], field: str) -> None:
    reply = verify(partner, **({"name": "Asha Rao", "aadhaarNo": "999900000016"} | changes))
    assert (reply["error_code"], field in reply["error"]) == ("110", True)


def test_a_consent_of_the_greatest_length_is_kept(partner: PartnerSender, holders: Holders) -> None:
    holder = holders.next()
    assert (
        verify(partner, name=holder["name"], aadhaarNo=holder["number"], consentText="स" * 10_000)[
            "status"
        ]
        == 200
    )


# --- the number is kept nowhere ---


def test_the_number_is_in_no_table_no_log_and_no_file(
    gateway: RunningGateway, new_partner: NewPartner, holders: Holders
) -> None:
    partner, holder = new_partner("Careful"), holders.next()
    number = holder["number"]
    begun = begin(partner, holder)
    otp = otp_of(gateway, holder["mobile"])
    finish(partner, begun, wrong(otp))
    assert finish(partner, begun, otp)["status"] == 200
    verify(partner, name=holder["name"], aadhaarNo=number)
    verify(partner, name="Somebody Else", aadhaarNo=number, consentText=f"my number is {number}")
    # In fields where it does not belong, too.
    partner.ask("gst-verification", {"gstin": number})
    partner.ask(XML, {"type": number})
    partner.ask(XML, {"type": "file", "requestId": "x", "otp": number, "gateway_txn_id": "1"})
    time.sleep(1.0)
    spellings = [
        number,
        f"{number[:4]} {number[4:8]} {number[8:]}",
        f"{number[:4]}-{number[4:8]}-{number[8:]}",
    ]
    needles = [spelling.encode() for spelling in spellings]
    for database in ("hundi", "simbank"):
        for row in gateway.rows(
            "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema ="
            " 'public'"
            " AND table_type = 'BASE TABLE'",
            database=database,
        ):
            found = gateway.rows(
                f'SELECT t::text AS line FROM "{row["name"]}" t', database=database
            )
            assert not any(each in line["line"] for line in found for each in spellings), (
                database,
                row["name"],
            )
    files = [path for path in [*Path(gateway.data_dir).rglob("*"), gateway.log] if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        assert not any(needle in content for needle in needles), path
