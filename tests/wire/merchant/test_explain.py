"""Explain names the wrong input, and the mistake that produced it."""

import base64
import hashlib
import json
from datetime import UTC, date, datetime

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.wire import cipher
from hundi.wire.envelope import OuterEnvelope
from hundi.wire.merchant import checksum, explain, privatekey

NOW = datetime(2026, 1, 15, 20, tzinfo=UTC)
TODAY_IST, TODAY_UTC = date(2026, 1, 16), date(2026, 1, 15)
CREDENTIALS = explain.ClaimedCredentials("demo-user", "demo-pass", "demo-secret", "oauth-secret")
FIELDS = {"orderid": "ORD-1", "amount": "10.00"}
MESSAGE = json.dumps(FIELDS).encode()
RIGHT = OuterEnvelope(
    merchant_id="12345",
    privatekey=privatekey.derive("demo-secret", "demo-user", "demo-pass"),
    encdata=cipher.seal(CREDENTIALS.key, MESSAGE),
    checksum=checksum.v4(FIELDS, TODAY_IST),
)


def findings(**changes):
    """Return (wrong inputs, words by input) of the right envelope with changes."""
    found = explain.explain(replace(RIGHT, **changes), CREDENTIALS, NOW)
    return found.wrong, {finding.input: finding.words for finding in found.findings}


def test_a_right_message_is_right_in_every_part():
    found = explain.explain(RIGHT, CREDENTIALS, NOW)
    assert [finding.verdict for finding in found.findings] == ["right"] * 3
    assert {text.form: text.value for text in found.texts}["v4-utc"] == checksum.v4(
        FIELDS, TODAY_UTC
    )
    assert json.loads(found.plaintext) == FIELDS


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("oauth-secret@demo-user:|:demo-pass", "OAuth client secret"),
        ("demo-secret@demo-pass:|:demo-user", "swapped"),
        (CREDENTIALS.key.decode() + "@demo-user:|:demo-pass", "encryption key"),
        ("demo-secret@demo-user~:~demo-pass", "separator of the encryption key"),
        ("demo-secret@demo-user:|:demo-pass\n", "line end"),
        ("something else", "no known mistake"),
    ],
)
def test_privatekey_mistakes(text, mistake):
    wrong, words = findings(privatekey=hashlib.sha256(text.encode()).hexdigest())
    assert wrong == ("privatekey",)
    assert mistake in words["privatekey"]


def aes(key, iv, plaintext):
    """Return ciphertext under any key and IV, as a mistaken client makes it."""
    size = 16 - len(plaintext) % 16
    return Cipher(AES(key), CBC(iv)).encryptor().update(plaintext + bytes([size]) * size)


def md5(text):
    """Return the md5 as 32 hex bytes, the shape of an encryption key."""
    return hashlib.md5(text, usedforsecurity=False).hexdigest().encode()


IV = b"0123456789abcdef"
WHOLE = base64.b64encode(IV + aes(CREDENTIALS.key, IV, MESSAGE)).decode()


@pytest.mark.parametrize(
    ("encdata", "mistake"),
    [
        (cipher.seal(cipher.encryption_key("demo-pass", "demo-user"), MESSAGE), "swapped"),
        (cipher.seal(bytes.fromhex(CREDENTIALS.key.decode()), MESSAGE), "hex-decoded"),
        (cipher.seal(CREDENTIALS.key.upper(), MESSAGE), "upper-case"),
        (cipher.seal(md5(b"demo-user:|:demo-pass"), MESSAGE), "separator of privatekey"),
        (cipher.seal(md5(b"demo-secret"), MESSAGE), "md5 of the API secret"),
        (cipher.seal(b"oauth-secret".ljust(32, b"\0"), MESSAGE),
         "the OAuth client secret as the key"),
        (WHOLE, "IV and ciphertext together"),
        (cipher.seal(b"k" * 32, MESSAGE), "no known key"),
        (MESSAGE.decode(), "not encrypted"),
        (RIGHT.encdata[:-1] + "%3D", "percent-encoded"),
        (RIGHT.encdata[:-3], "not padded base64"),
        (RIGHT.encdata[:16] + "AAAA", "3 bytes long"),
        ("\x01" * 16 + RIGHT.encdata[16:], "no IV of printable ASCII"),
        (cipher.seal(CREDENTIALS.key, b"\xff" * 20), "no known key"),
        (" " * 16 + RIGHT.encdata[16:], "beginning is damaged"),
        (cipher.seal(CREDENTIALS.key, b'{"orderid":"A","orderid":"B"}'), "twice"),
        (cipher.seal(CREDENTIALS.key, b'["orderid"]'), "not an object"),
    ],
    ids=[f"mistake {number}" for number in range(1, 18)],
)  # fmt: skip
def test_encdata_mistakes(encdata, mistake):
    wrong, words = findings(encdata=encdata)
    assert wrong == ("encdata",)
    assert mistake in words["encdata"]


def sha(text):
    """Return hex sha256."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("sent", "mistake"),
    [
        (sha("ORD-110.002026-01-16"), "which is what the values in the order sent"),
        (sha("10.00ORD-1"), "which is what a text without the date"),
        (sha("10.00ORD-116-01-2026"), "which is what the date written %d-%m-%Y"),
        (sha("10.00ORD-12026-01-14"), "which is what the date 2026-01-14"),
        (sha("10.00ORD-12026-03-01"), "which is what the date 2026-03-01"),
        (sha('{"orderid":"ORD-1","amount":"10.00"}2026-01-16'), "which is what the JSON text"),
        ("nonsense", "over `10.00ORD-12026-01-16`, you sent nonsense"),
    ],
)
def test_checksum_mistakes(sent, mistake):
    wrong, words = findings(checksum=sent)
    assert wrong == ("checksum",)
    assert mistake in words["checksum"]
    assert words["checksum"].startswith(f"we computed {RIGHT.checksum} over `10.00ORD-12026-01-16`")


def test_the_form_that_matched_is_told_in_words():
    assert "v4-utc" in findings(checksum=checksum.v4(FIELDS, TODAY_UTC))[1]["checksum"]
    assert "with the UTC date" in findings(checksum=checksum.v4(FIELDS, TODAY_UTC))[1]["checksum"]
    assert (
        "CRC32"
        in findings(checksum=checksum.crc32_forms(FIELDS)["crc32-by-value-hex"])[1]["checksum"]
    )
    just_before = datetime(2026, 1, 15, 18, 29, tzinfo=UTC)
    found = explain.explain(
        replace(RIGHT, checksum=checksum.v4(FIELDS, TODAY_IST)), CREDENTIALS, just_before
    )
    assert "in an hour" in found.findings[2].words


def test_what_was_not_sent_is_missing_not_wrong():
    assert findings(privatekey="", checksum="")[0] == ()
    found = explain.explain(OuterEnvelope(), CREDENTIALS, NOW)
    assert [finding.verdict for finding in found.findings] == ["missing", "missing", "unchecked"]


def test_a_privatekey_without_a_secret_is_unchecked():
    found = explain.explain(RIGHT, explain.ClaimedCredentials("demo-user", "demo-pass"), NOW)
    assert found.findings[0].verdict == "unchecked"


def test_merchant_ids_that_differ_are_told():
    encdata = cipher.seal(CREDENTIALS.key, b'{"merchant_id":999,"orderid":"A"}')
    wrong, words = findings(encdata=encdata, checksum="")
    assert wrong == ("merchant_id",)
    assert words["merchant_id"] == "it is 12345 outside and 999 inside encdata"


def test_secrets_are_masked_everywhere():
    fields = {"client_id": "cid", "client_secret": "oauth-secret"}
    outer = replace(
        RIGHT, encdata=cipher.seal(CREDENTIALS.key, json.dumps(fields).encode()), checksum="wrong"
    )
    found = explain.explain(outer, CREDENTIALS, NOW)
    assert found.wrong == ("checksum",)
    assert "oauth-secret" not in repr(found)
    assert "demo-secret" not in repr(CREDENTIALS)
    assert "demo-pass" not in repr(CREDENTIALS)


RECORD = {
    "orderid": "ORD1",
    "ap_transactionid": "777",
    "amount": "10.00",
    "transaction_status": 200,
    "message": "Success",
    "merchant_id": "12345",
}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"ap_SecureHash": "3102939120"}, "right"),
        ({"ap_securehash": "3102939120"}, "right"),
        ({"ap_SecureHash": "4207070579", "chmod": "upi", "customer_vpa": "a@upi"}, "right"),
        ({"ap_SecureHash": "3102939120", "amount": "99.00"}, "wrong"),
    ],
)
def test_secure_hash(changes, verdict):
    for fields in (RECORD | changes, {"status": "success", "data": RECORD | changes}):
        assert explain.explain_secure_hash(fields, "demo-user").verdict == verdict


def test_no_secure_hash_no_finding():
    assert explain.explain_secure_hash(RECORD, "demo-user") is None
    assert explain.explain_secure_hash({"data": []}, "demo-user") is None


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_never_crashes(key, encdata, given_checksum):
    outer = OuterEnvelope("1", key, encdata, given_checksum)
    assert explain.explain(outer, CREDENTIALS, NOW).findings
    assert explain.explain(replace(RIGHT, checksum=given_checksum), CREDENTIALS, NOW).findings
